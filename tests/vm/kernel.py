# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels for the lab: Debian's packages, unpacked into a cache, never installed.

Installing a kernel would build an initramfs and touch the boot loader of whoever runs the tests.
Of the package only the modules that a kind of guest takes are kept, with what they need, and the
kernel as the ELF file that QEMU enters directly (PVH), which spares the guest seconds of unpacking it.
udev comes in the same way: installing it could start it here.

The cache is CACHE, outside of the checkout and kept from run to run. A folder in it is made under
another name and renamed when it is whole; who makes one holds the lock.
"""
import fcntl
import hashlib
import lzma
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path

CACHE = Path(f"/var/tmp/lrtbfd-vm-{os.getuid()}")
PACKAGES = {"rt": "linux-image-rt-amd64", "std": "linux-image-amd64"}
# What the guest's root needs comes first and in this order of use; the others are what tests look at.
MODULES = """virtio_pci 9p 9pnet_virtio overlay
    parport_pc ppdev virtio_net virtio_blk virtio_rng e1000e ahci""".split()
# A guest with a disk of its own loads what that needs itself, and the others when its udev says so.
DISK_MODULES = "virtio_pci virtio_blk virtio_console crc32c_generic ext4".split()
UDEV_MODULES = "parport_pc ppdev virtio_rng autofs4".split()
UNUSED_DAYS = 7


class LabError(Exception):
    """A sentence for people."""


def output(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if done.returncode:
        raise LabError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def newest(package):
    """(name, version) of @package, or of the kernel a meta-package stands for; None: not known to apt."""
    shown = subprocess.run(["apt-cache", "show", "--no-all-versions", package],
                           capture_output=True, text=True).stdout
    real = re.search(r"^Depends:.*\b(linux-image-\S+) \(= (\S+)\)", shown, re.M)
    version = re.search(r"^Version: (\S+)", shown, re.M)
    return real.groups() if real else (package, version[1]) if version else None


def find(package):
    """The same; asks for the package lists where there are none."""
    found = newest(package)
    if not found and os.getuid() == 0:
        output("apt-get", "update", "-q")
        found = newest(package)
    return found


def download(name, version, folder):
    """NAME's .deb in @folder. As root apt drops its rights, and wants a folder that it may enter."""
    output("apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", f"{name}={version}", cwd=folder)
    return next(folder.glob("*.deb"))


def extract_vmlinux(image, target):
    """The ELF file inside a bzImage: the xz payload after the set-up sectors (Documentation/x86/boot.rst)."""
    data = image.read_bytes()
    start = ((data[0x1f1] or 4) + 1) * 512 + struct.unpack_from("<I", data, 0x248)[0]
    size = struct.unpack_from("<I", data, 0x24c)[0]
    payload = data[start:start + size]
    if payload[:6] != b"\xfd7zXZ\0":
        raise LabError(f"{image.name} is not compressed with xz")
    elf = lzma.LZMADecompressor().decompress(payload)
    if elf[:4] != b"\x7fELF":
        raise LabError(f"{image.name} holds no ELF file")
    target.write_bytes(elf)


def needed_modules(root, release, modules):
    """Paths below lib/modules/RELEASE of @modules and all they need, each after those."""
    paths = []
    for module in modules:
        for line in output("modprobe", "-d", str(root), "-S", release, "--show-depends",
                           module).splitlines():
            word, path = line.split()[:2]
            if word == "insmod" and path not in paths:
                paths.append(path)
    base = root / "lib/modules" / release
    return [Path(p).relative_to(base) for p in paths]


def unpack_kernel(deb, folder, modules=MODULES, others=()):
    """folder/: vmlinux, release, order (of loading @modules), lib/modules/RELEASE/ (with @others too)."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        root = Path(scratch)
        output("dpkg-deb", "-x", str(deb), scratch)
        image = next((root / "boot").glob("vmlinuz-*"))
        release = image.name.removeprefix("vmlinuz-")
        output("depmod", "-b", scratch, release)
        extract_vmlinux(image, folder / "vmlinux")
        target = folder / "lib/modules" / release
        order = needed_modules(root, release, modules)
        for path in needed_modules(root, release, [*modules, *others]):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / "lib/modules" / release / path, target / path)
        for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            shutil.copy(root / "lib/modules" / release / name, target / name)
    output("depmod", "-b", str(folder), release)
    (folder / "release").write_text(release)
    (folder / "order").write_text("".join(f"{p}\n" for p in order))


def unpack_udev(deb, folder):
    """folder/: the daemon, its tool and its rules."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        output("dpkg-deb", "-x", str(deb), scratch)
        for path in ("bin/udevadm", "lib/systemd/systemd-udevd", "lib/udev/rules.d"):
            source = Path(scratch, path)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, folder / path)
            else:
                shutil.copy(source, folder / path, follow_symlinks=False)


def open_cache():
    """Locked; closing the file unlocks."""
    CACHE.mkdir(mode=0o755, exist_ok=True)
    if CACHE.is_symlink() or CACHE.stat().st_uid != os.getuid():
        raise LabError(f"{CACHE} belongs to somebody else: remove it")
    lock = open(CACHE / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def prune():
    """Kernels of former updates, and what somebody who was killed has left."""
    for path in CACHE.iterdir():
        if path.is_dir() and path.stat().st_mtime < time.time() - UNUSED_DAYS * 86400:
            shutil.rmtree(path, ignore_errors=True)


def cached(kind, package, unpack):
    """The folder of @kind in the cache, made if need be from the newest @package. What is there is
    good enough where apt cannot be asked."""
    # what is in the folder is decided here
    how = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    with open_cache():
        found = find(package)
        if not found:
            old = sorted(CACHE.glob(f"{kind}_*_{how}"), key=lambda p: p.stat().st_mtime)
            if not old:
                raise LabError(f"apt does not know {package}, and none is in {CACHE}")
            return old[-1]
        name, version = found
        folder = CACHE / f"{kind}_{name}_{version.replace(':', '%')}_{how}"
        if not folder.is_dir():
            prune()
            debs = CACHE / "debs"
            debs.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                made = Path(scratch, "made")
                made.mkdir(mode=0o755)
                deb = next(debs.glob(f"{name}_{version.replace(':', '%3a')}_*.deb"), None)
                if not deb:
                    deb = download(name, version, Path(scratch))
                    deb = deb.rename(debs / deb.name)
                unpack(deb, made)
                made.rename(folder)
        os.utime(folder)
        return folder


def kernel(kind):
    """Folder of the kernel @kind ("rt", "std"): see unpack_kernel()."""
    return cached(kind, PACKAGES[kind], unpack_kernel)


def disk_kernel(kind):
    """The same for a guest with a disk of its own."""
    return cached(f"disk-{kind}", PACKAGES[kind],
                  lambda deb, folder: unpack_kernel(deb, folder, DISK_MODULES, UDEV_MODULES))


def udev():
    """Folder with udev's files, to be copied over a root."""
    return cached("udev", "udev", unpack_udev)
