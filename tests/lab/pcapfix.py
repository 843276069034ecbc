# SPDX-License-Identifier: BSD-2-Clause
"""Two captures of one run on one clock, and captures without the noise of a booting host."""
import hashlib
import struct

import story


def write(path, records):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65536, 1))
        for ns, frame in records:
            us = ns // 1000
            file.write(struct.pack("<IIII", us // 1000000, us % 1000000, len(frame), len(frame)) + frame)


def once(records):
    """Frames that a capture holds once: time by content."""
    times = {}
    for ns, frame in records:
        key = hashlib.sha256(frame).digest()
        times[key] = None if key in times else ns
    return {key: ns for key, ns in times.items() if ns is not None}


def shift_between(client, server):
    """What to add to the server's times: no frame arrives before it left. Each capture's clock
    starts at a whole second, so it can be off by more than any message takes."""
    at_server = once(server)
    low, high = [], []
    for ns, frame in client:
        other = at_server.get(hashlib.sha256(frame).digest())
        if other is not None:
            (low if frame[6:12] == story.CLIENT_MAC else high).append(ns - other)
    if not low or not high:
        return max(low) + 50000 if low else min(high) - 50000 if high else 0
    return (max(low) + min(high)) // 2


def align(client, server):
    """Move the server's capture onto the client's clock; the shift in ns."""
    ours, theirs = list(story.frames(client)), list(story.frames(server))
    shift = shift_between(ours, theirs)
    write(server, [(ns + shift, frame) for ns, frame in theirs])
    return shift


def is_noise(frame, keep):
    """What a host says when it comes up, and multicast membership."""
    packet = story.Packet(frame)
    if packet.proto == 2:
        return "igmp" not in keep
    if packet.ip != 6 or packet.udp or packet.tcp:
        return False
    if packet.proto == 0:  # hop-by-hop: MLD
        return "igmp" not in keep
    # router solicitation, or duplicate address detection
    return packet.proto == 58 and (packet.rest[0] in (133, 134, 143) or packet.src == bytes(16))


def trim(source, target, keep=""):
    write(target, [record for record in story.frames(source) if not is_noise(record[1], keep)])
