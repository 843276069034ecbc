# SPDX-License-Identifier: BSD-2-Clause
"""What a capture of the lab holds, as sorted lines of text without ids and times: two runs of a
scenario tell the same story. It shares no code with the product.

    cm 1x c>REQ s>REP c>RTU c>DREQ s>DREP      connections by their CM messages, copies included
    sidr 1x c>SIDR_REQ s>SIDR_REP:0
    mpa 1x c>SYN c>MPA_REQ:1:C s>MPA_REP:1:C c>FIN s>FIN
    rc c>s SEND_ONLY READ_REQUEST              opcodes of data, in the order of their numbers
    nak s RNR
    req mtu 1024 tos 0 hop 64 ...              what a REQ asked for
    text s>REJ:28:REQ denied                   private data that is text
    net ipv4 | ipv6 | link-local | vlan 5 | ecn 3 | arp client | icmp unreachable
"""
import re
import struct
from collections import Counter

CLIENT_MAC = bytes.fromhex("525400000002")
CM = {0x10: "REQ", 0x11: "MRA", 0x12: "REJ", 0x13: "REP", 0x14: "RTU", 0x15: "DREQ", 0x16: "DREP",
      0x17: "SIDR_REQ", 0x18: "SIDR_REP", 0x19: "LAP", 0x1A: "APR"}
WHAT = {0: "REQ", 1: "REP", 2: "other", 3: "?"}
MTU = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}
SERVICE = {0: "rc", 1: "uc", 2: "rd", 3: "ud", 5: "xrc"}
OPCODE = ("SEND_FIRST SEND_MIDDLE SEND_LAST SEND_LAST_IMM SEND_ONLY SEND_ONLY_IMM WRITE_FIRST WRITE_MIDDLE"
          " WRITE_LAST WRITE_LAST_IMM WRITE_ONLY WRITE_ONLY_IMM READ_REQUEST READ_RESP_FIRST READ_RESP_MIDDLE"
          " READ_RESP_LAST READ_RESP_ONLY ACK ATOMIC_ACK CMP_SWAP FETCH_ADD resync SEND_LAST_INV SEND_ONLY_INV").split()
NAK = {0: "SEQUENCE", 1: "INVALID_REQUEST", 2: "ACCESS", 3: "OPERATIONAL", 4: "INVALID_RD"}
RDMAP = ("WRITE READ_REQ READ_RESP SEND SEND_INV SEND_SE SEND_SE_INV TERMINATE IMM IMM_SE ATOMIC_REQ"
         " ATOMIC_RESP").split()


def frames(path):
    """(time in ns, bytes) of a pcap file."""
    with open(path, "rb") as file:
        head = file.read(24)
        if len(head) < 24:
            return
        order = "<" if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        scale = 1000 if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4") else 1
        while len(record := file.read(16)) == 16:
            sec, frac, have, _ = struct.unpack(order + "IIII", record)
            data = file.read(have)
            if len(data) < have:
                return
            yield sec * 1000000000 + frac * scale, data


class Packet:
    """Headers of one Ethernet frame up to UDP or TCP; absent ones are None."""

    def __init__(self, frame):
        self.side = "c" if frame[6:12] == CLIENT_MAC else "s"
        self.vlan = self.ip = self.udp = self.tcp = self.proto = None
        self.tos = 0
        kind, at = struct.unpack_from(">H", frame, 12)[0], 14
        if kind == 0x8100:
            self.vlan = struct.unpack_from(">H", frame, 14)[0] & 0xFFF
            kind, at = struct.unpack_from(">H", frame, 16)[0], 18
        self.kind, self.rest = kind, frame[at:]
        if kind == 0x0800 and len(frame) >= at + 20:
            self.ip, self.proto, self.tos = 4, frame[at + 9], frame[at + 1]
            end = at + struct.unpack_from(">H", frame, at + 2)[0]
            self.src, self.dst = frame[at + 12 : at + 16], frame[at + 16 : at + 20]
            at += (frame[at] & 15) * 4
        elif kind == 0x86DD and len(frame) >= at + 40:
            self.ip, self.proto = 6, frame[at + 6]
            self.tos = struct.unpack_from(">I", frame, at)[0] >> 20 & 0xFF
            end = at + 40 + struct.unpack_from(">H", frame, at + 4)[0]
            self.src, self.dst = frame[at + 8 : at + 24], frame[at + 24 : at + 40]
            at += 40
        else:
            return
        self.rest = frame[at:end]
        if self.proto == 17 and len(self.rest) >= 8:
            self.udp = struct.unpack_from(">HH", self.rest)
        elif self.proto == 6 and len(self.rest) >= 20:
            self.tcp = struct.unpack_from(">HH", self.rest)

    def roce(self):
        """BTH and what follows, without the ICRC."""
        return self.rest[8:-4] if self.udp and self.udp[1] == 4791 and len(self.rest) >= 24 else None

    def cm(self):
        """(attribute, modifier, the 232 bytes of the message) of a CM MAD."""
        body = self.roce()
        if not body or body[0] != 0x64 or body[5:8] != b"\0\0\1" or len(body) < 20 + 256:
            return None
        mad = body[20:]
        if mad[1] != 7 or mad[3] != 3:
            return None
        return struct.unpack_from(">H", mad, 16)[0], struct.unpack_from(">I", mad, 20)[0], mad[24:256]


