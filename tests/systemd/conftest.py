# SPDX-License-Identifier: GPL-2.0-or-later
"""A container with a real systemd for each file of tests, in which lrtbfd is installed from its package."""
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import debs
from base import LabError, base
from container import Container, ContainerError
from lrtbfd import Installed


@pytest.fixture(scope="session")
def root():
    """The base, once it is known that it boots here."""
    if os.getuid() != 0:
        pytest.skip("a container takes root")
    for program in ("systemd-nspawn", "mmdebstrap", "unshare", "nsenter"):
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")
    try:
        return base()
    except LabError as error:
        pytest.skip(f"no root for containers: {error}")


@pytest.fixture(scope="session")
def deb(root, tmp_path_factory):
    """lrtbfd's package: LRTBF_DEBS has it, or it is built, where it can be tried."""
    folder = os.environ.get("LRTBF_DEBS")
    return debs.find(folder) if folder else debs.build(tmp_path_factory.mktemp("debs"))


@pytest.fixture(scope="session")
def later_deb(deb, tmp_path_factory):
    return debs.later(deb, tmp_path_factory.mktemp("later"))


@pytest.fixture(scope="module")
def bare(root, tmp_path_factory):
    """A container without lrtbfd."""
    container = Container(root, tmp_path_factory.mktemp("container"))
    try:
        container.boot()
    except ContainerError as error:
        container.remove()
        pytest.skip(f"systemd-nspawn cannot run here: {error}")
    yield container
    container.remove()


@pytest.fixture(scope="module")
def machine(bare, deb):
    """A container with lrtbfd."""
    shutil.copy(deb, bare.job / "lrtbfd.deb")
    installed = Installed(bare)
    installed.install("lrtbfd.deb")
    return installed


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure comes with what lrtbfd and systemd had to say."""
    outcome = yield
    report = outcome.get_result()
    bare = item.funcargs.get("bare") if report.failed and hasattr(item, "funcargs") else None
    if bare and bare.process:
        journal = bare.sh("journalctl --no-pager -o short-precise | tail -n 60").stdout
        report.sections.append(("journal of the container", journal))
