# SPDX-License-Identifier: GPL-2.0-or-later
"""Pixels of a PNG as rsvg-convert and pdftoppm write them: 8 bits, RGB or RGBA, not interlaced."""
import struct
import zlib


def _unfilter(kind, line, above, step):
    if kind == 2:
        return bytearray((a + b) & 255 for a, b in zip(line, above))
    for i in range(len(line)) if kind else ():
        left = line[i - step] if i >= step else 0
        up = above[i]
        if kind == 1:
            add = left
        elif kind == 3:
            add = (left + up) // 2
        else:
            corner = above[i - step] if i >= step else 0
            guess = left + up - corner
            add = min((left, up, corner), key=lambda v: abs(guess - v))
        line[i] = (line[i] + add) & 255
    return line


def read(data):
    """(width, height, rows): each row a list of (r, g, b)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert depth == 8 and kind in (2, 6) and not interlace
    packed, at = b"", 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    step = 4 if kind == 6 else 3
    raw, stride = zlib.decompress(packed), width * step
    above, rows = bytearray(stride), []
    for y in range(height):
        begin = y * (stride + 1)
        line = bytearray(raw[begin + 1:begin + 1 + stride])
        above = _unfilter(raw[begin], line, above, step)
        rows.append(list(zip(above[0::step], above[1::step], above[2::step])))
    return width, height, rows
