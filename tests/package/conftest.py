# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages of this checkout: LRTBF_DEBS has them, or they are built."""
import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def debs(tmp_path_factory):
    folder = Path(os.environ.get("LRTBF_DEBS") or tmp_path_factory.mktemp("debs"))
    if not list(folder.glob("*.changes")):
        done = subprocess.run([Path(__file__).with_name("build"), folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def machine(tmp_path):
    """machine(SCRIPT): the finished process of a shell, as root of what is this machine but for its writing: that is
    in a layer over it, which all of the test's scripts share."""
    if os.getuid() != 0:
        pytest.skip("installing takes root")
    top = tmp_path / "top"
    for name in ("upper", "work", "root"):
        (top / name).mkdir(parents=True)
    layers = f"lowerdir=/,upperdir={top}/upper,workdir={top}/work"

    def run(script):
        # no bus, no systemd: nothing is started here by what is installed
        enter = (f"mount -t overlay -o {layers} lrtbf {top}/root && cd {top}/root && mount -t proc proc proc && "
                 f"mount --rbind /dev dev && mount -t tmpfs tmpfs run && exec chroot . sh -ec \"$1\"")
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--propagation=private", "sh", "-c", enter, "sh",
                               script], capture_output=True, text=True, timeout=300,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                                   "DEBIAN_FRONTEND": "noninteractive"})
    if run("true").returncode != 0:
        pytest.skip("no layer can be laid over this machine's root here")
    return run
