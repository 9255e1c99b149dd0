#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Add up a folder of results: names what failed and what was skipped and why, then one closing line.

SUITE.xml is junit XML. SUITE.json is meson's log, which knows of programs that ended badly without
saying which case it was; SUITE.failed marks a suite that failed as a whole. Either counts as a
failure when no case of it does. Exit status 1 when something failed or there was no test at all.
"""
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

passed = failed = skipped = 0


def fail(what):
    global failed
    failed += 1
    print(f"FAILED {what}", file=sys.stderr)


folder = Path(sys.argv[1])
for suite in sorted({p.stem for p in folder.iterdir() if p.suffix in (".xml", ".failed")}):
    bad_programs, before = set(), failed
    xml, log = folder / f"{suite}.xml", folder / f"{suite}.json"
    for case in ET.parse(xml).iter("testcase") if xml.exists() else ():
        name = f"{suite}: {case.get('classname') or ''} {case.get('name') or ''}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            bad_programs.add((case.get("classname") or "").split(" / ")[-1])
            fail(name)
        elif skip is not None:
            skipped += 1
            why = skip.get("message") or skip.text or "see the test"
            print(f"skipped {name}: {why}", file=sys.stderr)
        else:
            passed += 1
    for line in log.read_text().splitlines() if log.exists() else ():
        test = json.loads(line)
        program = test["name"].split(" / ")[-1]
        if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and program not in bad_programs:
            fail(f"{suite}: {program}: {test['result']}, exit status {test['returncode']}")
    if (folder / f"{suite}.failed").exists() and failed == before:
        fail(f"{suite}: the suite as a whole, see its log above")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
