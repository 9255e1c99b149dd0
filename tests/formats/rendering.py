# SPDX-License-Identifier: GPL-2.0-or-later
"""Made sessions in our formats, by the program render-sample."""
import functools
import json
import os
import shutil
import subprocess

import pytest

RENDER = os.path.join(os.environ["LRTBF_BUILD"], "tests", "formats", "render-sample")


def _words(option):
    return subprocess.run([RENDER, option], check=True, capture_output=True, text=True).stdout.split()


SAMPLES, FORMATS = _words("--samples"), _words("--formats")
HOSTILE = [s for s in SAMPLES if s.startswith("hostile")]


class Refused(Exception):
    """The session has no such form."""


@functools.lru_cache(maxsize=None)
def render(sample, form):
    """The bytes; Refused with the sentence."""
    done = subprocess.run([RENDER, sample, form], capture_output=True)
    if done.returncode == 3:
        assert done.stdout == b"" and done.stderr.strip().endswith(b".")
        raise Refused(done.stderr.decode())
    assert done.returncode == 0, (sample, form, done.returncode, done.stderr)
    assert done.stderr == b""
    return done.stdout


def text(sample, form):
    return render(sample, form).decode("utf-8")  # invalid bytes of a label would fail here


@functools.lru_cache(maxsize=None)
def report(sample):
    return json.loads(render(sample, "json"))


def needs(*tools):
    for tool in tools:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
