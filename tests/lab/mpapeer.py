#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""iWARP as no Linux kernel sends it, between two plain TCP processes that follow the same script:
markers, MPA revision 1, TERMINATE of all layers, an RTR that was not agreed upon.

    mpapeer.py client|server ADDRESS NAME...      a connection for each name, in order"""
import socket
import struct
import sys

PORT = 7174
M, C, R, S = 0x80, 0x40, 0x20, 0x10
P2P, RTR_SEND, RTR_WRITE, RTR_READ = 0x8000, 0x4000, 0x8000, 0x4000


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


# ---- frames: functions of the sender's stream ------------------------------------------------


def start(key, flags, rev, private):
    return lambda stream: b"MPA ID " + key + b" Frame" + struct.pack(">BBH", flags, rev, len(private)) + private


def request(flags=0, rev=1, private=b""):
    return start(b"Req", flags, rev, private)


def reply(flags=0, rev=1, private=b""):
    return start(b"Rep", flags, rev, private)


def enhanced(ird, ord_, private=b""):
    return struct.pack(">HH", ird, ord_) + private


class Stream:
    """One direction after the start frames."""

    def __init__(self):
        self.markers = self.crc = False
        self.at = 0

    def fpdu(self, ulpdu):
        body = struct.pack(">H", len(ulpdu)) + ulpdu
        body += b"\0" * (-len(body) % 4)
        out, first = b"", None
        for i in range(0, len(body) + 4, 4):
            if self.markers and self.at % 512 == 0:
                back = 0 if first is None else self.at - first
                out += struct.pack(">HH", 0, back)
                self.at += 4
            first = self.at if first is None else first
            out += body[i : i + 4] if i < len(body) else (crc32c(out) if self.crc else bytes(4))
            self.at += 4
        return out


def untagged(opcode, queue, msn, payload, word=0):
    return lambda stream: stream.fpdu(struct.pack(">BBIIII", 0x41, 0x40 | opcode, word, queue, msn, 0) + payload)


def tagged(opcode, payload, stag=0x1234, offset=0x1000):
    return lambda stream: stream.fpdu(struct.pack(">BBIQ", 0xC1, 0x40 | opcode, stag, offset) + payload)


def send(size, msn=1):
    return untagged(3, 0, msn, bytes(i & 0xFF for i in range(size)))


def read_request(size, msn=1):
    return untagged(1, 1, msn, struct.pack(">IQIIQ", 0x55, 0x2000, size, 0x1234, 0x1000))


def terminate(layer, etype, code, header=b""):
    """header: what went wrong, as the DDP header of it."""
    word = layer << 28 | etype << 24 | code << 16 | (0xC000 if header else 0)
    body = struct.pack(">I", word) + (struct.pack(">H", len(header)) + header if header else b"")
    return untagged(7, 2, 1, body)


def wrong_crc(frame):
    return lambda stream: (lambda good: good[:-4] + bytes(4))(frame(stream))


def raw(data):
    return lambda stream: data


CLOSE, RESET = "close", "reset"
BAD_WRITE = struct.pack(">BBIQ", 0xC1, 0x40, 0xBAD, 0)

# A list of (who, frame), or (who, CLOSE).
SCRIPTS = {
    "markers": [("c", request(M | C, 1, b"hello")), ("s", reply(M | C, 1, b"welcome")), ("c", send(600)),
                ("s", send(1200)), ("c", tagged(0, bytes(300))), ("c", send(8, 2)), ("c", CLOSE)],
    "markers-one-way": [("c", request(C)), ("s", reply(M | C)), ("c", send(900)), ("s", send(900)), ("c", CLOSE)],
    "rev1-crc": [("c", request(C, 1, b"hello")), ("s", reply(C)), ("c", send(64)), ("s", send(64)),
                 ("c", read_request(16)), ("s", tagged(2, bytes(16), 0x55, 0x2000)), ("c", CLOSE)],
    "rev1": [("c", request()), ("s", reply()), ("c", send(61)), ("s", send(62)), ("s", CLOSE)],
    "rev1-reject": [("c", request(C, 1, b"hello")), ("s", reply(R | C, 1, b"no thanks")), ("s", CLOSE)],
    "rev2-plain": [("c", request(C, 2)), ("s", reply(C, 2)), ("c", send(16)), ("c", CLOSE)],
    "crc-mismatch": [("c", request(0)), ("s", reply(R | C)), ("s", CLOSE)],
    "rev-mismatch": [("c", request(S, 2, enhanced(1, 1))), ("s", reply(R, 1)), ("s", CLOSE)],
    "rtr-send": [("c", request(S | C, 2, enhanced(P2P | RTR_SEND | 4, RTR_WRITE | RTR_READ | 4))),
                 ("s", reply(S | C, 2, enhanced(P2P | RTR_SEND | 4, 4))), ("c", send(0)), ("s", send(32)), ("c", CLOSE)],
    "rtr-read": [("c", request(S | C, 2, enhanced(P2P | RTR_SEND | 4, RTR_READ | 4))),
                 ("s", reply(S | C, 2, enhanced(P2P | 4, RTR_READ | 4))), ("c", read_request(0)),
                 ("s", tagged(2, b"", 0x55, 0x2000)), ("s", send(32)), ("c", CLOSE)],
    # agreed: write; comes: send
    "rtr-other": [("c", request(S | C, 2, enhanced(P2P | RTR_SEND | 1, RTR_WRITE | 1))),
                  ("s", reply(S | C, 2, enhanced(P2P | 1, RTR_WRITE | 1))), ("c", send(0)),
                  ("s", terminate(2, 0, 7)), ("s", CLOSE)],
    # nothing in common
    "rtr-none": [("c", request(S | C, 2, enhanced(P2P | 1, RTR_READ | 1))),
                 ("s", reply(S | C, 2, enhanced(P2P | RTR_SEND | 1, 1))), ("c", terminate(2, 0, 7)), ("c", CLOSE)],
    "ird-short": [("c", request(S | C, 2, enhanced(8, 8))), ("s", reply(S | C, 2, enhanced(2, 16))),
                  ("c", terminate(2, 0, 6)), ("c", CLOSE)],
    "term-stag": [("c", request(C)), ("s", reply(C)), ("c", tagged(0, bytes(32), 0xBAD, 0)),
                  ("s", terminate(1, 1, 0, BAD_WRITE)), ("s", CLOSE)],
    "term-buffer": [("c", request(C)), ("s", reply(C)), ("c", send(32)), ("s", terminate(1, 2, 2)), ("s", CLOSE)],
    "term-access": [("c", request(C)), ("s", reply(C)), ("c", read_request(64)), ("s", terminate(0, 1, 2)), ("s", CLOSE)],
    "term-opcode": [("c", request(C)), ("s", reply(C)), ("c", untagged(15, 0, 1, bytes(8))), ("s", terminate(0, 2, 6)),
                    ("s", CLOSE)],
    "term-crc": [("c", request(C)), ("s", reply(C)), ("c", wrong_crc(send(32))), ("s", terminate(2, 0, 2)), ("s", CLOSE)],
    # layer and type in host order, as Linux' siw writes them
    "term-swapped": [("c", request(C)), ("s", reply(C)), ("c", send(32)),
                     ("s", untagged(7, 2, 1, struct.pack(">I", 0x21020000))), ("s", CLOSE)],
    "no-reply": [("c", request(C)), ("s", CLOSE)],
    "reset": [("c", request(C)), ("s", RESET)],
    "not-mpa": [("c", raw(b"GET / HTTP/1.0\r\n\r\n")), ("s", CLOSE)],
}


def receive(peer, count):
    while count:
        data = peer.recv(count)
        if not data:
            return
        count -= len(data)


def play(me, peer, steps):
    streams = {"c": Stream(), "s": Stream()}
    for who, frame in steps:
        if frame in (CLOSE, RESET):
            if who == me:
                if frame == RESET:
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    break
                peer.shutdown(socket.SHUT_WR)
            try:
                peer.recv(1)
            except ConnectionResetError:
                pass
            break
        data = frame(streams[who])
        if data[:7] == b"MPA ID ":
            # markers are in what is sent to the side that asked for them
            streams["s" if who == "c" else "c"].markers = bool(data[16] & M)
            for stream in streams.values():
                stream.crc |= bool(data[16] & C)
        if who == me:
            peer.sendall(data)
        else:
            receive(peer, len(data))
    peer.close()


def main():
    me, address, names = sys.argv[1][0], sys.argv[2], sys.argv[3:]
    if me == "s":
        listener = socket.create_server((address, PORT))
    for name in names:
        print(name, flush=True)
        if me == "s":
            peer = listener.accept()[0]
        else:
            peer = socket.create_connection((address, PORT), 10)
        peer.settimeout(10)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        play(me, peer, SCRIPTS[name])


if __name__ == "__main__":
    main()
