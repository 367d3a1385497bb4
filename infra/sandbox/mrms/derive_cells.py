"""The cells of a recorded MESH granule at or above a size, as the sandbox serves them again under another stamp.

    python3 derive_cells.py GRANULE.grib2.gz LEAST_TENTHS_MM > CELLS.json

An independent reading (Python's zlib alone, no code of the services): sections of GRIB2, the PNG of section 7, value = (R + X) / 10.
"""

import gzip
import json
import struct
import sys
import zlib

path, least = sys.argv[1], int(sys.argv[2])
message = gzip.open(path).read()
assert message[:4] == b"GRIB" and message[7] == 2 and message[-4:] == b"7777"
sections, at = {}, 16
while at < len(message) - 4:
    length, number = struct.unpack_from(">IB", message, at)
    sections[number] = message[at : at + length]
    at += length

columns, rows = struct.unpack_from(">II", sections[3], 30)
template, reference, e, d, bits = struct.unpack_from(">HfHHB", sections[5], 9)
assert (template, e, d, bits) == (41, 0, 1, 16)

png, idat, at = sections[7][5:], b"", 8
while at < len(png):
    length, kind = struct.unpack_from(">I4s", png, at)
    if kind == b"IHDR":
        assert struct.unpack_from(">IIBBBBB", png, at + 8) == (columns, rows, 16, 0, 0, 0, 0)
    if kind == b"IDAT":
        idat += png[at + 8 : at + 8 + length]
    at += length + 12
scan = zlib.decompress(idat)

pixel, stride = 2, columns * 2
before, cells = bytearray(stride), []
for row in range(rows):
    start = row * (stride + 1)
    method, line = scan[start], bytearray(scan[start + 1 : start + 1 + stride])
    if method == 1:
        for i in range(pixel, stride):
            line[i] = (line[i] + line[i - pixel]) & 255
    elif method == 2:
        for i in range(stride):
            line[i] = (line[i] + before[i]) & 255
    elif method == 3:
        for i in range(stride):
            left = line[i - pixel] if i >= pixel else 0
            line[i] = (line[i] + (left + before[i]) // 2) & 255
    elif method == 4:
        for i in range(stride):
            left, corner = (line[i - pixel], before[i - pixel]) if i >= pixel else (0, 0)
            up = before[i]
            p = left + up - corner
            to_left, to_up, to_corner = abs(p - left), abs(p - up), abs(p - corner)
            if to_left <= to_up and to_left <= to_corner:
                guess = left
            else:
                guess = up if to_up <= to_corner else corner
            line[i] = (line[i] + guess) & 255
    before = line
    for column, (value,) in enumerate(struct.iter_unpack(">H", line)):
        size = round(reference) + value
        if size >= least:
            cells.append([row * columns + column, size])

print('{\n  "cells": [')
print(",\n".join(f"    {json.dumps(cell)}" for cell in cells))
print("  ]\n}")
