#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Keep the include rules: calls go down, and what a folder may know is said in one table.

    layers.py SOURCE-ROOT

First shows on made-up trees that each kind of violation is found, then checks the real one. TAP.

A quoted include means the file beside the includer, else one of that name in a folder that may be
included; it breaks a rule when only other folders have it. Folders below (formats/, instruments/,
verbs/) belong to the one above.
"""
import pathlib
import re
import sys
import tempfile

# Folder -> folders it may include, besides itself. "service" is main.c and daemon.c, which tie all together.
LAYERS = {
    "service/core": set(),
    "service/device": {"core"},
    "service/store": {"core"},
    "service/statistics": {"core"},
    "service/import": {"core"},
    "service/report": {"core", "statistics"},
    "service/measure": {"core"},
    "service/load": {"core"},
    "service/generator": {"core"},
    "service/session": {"core", "device", "store", "statistics"},
    "service/bus": {"core", "device", "store", "statistics", "import", "report", "session"},
    "service": {"core", "device", "store", "report", "session", "bus"},
    "client": {"core"},
}
# Library header -> the only folders that may include it. Absent folders in the tuple: nobody.
LIBRARIES = {
    r"sqlite3\.h": ("service/store",),
    r"systemd/sd-bus.*\.h": ("service/bus", "service", "client"),
    r"libudev\.h": ("service/device",),
    r"gsl/.*": ("service/statistics",),
    r"(gio/.*|glib-object\.h|gmodule\.h)": (),
}
# The kernel module's interface -> the only folders that may include it.
INTERFACES = {"lrtbf-ioctl.h": ("service/measure",)}
GENERATED = {"config.h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def layer_of(path):
    """The folder of LAYERS that a file (relative to the root) belongs to."""
    parts = path.parts
    if parts[0] == "service" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def broken_quoted(root, path, name, holders):
    layer = layer_of(path)
    beside = (root / path.parent / name).resolve()
    if beside.is_file():
        owner = layer_of(beside.relative_to(root.resolve()))
        owners = {owner}
    else:
        owners = holders.get(name.rsplit("/", 1)[-1], set())
    allowed = {layer} | {f"service/{n}" for n in LAYERS[layer]}
    if owners & allowed or (not owners and name in GENERATED):
        return None
    if not owners and name in INTERFACES:
        return None if layer in INTERFACES[name] else f'{path}: {layer} may not include "{name}"'
    if not owners:
        return f'{path}: "{name}" is in no folder'
    return f'{path}: {layer} may not include "{name}" of {", ".join(sorted(owners))}'


def broken_library(path, name):
    layer = layer_of(path)
    for pattern, folders in LIBRARIES.items():
        if re.fullmatch(pattern, name) and layer not in folders:
            return f"{path}: {layer} may not include <{name}>"
    return None


def check(root):
    """All violations below @root, as sentences, and the number of files looked at."""
    root = pathlib.Path(root)
    files = sorted(p.relative_to(root) for top in ("service", "client")
                   for p in (root / top).rglob("*.[ch]"))
    holders = {}
    for path in files:
        if path.suffix == ".h":
            holders.setdefault(path.name, set()).add(layer_of(path))
    found = []
    for path in files:
        if layer_of(path) not in LAYERS:
            found.append(f"{path}: no rule for this folder, see LAYERS in tests/layers.py")
            continue
        for kind, name in INCLUDE.findall((root / path).read_text()):
            broken = (broken_quoted(root, path, name, holders) if kind == '"' else None) or \
                broken_library(path, name)
            if broken:
                found.append(broken)
    return found, len(files)


# A file, what it includes, and whether that breaks a rule.
CASES = [
    ("service/core/a.c", '"config.h"', False),
    ("service/core/a.c", '"nowhere.h"', True),
    ("service/core/a.c", '"store.h"', True),
    ("service/core/a.c", "<systemd/sd-bus.h>", True),
    ("service/core/a.c", "<glib.h>", False),
    ("service/core/a.c", "<gio/gio.h>", True),
    ("service/store/a.c", '"core.h"', False),
    ("service/store/a.c", "<sqlite3.h>", False),
    ("service/store/a.c", '"session.h"', True),
    ("service/report/a.c", '"store.h"', True),
    ("service/report/formats/a.c", '"report.h"', False),
    ("service/report/formats/a.c", '"session.h"', True),
    ("service/measure/a.c", '"../core/core.h"', False),
    ("service/measure/a.c", '"../session/session.h"', True),
    ("service/measure/instruments/a.c", '"store.h"', True),
    ("service/measure/a.h", '"bus.h"', True),
    ("service/measure/a.c", '"lrtbf-ioctl.h"', False),
    ("service/core/a.c", '"lrtbf-ioctl.h"', True),
    ("service/load/a.c", '"measure.h"', True),
    ("service/session/a.c", '"store.h"', False),
    ("service/session/a.c", '"bus.h"', True),
    ("service/session/a.c", '"report.h"', True),
    ("service/session/a.c", "<sqlite3.h>", True),
    ("service/session/a.c", '"sqlite3.h"', True),
    ("service/bus/a.c", '"session.h"', False),
    ("service/bus/a.c", '"daemon.h"', True),
    ("service/bus/a.c", '"measure.h"', True),
    ("service/daemon.c", '"bus.h"', False),
    ("service/daemon.c", "<sqlite3.h>", True),
    ("client/a.c", '"core.h"', False),
    ("client/verbs/a.c", '"client.h"', False),
    ("client/verbs/a.c", '"store.h"', True),
    ("client/a.c", '"service/session/session.h"', True),
    ("service/surprise/a.c", "<stdio.h>", True),
]


def found_in_made_up_tree(path, include):
    with tempfile.TemporaryDirectory() as tmp:
        root = pathlib.Path(tmp)
        headers = [f"service/{n}/{n}.h" for n in
                   ("core", "store", "report", "measure", "load", "session", "bus")]
        for name in headers + ["service/daemon.h", "client/client.h", path]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("#pragma once\n")
        (root / path).write_text(f"/* #include of things */\n#include <stdio.h>\n # include {include}\n")
        return check(root)[0]


def main():
    print(f"1..{len(CASES) + 1}")
    failed = 0
    for n, (path, include, breaks) in enumerate(CASES, 1):
        found = found_in_made_up_tree(path, include)
        good = len(found) == (1 if breaks else 0) and all(path in text for text in found)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {n} - {path} includes {include}: "
              f"{'refused' if breaks else 'fine'}")
    found, files = check(sys.argv[1])
    good = not found and files > 50
    failed += not good
    for text in found:
        print(f"# {text}")
    print(f"{'ok' if good else 'not ok'} {len(CASES) + 1} - {files} files keep the rules")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
