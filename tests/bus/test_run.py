# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/run, on a build folder that is only links to the real one."""
import os
import subprocess

import pytest

from lrtbf import BUILD

RUN = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "run")


@pytest.fixture
def build(tmp_path):
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "build.ninja").write_text("build all: phony\n")
    for part in ("service", "client"):
        (folder / part).symlink_to(os.path.join(BUILD, part))
    return folder


def run(build, *args):
    return subprocess.run([RUN, *args], env=dict(os.environ, LRTBF_BUILD=str(build)),
                          capture_output=True, text=True, timeout=60)


@pytest.mark.skipif(os.geteuid() != 0, reason="not root")
def test_as_root_after_somebody_else(build):
    """Plans of another user are refused: the copies become root's."""
    folder = build / "run" / "config" / "plans.d"
    folder.mkdir(parents=True)
    for path in (folder, folder.parent):
        os.chown(path, 65534, 65534)
    result = run(build, "plan", "check")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert "quick" in run(build, "plan", "list").stdout


def test_builds_one_at_a_time(build):
    """Two terminals: the second build waits for the first."""
    (build / "build.ninja").write_text(
        "rule once\n  command = mkdir %s && sleep 0.5 && rmdir %s\n"
        "build all: once always\nbuild always: phony\n" % ((build / "building",) * 2))
    both = [subprocess.Popen([RUN, "--version"], env=dict(os.environ, LRTBF_BUILD=str(build)),
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(2)]
    for p in both:
        assert "the build failed" not in p.communicate(timeout=60)[0]


def test_shell(build):
    """A daemon that lives as long as the shell, rules of one's own, and reload."""
    folder = build / "run" / "config" / "irq.d"
    script = ("lrtbfctl status >/dev/null && lrtbfctl irq rules && "
              f"echo 'rules = ( {{ match = {{ action = \"none of that\"; }}; nice = 5; }} );' >{folder}/10-own.conf && "
              "lrtbfctl reload && lrtbfctl irq rules && "
              f"echo 'rules = ( {{ match = {{ irq = 1; }}; prio = 5; }} );' >{folder}/20-wrong.conf; lrtbfctl reload")
    result = run(build, "--shell", "sh", "-c", script)
    assert result.returncode == 1 and "no rules" in result.stderr
    assert "10-own/1" in result.stdout and "20-wrong.conf:1: " in result.stdout
    assert "no rules" not in run(build, "irq", "rules").stderr  # a file of one's own stays
    typed = subprocess.run([RUN, "--shell"], input="lrtbfctl irq rules\nexit 3\n", capture_output=True, text=True,
                           env=dict(os.environ, LRTBF_BUILD=str(build)), timeout=60)
    assert typed.returncode == 3 and "10-own/1" in typed.stdout
    assert str(folder) in typed.stderr


def test_help_is_all_of_it(build):
    text = run(build, "--help").stdout
    assert text.startswith("Install what is missing") and "--shell" in text and text.endswith("next start.\n")


def test_build_folder_of_another_checkout(build):
    (build / "meson-info").mkdir()
    info = build / "meson-info" / "meson-info.json"
    info.write_text('{ "directories": { "source": "/elsewhere" } }\n')
    result = run(build, "--version")
    assert result.returncode == 1 and "another checkout" in result.stderr and str(build) in result.stderr
    info.write_text('{ "directories": { "source": "%s" } }\n' % os.path.realpath(os.path.join(RUN, "..", "..")))
    assert run(build, "--version").returncode == 0
