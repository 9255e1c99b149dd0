# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers of a newer kernel than Debian's own: those of its backports, unpacked into the lab's cache
(tests/vm/kernel.py), never installed. apt is given package lists of its own for that, and what it
is told of other sources stays as it is.
"""
import os
import re
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/vm"))

import kernel

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm-backports"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unreachable(Exception):
    """A sentence for people."""


def ask_mirror():
    """Soon and clearly; apt-get update would warn and go on after minutes."""
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{SUITE}/InRelease", timeout=10).close()
    except (OSError, urllib.error.URLError) as error:
        raise Unreachable(f"{MIRROR} cannot be reached: {error}") from error


class Apt:
    """With lists of its own in @folder."""

    def __init__(self, folder):
        for name in ("lists/partial", "archives/partial", "parts"):
            (folder / name).mkdir(parents=True)
        (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {SUITE} main\n")
        self.options = [f"-oDir::Etc::sourcelist={folder}/sources.list", f"-oDir::Etc::sourceparts={folder}/parts",
                        f"-oDir::State::lists={folder}/lists", f"-oDir::Cache={folder}",
                        "-oAPT::Sandbox::User=root", "-oAcquire::Languages=none"]
        kernel.output("apt-get", *self.options, "-q", "update")

    def needs(self, package):
        """Packages of this kernel that @package needs."""
        shown = kernel.output("apt-cache", *self.options, "show", "--no-all-versions", package)
        depends = "".join(re.findall(r"^Depends: (.*)", shown, re.M))
        return re.findall(r"\b(linux-(?:headers|kbuild)-[^\s,]+)", depends)

    def all_of(self, package):
        found = []
        for name in self.needs(package):
            found += [name, *self.all_of(name)]
        return list(dict.fromkeys(found))

    def unpack(self, names, folder):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            kernel.output("apt-get", *self.options, "-q", "download", *names, cwd=scratch)
            for deb in Path(scratch).glob("*.deb"):
                kernel.output("dpkg-deb", "-x", str(deb), str(folder))


def move_here(sources):
    """The Makefile of a kernel's headers names the place where they are installed."""
    makefile = sources / "Makefile"
    here = "$(dir $(abspath $(lastword $(MAKEFILE_LIST)))).."
    makefile.write_text(makefile.read_text().replace("include /usr/src", f"include {here}"))


def find(flavour, folder):
    """Where kbuild finds them, of @flavour ("amd64", "rt-amd64"), below @folder."""
    return next((s for s in sorted(folder.glob(f"usr/src/linux-headers-*-{flavour}"))
                 if flavour != "amd64" or not s.name.endswith("-rt-amd64")), None)


def headers(flavour):
    """The same, made if need be; Unreachable where they are not there and cannot be had."""
    folder = kernel.CACHE / f"backports-{flavour}"
    with kernel.open_cache():
        if not folder.is_dir():
            ask_mirror()
            with tempfile.TemporaryDirectory(dir=kernel.CACHE) as scratch:
                apt = Apt(Path(scratch, "apt"))
                made = Path(scratch, "made")
                made.mkdir(mode=0o755)
                apt.unpack(apt.all_of(f"linux-headers-{flavour}"), made)
                move_here(find(flavour, made))
                shutil.rmtree(made / "usr/share", ignore_errors=True)
                made.rename(folder)
        os.utime(folder)
    return find(flavour, folder)
