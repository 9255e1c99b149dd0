# SPDX-License-Identifier: GPL-2.0-or-later
"""What `meson install` puts there, in a folder of its own: nothing is started, and this machine's systemd is only
asked what it thinks of the files."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bus"))

from lrtbf import BUILD

FIGURES = pytest.StashKey()


def pytest_configure(config):
    config.stash[FIGURES] = []


@pytest.fixture
def figure(request):
    """figure(TEXT): told at the end."""
    return request.config.stash[FIGURES].append


def pytest_terminal_summary(terminalreporter, config):
    for text in config.stash[FIGURES]:
        terminalreporter.write_line(f"figure: {text}")


class Tree:
    """The installed files."""

    def __init__(self, root):
        self.root = Path(root)
        options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text())
        self.options = {o["name"]: o["value"] for o in options}
        self.prefix = Path(self.options["prefix"])
        self.units = self.at("lib", "systemd", "system")

    def at(self, *names):
        """A path below the prefix, in the tree."""
        return self.root / self.prefix.relative_to("/").joinpath(*names)

    def path(self, *names):
        """The same, as it is once it is installed."""
        return self.prefix.joinpath(*names)

    def ours(self, *suffixes):
        """Names of our units, templates with an instance."""
        return sorted(p.name.replace("@.", "@quick.") for p in self.units.iterdir()
                      if p.name.startswith("lrtbf") and p.suffix in suffixes)


def install(root, umask):
    """Whatever the umask of who installs is."""
    subprocess.run(["meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", root],
                   check=True, stdout=subprocess.DEVNULL, umask=umask)
    return Tree(root)


@pytest.fixture(scope="session")
def installed():
    root = tempfile.mkdtemp(prefix="lrtbf-tree-")
    yield install(root, 0)
    shutil.rmtree(root)


@pytest.fixture
def tree(installed, tmp_path):
    """A copy to be changed, with the units of this machine's systemd and D-Bus around ours."""
    root = tmp_path / "tree"
    shutil.copytree(installed.root, root, symlinks=True)
    copy = Tree(root)
    system = root / "usr" / "lib" / "systemd" / "system"
    system.mkdir(parents=True, exist_ok=True)
    for place in ("/usr/lib/systemd/system", "/lib/systemd/system"):
        for unit in os.scandir(place) if os.path.isdir(place) else ():
            there = system / unit.name
            if unit.name.startswith("lrtbf") or os.path.lexists(there):
                continue
            if unit.is_dir(follow_symlinks=False):
                shutil.copytree(unit.path, there, symlinks=True)
            else:
                shutil.copy(unit.path, there, follow_symlinks=False)
    return copy
