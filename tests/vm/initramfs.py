# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's initramfs: busybox, `init`, the modules, and what is laid over the host's root.

A cpio archive in the kernel's format (Documentation/driver-api/early-userspace/buffer-format.rst).
"""
import os
import stat
from pathlib import Path


class Archive:
    """newc: every field is eight hexadecimal digits, names and contents padded to four bytes."""

    def __init__(self):
        self.data, self.number = bytearray(), 0

    def pad(self):
        self.data += bytes(-len(self.data) % 4)

    def add(self, name, mode, content=b""):
        self.number += 1
        encoded = name.encode() + b"\0"
        fields = (self.number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
        self.data += b"070701" + b"".join(b"%08X" % f for f in fields) + encoded
        self.pad()
        self.data += content
        self.pad()

    def folder(self, name):
        self.add(name, stat.S_IFDIR | 0o755)

    def tree(self, source, name):
        """@source with all below it, as @name."""
        if source.is_symlink():
            self.add(name, stat.S_IFLNK | 0o777, os.readlink(source).encode())
        elif source.is_dir():
            self.folder(name)
            for child in sorted(source.iterdir()):
                self.tree(child, f"{name}/{child.name}")
        else:
            executable = source.stat().st_mode & 0o111
            self.add(name, stat.S_IFREG | (0o755 if executable else 0o644), source.read_bytes())

    def finish(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.data)


def build(kernel, udev):
    """@kernel, @udev: folders of kernel.py. Returns the archive."""
    archive = Archive()
    for name in ("bin", "dev", "proc", "sys", "host", "rw", "new", "extra"):
        archive.folder(name)
    archive.tree(Path("/bin/busybox"), "bin/busybox")
    archive.tree(Path(__file__).with_name("init"), "init")
    for name in ("release", "order"):
        archive.tree(kernel / name, name)
    for source in (kernel / "lib", udev / "bin", udev / "lib"):
        archive.tree(source, f"extra/{source.name}")
    return archive.finish()
