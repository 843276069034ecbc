#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cut.py IN OUT snap N | skip N | reverse: a classic pcap whose frames are cut to N bytes, that
lacks its first N frames, or whose frames come in the opposite order."""
import struct
import sys

source, target, how = sys.argv[1:4]
data = open(source, "rb").read()
order = "<" if data[0] in (0xd4, 0x4d) else ">"
frames, at = [], 24
while at < len(data):
    sec, sub, have, wire = struct.unpack_from(order + "IIII", data, at)
    frames.append((sec, sub, data[at + 16:at + 16 + have], wire))
    at += 16 + have
if how == "snap":
    frames = [(sec, sub, body[:int(sys.argv[4])], wire) for sec, sub, body, wire in frames]
elif how == "skip":
    frames = frames[int(sys.argv[4]):]
else:
    frames.reverse()
with open(target, "wb") as out:
    out.write(data[:24])
    for sec, sub, body, wire in frames:
        out.write(struct.pack(order + "IIII", sec, sub, len(body), wire) + body)
