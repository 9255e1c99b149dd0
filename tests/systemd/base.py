# SPDX-License-Identifier: GPL-2.0-or-later
"""A small Debian 12 to boot containers and virtual machines from: made once by mmdebstrap, kept in the lab's cache
beside its kernels.

What lrtbfd's package depends on and recommends is in it, so that apt installs the package without a network, and
lrtbfd is not. udev and sqlite3 are for virtual machines. Nobody writes to it: containers have a layer of their own
over it, and virtual machines a copy.
"""
import hashlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vm"))

from kernel import CACHE, LabError, open_cache, output, prune

SUITE = "bookworm"
PACKAGES = """systemd systemd-sysv dbus polkitd procps util-linux iproute2 kmod debconf
    libconfig9 libglib2.0-0 libjansson4 libsqlite3-0 libsystemd0 libudev1 zlib1g
    iputils-ping rt-tests stress-ng udev sqlite3""".split()
# What a container has no use for, or would do at each boot.
MASKED = """getty.target console-getty.service systemd-networkd.service systemd-resolved.service
    systemd-timesyncd.service systemd-pstore.service systemd-update-utmp.service e2scrub_all.timer
    e2scrub_reap.service fstrim.timer apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer
    systemd-tmpfiles-clean.timer""".split()
KEPT_DAYS = 14  # security updates are not what is tested


def sources():
    """This machine's, whichever way they are written."""
    folder = Path("/etc/apt/sources.list.d")
    files = [Path("/etc/apt/sources.list"), *sorted(folder.glob("*.list")), *sorted(folder.glob("*.sources"))]
    return [str(f) for f in files if f.exists() and SUITE in f.read_text()]


def settle(root):
    """No registry, no console, no name, a journal in memory; what is installed from now on is whole."""
    for path in ("etc/apt/sources.list", "etc/resolv.conf"):
        (root / path).unlink(missing_ok=True)
    shutil.rmtree(root / "etc/apt/sources.list.d")
    (root / "etc/apt/sources.list.d").mkdir()
    for unit in MASKED:
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    (root / "etc/machine-id").write_text("")
    (root / "etc/dpkg/dpkg.cfg.d/99mmdebstrap").write_text("force-unsafe-io\n")
    conf = root / "etc/systemd/journald.conf.d/lab.conf"
    conf.parent.mkdir(exist_ok=True)
    conf.write_text("[Journal]\nStorage=volatile\n")


def make(root):
    output("mmdebstrap", "--mode=root", "--variant=apt", f"--include={','.join(PACKAGES)}",
           "--aptopt=APT::Install-Recommends \"false\"", "--dpkgopt=force-unsafe-io",
           "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
           SUITE, str(root), *sources())
    settle(root)


def base():
    """Its folder, made if need be."""
    how = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    with open_cache():
        root = CACHE / f"container_{SUITE}_{how}"
        # the folder's own time says when it was used last
        if root.is_dir() and (root / "etc/machine-id").stat().st_mtime < time.time() - KEPT_DAYS * 86400:
            shutil.rmtree(root)
        if not root.is_dir():
            prune()  # never one of another checkout, which may be running
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                made = Path(scratch, "made")
                make(made)
                made.rename(root)
        os.utime(root)
    return root


if __name__ == "__main__":
    try:
        print(base())
    except LabError as e:
        sys.exit(f"{sys.argv[0]}: {e}")
