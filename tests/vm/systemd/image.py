# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk with Debian on it, lrtbfd installed from its package, and what the lab needs.

Its packages are those that containers are made of. The image is kept in the lab's cache until what it is made from
changes; a virtual machine writes to a copy of it.
"""
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "systemd")]

import base
import kernel
from initramfs import Archive
from kernel import output

# Of no use here, and each takes a part of a boot.
MASKED = """getty@tty1.service serial-getty@ttyS0.service systemd-pstore.service systemd-random-seed.service
    systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-binfmt.service
    systemd-timesyncd.service systemd-journal-flush.service e2scrub_reap.service e2scrub_all.timer fstrim.timer
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer dev-hugepages.mount dev-mqueue.mount""".split()
DISK_MIB = 640


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(part if isinstance(part, bytes) else str(part).encode())
    return total.hexdigest()[:12]


def install(root, deb, modules, kernel_folder):
    """lrtbfd, the kernel's modules with ours, and the lab's own files in @root."""
    shutil.copy(deb, root / "lrtbfd.deb")
    output("chroot", str(root), "dpkg", "-i", "/lrtbfd.deb", env={
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
    (root / "lrtbfd.deb").unlink()
    release = (kernel_folder / "release").read_text()
    target = root / "lib/modules" / release
    shutil.copytree(kernel_folder / "lib/modules" / release, target)
    (target / "updates").mkdir()
    for module in modules:
        shutil.copy(module, target / "updates")
    output("depmod", "-b", str(root), release)
    # made once, so that this is nobody's first boot
    (root / "etc/machine-id").write_text("d1c0ffee" * 4 + "\n")
    (root / "etc/hostname").write_text("lab\n")
    (root / "etc/fstab").write_text("/dev/vda / ext4 defaults 0 0\n")
    units = root / "etc/systemd/system"
    for unit in MASKED:
        (units / unit).unlink(missing_ok=True)
        (units / unit).symlink_to("/dev/null")
    shutil.copy(HERE / "guest/agent", root / "usr/local/sbin/lab-agent")
    shutil.copy(HERE / "guest/lab-agent.service", units)
    wants = units / "basic.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "lab-agent.service").symlink_to("../lab-agent.service")
    (units / "default.target").unlink(missing_ok=True)
    (units / "default.target").symlink_to("/lib/systemd/system/multi-user.target")


def make(archive, kernel_folder, deb, modules, image):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        root = Path(scratch, "root")
        output("cp", "-a", "--reflink=auto", str(archive), str(root))
        for unused in ("var/lib/apt/lists", "var/cache/apt", "usr/share/doc"):
            shutil.rmtree(root / unused, ignore_errors=True)
        install(root, deb, modules, kernel_folder)
        output("mke2fs", "-q", "-t", "ext4", "-m", "0", "-L", "lab", "-d", str(root), str(image), f"{DISK_MIB}M")


def disk(kind, deb, modules, target):
    """@target: raw, ext4 with a journal, and every block of it is root's to fill. Returns the folder of its kernel."""
    root, kernel_folder = base.base(), kernel.disk_kernel(kind)
    files = [Path(__file__), *sorted((HERE / "guest").iterdir()), Path(deb), *map(Path, modules)]
    path = kernel.CACHE / f"disk_{kind}_{digest(root, kernel_folder, *(p.read_bytes() for p in files))}.img"
    with kernel.open_cache():
        if not path.exists():
            for old in kernel.CACHE.glob(f"disk_{kind}_*.img*"):
                old.unlink()
            new = path.with_suffix(".img.new")
            make(root, kernel_folder, deb, modules, new)
            new.rename(path)
        os.utime(path)
        # not a layer in QEMU's own format, whose tables are another thing that a kill could leave half written
        output("cp", "--sparse=always", "--reflink=auto", str(path), str(target))
    return kernel_folder


def initramfs(kernel_folder):
    """busybox, `init`, and the modules that the disk needs."""
    archive = Archive()
    release = (kernel_folder / "release").read_text()
    for name in ("bin", "dev", "proc", "new", "modules"):
        archive.folder(name)
    archive.tree(Path("/bin/busybox"), "bin/busybox")
    archive.tree(HERE / "guest/init", "init")
    names = []
    for line in (kernel_folder / "order").read_text().split():
        names.append(Path(line).name)
        archive.tree(kernel_folder / "lib/modules" / release / line, f"modules/{names[-1]}")
    archive.add("order", 0o100644, "".join(f"{n}\n" for n in names).encode())
    return archive.finish()
