# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel modules are built for each kernel that is promised, and nothing is to be said of them: gcc
with W=1, sparse, modpost. Not in the lab: `pytest --confcutdir=tests/kmod/versions tests/kmod/versions`.
"""
import re
import subprocess
from pathlib import Path

import pytest
from headers import TOP, Unreachable, headers

FLAVOURS = ["amd64", "rt-amd64"]
# no fault of a module: what the headers' package has not, and another gcc than the kernel's
UNASKED = re.compile(r"Skipping BTF generation|the compiler differs from the one|The kernel was built by:|You are using:")


def build(sources, folder, *words):
    """Release it is for."""
    done = subprocess.run(["make", "-s", "-C", TOP / "kmod", f"KDIR={sources}", f"OUT={folder}", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = [line for line in done.stdout.splitlines() if line.strip() and not UNASKED.search(line)]
    assert not done.returncode and not said, "\n".join(said)
    names = [p.name for p in Path(folder).rglob("*.ko")]
    assert sorted(names) == ["lrtbf-wire.ko", "lrtbf.ko"]
    shown = subprocess.run(["modinfo", "-F", "vermagic", f"{folder}/lrtbf.ko"], capture_output=True, text=True)
    return shown.stdout.split()[0]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_installed(flavour, tmp_path):
    """Debian's own kernel: sparse too."""
    found = [s for s in Path("/usr/src").glob(f"linux-headers-6.1.*-{flavour}")
             if flavour != "amd64" or "-rt-" not in s.name]
    assert found, f"linux-headers-{flavour} is not installed"
    assert build(max(found, key=lambda s: s.stat().st_mtime), tmp_path, "W=1", "C=2").startswith("6.1.")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_backports(flavour, tmp_path):
    """6.12."""
    try:
        sources = headers(flavour)
    except Unreachable as error:
        pytest.skip(str(error))
    # type information would want pahole, which comes with the package when it is installed
    assert build(sources, tmp_path, "W=1", "CONFIG_DEBUG_INFO_BTF_MODULES=").startswith("6.12.")
