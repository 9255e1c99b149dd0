#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All C of the tree is as .clang-format says. Versions differ in details: Debian 12's 14 decides."""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
FOLDERS = ("service", "client", "tests")

try:
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout
except FileNotFoundError:
    version = ""
if not re.search(r"version 14\.", version):
    print("clang-format 14 is not installed")
    sys.exit(77)
files = sorted(str(p) for f in FOLDERS for p in (TOP / f).rglob("*.[ch]"))
sys.exit(subprocess.run(["clang-format", "--dry-run", "-Werror", *files]).returncode)
