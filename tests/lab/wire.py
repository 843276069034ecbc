#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""A role of a scenario that is a process of this host: a network namespace with a tap in it, linked
to the other role's socket as QEMU links its guests, captured on the way.

    unshare -n wire.py ROLE SHARE          in the run's folder; ROLE is client or server"""
import ctypes
import fcntl
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
NUMBER = {"server": 1, "client": 2}


def tap():
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, 0x400454CA, struct.pack("16sH22x", b"eth0", 0x1002))  # TUNSETIFF: tap, no header
    return fd


def link_up(number, mtu):
    # Before it is up: else the link-local address is tentative while roles start.
    for name in ("accept_dad", "router_solicitations"):
        with open(f"/proc/sys/net/ipv6/conf/eth0/{name}", "w", encoding="ascii") as file:
            file.write("0")
    for command in (
        "link set lo up", f"link set eth0 address 52:54:00:00:00:0{number}", f"link set eth0 mtu {mtu} up",
        f"addr add 10.0.0.{number}/24 dev eth0", f"addr add fd00::{number}/64 dev eth0 nodad",
    ):
        subprocess.run(["ip", *command.split()], check=True)


def mtu_of(share):
    """What the scenario says, in the file that the roles' shells read."""
    with open(os.path.join(share, "env"), encoding="utf-8") as file:
        return re.search(r"mtu=(\d+)", file.read()).group(1)


class Pcap:
    def __init__(self, path):
        self.file = open(path, "wb", buffering=0)
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65536, 1))

    def add(self, frame):
        now = time.time_ns() // 1000
        self.file.write(struct.pack("<IIII", now // 1000000, now % 1000000, len(frame), len(frame)) + frame)


def main():
    role, share = sys.argv[1:3]
    other = "client" if role == "server" else "server"
    link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    link.bind(f"{role}.sock")
    device = tap()
    link_up(NUMBER[role], mtu_of(share))
    pcap = Pcap(f"{role}.pcap")
    player = subprocess.Popen(
        ["bash", os.path.join(HERE, "host"), role], env={**os.environ, "LAB": share}, stdin=subprocess.DEVNULL,
        start_new_session=True, preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL),
    )

    def end(*_):
        try:
            os.killpg(player.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    while player.poll() is None:
        for ready in select.select([device, link], [], [], 0.1)[0]:
            if ready is link:
                frame = link.recv(65536)
                pcap.add(frame)
                os.write(device, frame)
            else:
                frame = os.read(device, 65536)
                pcap.add(frame)
                try:
                    link.sendto(frame, f"{other}.sock")
                except OSError:
                    pass  # nobody is there: lost on the wire
    end()


if __name__ == "__main__":
    main()
