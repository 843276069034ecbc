#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The active side of a connection from a process without any RDMA device: REQ, RTU, DREQ as plain
UDP packets with an ICRC of its own. It shows that the lab's link to the host works.

    udppeer.py FROM TO PORT"""
import socket
import struct
import sys
import zlib

REQ, REJ, REP, RTU, DREQ, DREP = 0x10, 0x12, 0x13, 0x14, 0x15, 0x16
LOCAL_ID, QPN = 0x4C414232, 0x123457


def icrc(source, target, sport, body):
    """Over the packet as it leaves: no IP id, don't fragment; what routers change counts as ones."""
    length = 28 + len(body) + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0xFF, length, 0, 0x4000, 0xFF, 17, 0xFFFF,
                     socket.inet_aton(source), socket.inet_aton(target))
    udp = struct.pack(">HHHH", sport, 4791, length - 20, 0xFFFF)
    body = body[:4] + b"\xff" + body[5:]
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + body))


class Peer:
    def __init__(self, source, target):
        self.source, self.target, self.psn = source, target, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER: the IP id stays 0
        self.socket.bind((source, 4791))
        self.socket.settimeout(10)

    def send(self, attribute, message):
        mad = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x6C616221, attribute, 0, 0) + message.ljust(232, b"\0")
        bth = struct.pack(">BBHII", 0x64, 0, 0xFFFF, 1, self.psn) + struct.pack(">II", 0x80010000, 1)
        self.psn += 1
        body = bth + mad
        self.socket.sendto(body + icrc(self.source, self.target, 4791, body), (self.target, 4791))
        print(f"sent attribute {attribute:#x}", flush=True)

    def receive(self):
        while True:
            body = self.socket.recv(4096)
            if len(body) >= 280 and body[0] == 0x64 and body[21] == 7:
                attribute = struct.unpack_from(">H", body, 36)[0]
                print(f"received attribute {attribute:#x}", flush=True)
                return attribute, body[44:]


def request(source, target, port):
    gid = lambda address: bytes(10) + b"\xff\xff" + socket.inet_aton(address)
    message = struct.pack(">IIQQII", LOCAL_ID, 0, 0x1060000 + port, 0x4C414200000000FE, 0, 0)
    message += struct.pack(">II", QPN << 8 | 1, 1)
    message += bytes([0, 0, 0, 20 << 3 | 1]) + (0x765432).to_bytes(3, "big") + bytes([20 << 3 | 7])
    message += struct.pack(">HBBHH", 0xFFFF, 3 << 4 | 7, 15 << 4, 0xFFFF, 0xFFFF)
    message += gid(source) + gid(target) + bytes([0, 0, 0, 3, 0, 64, 0, 19 << 3])
    message = message.ljust(140, b"\0")
    return message + struct.pack(">BBH12x4s12x4s", 0, 0x40, 40001, socket.inet_aton(source), socket.inet_aton(target))


def main():
    source, target, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    peer = Peer(source, target)
    peer.send(REQ, request(source, target, port))
    attribute, body = peer.receive()
    if attribute != REP:
        return 3 if attribute == REJ else 1
    remote, qpn = body[:4], body[12:15]
    ours = struct.pack(">I", LOCAL_ID)
    peer.send(RTU, ours + remote)
    peer.socket.settimeout(0.5)
    try:
        peer.receive()
    except TimeoutError:
        pass
    peer.socket.settimeout(10)
    peer.send(DREQ, ours + remote + qpn)
    return 0 if peer.receive()[0] == DREP else 1


if __name__ == "__main__":
    sys.exit(main())
