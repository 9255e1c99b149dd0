#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Add up junit XML files: names what failed and what was skipped and why, then one closing line.

Exit status 1 when a case failed or there was none at all.
"""
import os
import sys
import xml.etree.ElementTree as ET

passed = failed = skipped = 0
for path in sys.argv[1:]:
    suite = os.path.basename(path).removesuffix(".xml")
    for case in ET.parse(path).iter("testcase"):
        name = f"{suite}: {case.get('classname') or ''} {case.get('name') or ''}"
        bad = case.find("failure")
        bad = case.find("error") if bad is None else bad
        skip = case.find("skipped")
        if bad is not None:
            failed += 1
            print(f"FAILED {name}", file=sys.stderr)
        elif skip is not None:
            skipped += 1
            print(f"skipped {name}: {skip.get('message') or skip.text or 'no reason given'}",
                  file=sys.stderr)
        else:
            passed += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
