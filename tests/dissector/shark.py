# SPDX-License-Identifier: BSD-2-Clause
"""Run Wireshark's programs with the plugin, and read what they print."""
import datetime
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
AS_USER = os.path.join(HERE, "as-user")


def run(plugin, *argv, check=True, **kwargs):
    """A program's output as text; plugin is the .so or "none". Ends the test when it fails."""
    done = subprocess.run([AS_USER, plugin, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)
    if check and done.returncode:
        sys.exit("%s ended with %d:\n%s" % (" ".join(argv), done.returncode, done.stderr.decode()[-2000:]))
    return done.stdout.decode("utf-8", "replace")


class Node:
    """One item of our tree: name ("" for a text), what it shows, what its label says."""

    def __init__(self, element):
        self.name = element.get("name", "")
        self.show = element.get("show", "")
        self.label = element.get("showname") or self.show
        self.size = int(element.get("size") or 0)
        self.pos = int(element.get("pos") or 0)
        self.children = [Node(e) for e in element]

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def find(self, name):
        return [n for n in self.walk() if n.name == name]

    def first(self, name):
        found = self.find(name)
        return found[0].show if found else None


def trees(plugin, capture, *args):
    """Our tree of each frame that has one, by frame number: PDML of tshark."""
    text = run(plugin, "tshark", "-r", capture, "-T", "pdml", *args)
    out = {}
    for packet in ET.fromstring(text).iter("packet"):
        number = None
        for field in packet.iter("field"):
            if field.get("name") == "num":
                number = int(field.get("show"))
                break
        for proto in packet.findall("proto"):
            if proto.get("name") == "rdmacm":
                if number in out:
                    sys.exit("%s: frame %d has our tree twice" % (capture, number))
                out[number] = Node(proto)
    return out


def columns(plugin, capture, *args):
    """The packet list as lines."""
    return run(plugin, "tshark", "-r", capture, *args).splitlines()


def fields(plugin):
    """Registered names of ours: {name: (type, label)}; protocols left out."""
    out = {}
    for line in run(plugin, "tshark", "-G", "fields").splitlines():
        parts = line.split("\t")
        if parts[0] == "F" and (parts[2].startswith("rdmacm.") or parts[2] == "rdmacm"):
            out[parts[2]] = (parts[3], parts[1])
    return out


def ns_of(show):
    """A duration as tshark shows it, in ns."""
    match = re.fullmatch(r"(-?)(\d+)(?:\.(\d{1,9}))?", show)
    if not match:
        raise ValueError("no duration: " + show)
    sign, whole, part = match.groups()
    ns = int(whole) * 10**9 + int((part or "0").ljust(9, "0"))
    return -ns if sign else ns


def time_of(show):
    """An absolute time as tshark 4 shows it, as RFC 3339 with nine digits in UTC."""
    match = re.fullmatch(r"(\w{3}) +(\d+), (\d+) (\d\d:\d\d:\d\d)\.(\d{9}) UTC", show)
    if match:
        month, day, year, clock, part = match.groups()
        date = datetime.datetime.strptime("%s %s %s" % (month, day, year), "%b %d %Y")
        return "%sT%s.%sZ" % (date.strftime("%Y-%m-%d"), clock, part)
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9})(?:Z|\+0000)", show)
    if match:
        return match.group(1) + "Z"
    raise ValueError("no time: " + show)
