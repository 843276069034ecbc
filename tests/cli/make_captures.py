#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Odd captures out of a good one, for the tests of the program: make_captures.py GOOD.pcap DIR.

The bytes are put together here by hand, and not by the program or its libraries, so that the tests
do not share their mistakes.
"""
import gzip
import os
import struct
import sys

good, out = sys.argv[1:3]
data = open(good, "rb").read()


def records():
    at = 24
    while at < len(data):
        sec, usec, have, wire = struct.unpack("<IIII", data[at:at + 16])
        yield sec, usec, data[at + 16:at + 16 + have], wire
        at += 16 + have


def header(link=1, snaplen=262144, magic=0xA1B2C3D4, order="<"):
    return struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)


def record(sec, frac, packet, wire=None, order="<"):
    return struct.pack(order + "IIII", sec, frac, len(packet),
                       len(packet) if wire is None else wire) + packet


def write(name, *parts):
    with open(os.path.join(out, name), "wb") as f:
        f.write(b"".join(parts))


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


SECTION = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(link, digits=6):
    return block(1, struct.pack("<HHI", link, 0, 0) + struct.pack("<HHB3xI", 9, 1, digits, 0))


def enhanced(iface, sec, usec, packet, digits=6):
    stamp = sec * 10 ** digits + usec * 10 ** (digits - 6)
    return block(6, struct.pack("<IIIII", iface, stamp >> 32, stamp & 0xFFFFFFFF, len(packet),
                                len(packet)) + packet)


def is_roce(packet):
    return (len(packet) > 54 and packet[12:14] == b"\x08\x00" and packet[23] == 17 and
            packet[36:38] == b"\x12\xb7")


def native(packet):
    """The same transport packet behind an LRH: LIDs are the last bytes of the IPv4 addresses."""
    bth = packet[42:14 + struct.unpack(">H", packet[16:18])[0]]
    lrh = struct.pack(">BBHHH", 0, 2, packet[33], (8 + len(bth)) // 4, packet[29])
    return lrh + bth + b"\0\0"


def erf(sec, usec, packet):
    stamp = sec << 32 | usec * 2 ** 32 // 1000000
    return (struct.pack("<Q", stamp) + struct.pack(">BBHHH", 21, 4, 16 + len(packet), 0, len(packet)) +
            packet)


packets = list(records())
roce = [(s, u, p) for s, u, p, _ in packets if is_roce(p)]
plain = [record(s, u, p, w) for s, u, p, w in packets]

# Damaged and strange files.
write("cut-record.pcap", data[:5000])
write("cut-first.pcap", data[:30])
write("cut-header.pcap", data[:10])
write("garbage.pcap", data[:24], bytes(i * 37 + 11 & 255 for i in range(3000)))
write("garbage-later.pcap", data[:5000], b"\xff" * 3000)
write("huge.pcap", header(), struct.pack("<IIII", 1, 0, 0x7FFFFFFF, 0x7FFFFFFF), b"x" * 100)
write("empty.pcap")
write("text.pcap", b"this is not a capture\n")
write("json.pcap", b'{"type":"header"}\n')
write("bytes.pcap", bytes(i * 91 + 64 & 255 for i in range(999)))
write("no-packets.pcap", header())
write("no-rdma.pcap", header(), *plain[:16])
write("link-999.pcap", header(999), *plain)
write("link-105.pcap", header(105), *plain)
write("caplen.pcap", header(), *[record(s, u, p, max(1, w - 20)) for s, u, p, w in packets])
write("snaplen-0.pcap", header(snaplen=0), *plain)
write("snaplen-max.pcap", header(snaplen=0xFFFFFFFF), *plain)
write("snaplen-wrong.pcap", header(snaplen=96), *plain)
write("snaplen-96.pcap", header(snaplen=96), *[record(s, u, p[:96], w) for s, u, p, w in packets])
write("back.pcap", header(), *[record(s - 2 * i, u, p, w) for i, (s, u, p, w) in enumerate(packets)])
write("big-endian.pcap", header(order=">"), *[record(s, u, p, w, ">") for s, u, p, w in packets])
write("nanoseconds.pcap", header(magic=0xA1B23C4D),
      *[record(s, u * 1000 + 7, p, w) for s, u, p, w in packets])
# Each CM message of the good one, cut at every length.
write("every-length.pcap", header(),
      *[record(s, u, p[:n], w) for s, u, p, w in packets if is_roce(p) and w == 322
        for n in range(0, 323)])
write("one-byte-short.pcap.gz", gzip.compress(data)[:-200])
# Bits turned, in a way that is always the same: nothing may crash.
noise = bytearray(data)
for at in range(24, len(noise), 97):
    noise[at] ^= at * 31 & 255
write("noise.pcap", bytes(noise))

# Other links, formats and kinds of interface.
write("ib.pcap", header(247), *[record(s, u, native(p)) for s, u, p in roce])
write("erf.pcap", header(197), *[record(s, u, erf(s, u, native(p))) for s, u, p in roce])
write("native.erf", *[erf(s, u, native(p)) for s, u, p in roce])
write("ib.pcapng", SECTION, interface(247), *[enhanced(0, s, u, native(p)) for s, u, p in roce])
write("raw.pcap", header(101), *[record(s, u, p[14:]) for s, u, p in roce])
write("sll.pcap", header(113),
      *[record(s, u, b"\0\0\0\1\0\6" + p[6:12] + b"\0\0" + p[12:]) for s, u, p in roce])
write("vlans.pcap", header(),
      *[record(s, u, p[:12] + b"\x88\xa8\0\7\x81\0\0\x09" + p[12:]) for s, u, p in roce])
write("loop.pcap", header(0), *[record(s, u, struct.pack("<I", 2) + p[14:]) for s, u, p in roce])
write("two-links.pcapng", SECTION, interface(1), interface(220), interface(101, 9),
      *[enhanced(2, s, u, p[14:], 9) if is_roce(p) and n % 2 else enhanced(0, s, u, p)
        for n, (s, u, p, _) in enumerate(packets)],
      enhanced(1, packets[-1][0] + 1, 0, b"usb" * 20))
write("usb.pcapng", SECTION, interface(220), enhanced(0, 1, 2, b"x" * 50))
write("no-times.pcapng", SECTION, interface(1),
      *[block(3, struct.pack("<I", len(p)) + p) for _, _, p, _ in packets])
# One file in two halves, and one direction a file.
half = len(packets) // 2
write("half-1.pcap", header(), *plain[:half])
write("half-2.pcap", header(), *plain[half:])
write("from-1.pcap", header(), *[record(s, u, p) for s, u, p in roce if p[29] == 1])
write("from-2.pcap", header(), *[record(s, u, p) for s, u, p in roce if p[29] == 2])
# Data without its set-up and without the first acknowledgement: each direction begins as a
# connection of its own, and they turn out to be one.
write("late-pair.pcap", header(), *[record(s, u, p, w) for s, u, p, w in packets[19:20] + packets[21:79]])
# RoCEv2 on another UDP port.
write("port-5000.pcap", header(),
      *[record(s, u, p[:36] + struct.pack(">H", 5000) + p[38:]) for s, u, p in roce])
