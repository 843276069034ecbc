# SPDX-License-Identifier: BSD-2-Clause
"""Scenario files: shell snippets with a header of comments, see README.md."""
import os
import re

HERE = os.path.dirname(os.path.realpath(__file__))
FOLDER = os.path.join(HERE, "scenarios")

# Header words and what holds without them.
DEFAULTS = {
    "summary": "",         # one line for people
    "impair": "",          # what is done to the network, for people
    "time": "30",          # seconds a role may take
    "grace": "3",          # seconds the server gets after the client's end
    "linger": "1",         # seconds that are captured after both
    "client": "guest",     # guest, host (a process of this machine behind a tap), none
    "server": "guest",
    "device": "rxe",       # rxe, siw, none
    "modules": "rdma_rxe rdma_ucm ib_umad ib_uverbs",
    "client-modules": "",
    "server-modules": "",
    "mtu": "1500",
    "listener": "yes",     # no: the client does not wait until somebody listens
    "client-ends": "0",    # the client function's exit codes that are right
    "server-ends": "0 ended",  # ended: still there when its grace was over
    "random": "no",        # yes: the network rolls dice, copies differ from run to run
    "corpus": "client",    # what goes into captures/: client, both (vantage points), no
    "keep": "",            # igmp: do not trim it from the corpus
}
SIW_MODULES = "siw"


class Fault(Exception):
    """A scenario file that is not right."""


class Scenario:
    def __init__(self, name):
        self.name = name
        self.path = os.path.join(FOLDER, name)
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name) or not os.path.isfile(self.path):
            raise Fault(f"there is no scenario {name}; `lab list` names them all")
        with open(self.path, encoding="utf-8") as file:
            self.text = file.read()
        self.head, self.sees = dict(DEFAULTS), []
        for line in self.text.splitlines():
            if not line.startswith("#"):
                if line.strip():
                    break
                continue
            found = re.match(r"# (see(?: not)?(?: [a-z.]+)?|[a-z-]+):(.*)", line)
            if not found:
                continue
            word, value = found.group(1), found.group(2).strip()
            if word.startswith("see"):
                self.sees.append((word[4:].strip() or "client.pcap", value))
            elif word in DEFAULTS:
                self.head[word] = value
            else:
                raise Fault(f"{name}: nothing is called {word}")
        if self["device"] == "siw" and self["modules"] == DEFAULTS["modules"]:
            self.head["modules"] = SIW_MODULES
        if not self["summary"] or not self.sees:
            raise Fault(f"{name}: it needs a summary and at least one line of what must be seen")

    def __getitem__(self, word):
        return self.head[word]

    def roles(self):
        return [(role, self[role]) for role in ("client", "server")]

    def environment(self):
        """The header as the guest's shell reads it."""
        return (
            f"limit={self['time']} grace={self['grace']} linger={self['linger']} mtu={self['mtu']}\n"
            f"device={self['device']} listener={self['listener']} modules='{self['modules']}'\n"
            f"declare -A modules_of=([client]='{self['client-modules']}' [server]='{self['server-modules']}')\n"
        )

    def commands(self):
        """The scenario without its header, as it was run."""
        lines = [line for line in self.text.splitlines() if not line.startswith("#")]
        return "\n".join(lines).strip()


def names():
    return sorted(name for name in os.listdir(FOLDER) if re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name))