class Story:
    def __init__(self, path=None):
        self.conns, self.facts, self.flows, self.tcp, self.order = [], set(), {}, {}, []
        for _, frame in frames(path) if path else ():
            self.feed(frame)

    # -- frames
    def feed(self, frame):
        packet = Packet(frame)
        if packet.kind == 0x0806:
            if packet.rest[7] == 1:
                self.facts.add("net arp from " + ("client" if packet.side == "c" else "server"))
        elif packet.proto == 1 and packet.rest[:2] == b"\x03\x03":
            self.facts.add("net icmp port unreachable")
        elif packet.proto == 2:
            self.facts.add("net igmp")
        if packet.roce():
            self.network(packet)
            self.rdma(packet, packet.roce())
        elif packet.tcp:
            self.stream(packet)

    def network(self, packet):
        self.facts.add(f"net ipv{packet.ip}")
        if packet.ip == 6 and packet.src[:2] == b"\xfe\x80":
            self.facts.add("net link-local")
        if packet.vlan is not None:
            self.facts.add(f"net vlan {packet.vlan}")
        if packet.tos & 3:
            self.facts.add(f"net ecn {packet.tos & 3}")
        if packet.tos & 0xFC:
            self.facts.add(f"net tos {packet.tos & 0xFC:#04x} from {packet.side}")
        if packet.dst[0] == 0xFF or 224 <= packet.dst[0] < 240 and packet.ip == 4:
            self.facts.add("net multicast")

    def rdma(self, packet, body):
        message = packet.cm()
        if message:
            self.message(packet, *message)
            return
        service = "rc uc rd ud".split()[body[0] >> 5] if body[0] < 0x80 else f"opcode{body[0]:02x}"
        if body[0] == 0x81:
            self.facts.add(f"net cnp from {packet.side}")
            return
        name = OPCODE[body[0] & 31] if body[0] & 31 < len(OPCODE) else hex(body[0])
        way = "c>s" if packet.side == "c" else "s>c"
        self.flows.setdefault(f"{service} {way}", {})[body[0] & 31] = name
        if name == "ACK":
            syndrome = body[12]
            if syndrome >> 5 == 1:
                self.facts.add(f"nak {packet.side} RNR")
            elif syndrome >> 5 == 3:
                self.facts.add(f"nak {packet.side} {NAK.get(syndrome & 31, syndrome & 31)}")

    # -- CM
    def message(self, packet, attr, modifier, body):
        name, side = CM.get(attr, hex(attr)), packet.side
        local, remote = struct.unpack_from(">II", body)
        token, private = name, b""
        if name == "REQ":
            self.request(side, modifier, body)
            service = struct.unpack_from(">Q", body, 8)[0]
            private = body[140 + (36 if service >> 24 == 1 else 0) :]
        elif name == "MRA":
            token = f"MRA:{WHAT[body[8] >> 6]}"
        elif name == "REJ":
            reason = struct.unpack_from(">H", body, 10)[0]
            token, private = f"REJ:{reason}:{WHAT[body[8] >> 6]}", body[84:]
            if reason in (8, 10):
                local = 0
        elif name == "REP":
            private = body[36:]
            vendor = body[15] << 16 | body[19] << 8 | body[23]
            if vendor or modifier:
                self.facts.add(f"ece {side}>REP {vendor:x}/{modifier:x}")
        elif name.startswith("SIDR"):
            remote = 0
            if name == "SIDR_REP":
                token, private = f"SIDR_REP:{body[4]}", body[96:]
        text = re.match(rb"[ -~]{4,}", private)
        if text:
            self.facts.add(f"text {side}>{token} {text.group().decode()}")
        self.conn(name, side, local, remote)["tokens"].append(f"{side}>{token}")

    def conn(self, name, side, local, remote):
        other = "s" if side == "c" else "c"
        kind = "sidr" if name.startswith("SIDR") else "cm"
        ids = {("c" if kind == "sidr" else side, local)} if local else set()
        ids |= {(other, remote)} if remote else set()
        for conn in reversed(self.conns):
            if conn["kind"] == kind and conn["ids"] & ids:
                conn["ids"] |= ids
                return conn
        self.conns.append({"kind": kind, "ids": ids, "tokens": []})
        return self.conns[-1]

    def request(self, side, modifier, body):
        vendor = int.from_bytes(body[5:8], "big")
        if vendor or modifier:
            self.facts.add(f"ece {side}>REQ {vendor:x}/{modifier:x}")
        service = SERVICE.get((body[43] >> 1 & 3) + (2 if body[43] >> 1 & 3 == 3 else 0), "?")
        self.facts.add(
            f"req {service} mtu {MTU.get(body[50] >> 4, '?')} tos {body[92]} hop {body[93]} retry {body[47] & 7}"
            f" rnr {body[50] & 7} ack timeout {body[95] >> 3} rr {body[35]} depth {body[39]} srq {body[51] >> 3 & 1}"
        )

    # -- TCP: MPA connections and what else talks
    def stream(self, packet):
        ports = tuple(sorted(packet.tcp))
        end = 0 if packet.side == "c" else 1
        sequence, flags = struct.unpack_from(">I", packet.rest, 4)[0], packet.rest[13]
        payload = packet.rest[(packet.rest[12] >> 4) * 4 :]
        conn = self.tcp.setdefault(ports, {"tokens": [], "next": [None, None], "data": [b"", b""], "mpa": [0, 0]})
        if flags & 2 and not flags & 16 and conn["next"][end] not in (None, sequence + 1):
            # the ports come again
            self.order.append(conn)
            conn = self.tcp[ports] = {"tokens": [], "next": [None, None], "data": [b"", b""], "mpa": [0, 0]}
        if flags & 2:
            if conn["next"][end] is None and not flags & 16:
                conn["tokens"].append(f"{packet.side}>SYN")
            conn["next"][end] = sequence + 1
        if payload and conn["next"][end] in (None, sequence):
            conn["next"][end] = sequence + len(payload) & 0xFFFFFFFF
            conn["data"][end] += payload
            self.mpa(conn, end, packet.side)
        for bit, name in ((1, "FIN"), (4, "RST")):
            token = f"{packet.side}>{name}"
            if flags & bit and token not in conn["tokens"]:
                conn["tokens"].append(token)

    def mpa(self, conn, end, side):
        data = conn["data"][end]
        if not conn["mpa"][end]:
            if len(data) < 20:
                return
            if data[:16] not in (b"MPA ID Req Frame", b"MPA ID Rep Frame"):
                conn["mpa"][end] = -1
                return
            flags, rev, length = data[16], data[17], struct.unpack_from(">H", data, 18)[0]
            if len(data) < 20 + length:
                return
            bits = "".join(c for c, bit in (("M", 0x80), ("C", 0x40), ("R", 0x20), ("S", 0x10)) if flags & bit)
            token = f"{side}>MPA_{'REQ' if data[7:10] == b'Req' else 'REP'}:{rev}:{bits or '-'}"
            conn["tokens"].append(token)
            text = re.search(rb"[ -~]{4,}", data[20 : 20 + length])
            if text:
                self.facts.add(f"text {token} {text.group().decode()}")
            conn["mpa"][end] = 1
            conn["markers"] = conn.get("markers", False) or bool(flags & 0x80)
            data = conn["data"][end] = data[20 + length :]
        while conn["mpa"][end] == 1 and not conn["markers"] and len(data) >= 2:
            length = struct.unpack_from(">H", data)[0]
            total = (2 + length + 3) // 4 * 4 + 4
            if len(data) < total:
                break
            if length >= 2:
                opcode = data[3] & 15
                name = RDMAP[opcode] if opcode < len(RDMAP) else hex(opcode)
                self.flows.setdefault("ddp " + ("c>s" if side == "c" else "s>c"), {})[opcode] = name
                if name == "TERMINATE":
                    conn["tokens"].append(f"{side}>TERMINATE")
            data = data[total:]
        conn["data"][end] = data

    # -- the text
    def lines(self):
        made = Counter(f"{conn['kind']} %dx " + " ".join(conn["tokens"]) for conn in self.conns)
        for ports, conn in [*self.tcp.items(), *((None, conn) for conn in self.order)]:
            if any("MPA" in token for token in conn["tokens"]) or ports and 7174 in ports:
                # who of two that close at once comes first is chance
                tokens = " ".join(conn["tokens"]).replace("s>FIN c>FIN", "c>FIN s>FIN")
                made["mpa %dx " + tokens] += 1
            elif ports and 18515 in ports:
                self.facts.add("net tcp 18515")
        flows = {f"{flow} {' '.join(names[number] for number in sorted(names))}" for flow, names in self.flows.items()}
        return sorted(text % count for text, count in made.items()) + sorted(flows | self.facts)

    def outcomes(self):
        """How each connection went, whatever was repeated: what runs with random loss have in common."""
        made = Counter()
        for conn in self.conns:
            words = {token.split(">")[1].split(":")[0] for token in conn["tokens"]}
            said = [text for word, text in (("RTU", "established"), ("REJ", "refused"), ("DREQ", "closed"),
                                            ("SIDR_REP", "resolved")) if word in words]
            made[f"{conn['kind']} %dx " + (" ".join(said) or "unanswered")] += 1
        return sorted(text % count for text, count in made.items())


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:
        print("\n".join(Story(name).lines()))
