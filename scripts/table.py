#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the C table that a meson list of words stands for.

    table.py HEADER TYPE TABLE PREFIX WORD...  >table.c

gives `const struct TYPE *const TABLE[]` of `&PREFIX_WORD`, ended by NULL; '-' in a word becomes '_'.
A new instrument, format or command is then one file and one word in its folder's meson.build.
"""
import sys

header, kind, name, prefix, *words = sys.argv[1:]
symbols = [f"{prefix}_{w.replace('-', '_')}" for w in words]
print("/* Made by scripts/table.py from the folder's meson.build: change the list there. */")
print(f'#include "{header}"\n')
for s in symbols:
    print(f"extern const struct {kind} {s};")
print(f"\nconst struct {kind} *const {name}[] = {{")
for s in symbols:
    print(f"\t&{s},")
print("\tNULL,\n};")
