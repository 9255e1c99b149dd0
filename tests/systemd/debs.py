# SPDX-License-Identifier: GPL-2.0-or-later
"""lrtbfd's package, and the same as a later version of it would be."""
import re
import subprocess
from pathlib import Path

LATER = "9.9.9"


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words[0]}: {done.stderr}"
    return done.stdout


def build(folder):
    """The package of this checkout, in @folder."""
    run(Path(__file__).parents[1] / "package/build", folder)
    return find(folder)


def find(folder):
    return next(p for p in Path(folder).glob("lrtbfd_*.deb"))


def version(deb):
    return run("dpkg-deb", "-f", deb, "Version").strip()


def later(deb, folder):
    """@deb with another version, in its files too: what is installed, and what runs, can be told."""
    old, tree = version(deb), folder / "later"
    run("dpkg-deb", "-R", deb, tree)
    assert len(old) == len(LATER)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub("^Version: .*$", f"Version: {LATER}", control.read_text(), flags=re.M))
    for program in ("usr/sbin/lrtbfd", "usr/bin/lrtbfctl"):
        path, data = tree / program, (tree / program).read_bytes()
        assert old.encode() in data
        path.write_bytes(data.replace(old.encode(), LATER.encode()))
    target = folder / f"lrtbfd_{LATER}.deb"
    run("dpkg-deb", "--root-owner-group", "-b", tree, target)
    return target
