#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Replay against real kernels: connections of captures/ are played again against the kernel that was
the other side when they were captured, which runs the same programs as in the lab's scenario of that
name. Backend udp is a process of this host; rdmacm and umad run in a guest (umad in one without ib_cm).

    lab.py RDMA_TRACE [-o DIR] ROLE:NAME[.N][:LEVEL[:BACKEND]] ...   ROLE is a (active), p (passive) or b:
                                                                     both, in two guests that share their keys
    lab.py --list                                                all of lab.list in such words

ROLE:edited plays the scripts of edited/ for that role, which do what no program does.

Each must reach LEVEL (F5 without it). The kernel's trace must know our communication id and agree with
the packets; where the kernel sent for us, its packets must hold what the result says.
Exit codes: 0 all did, 1 one did not, 4 and more the lab's own."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "lab"))
import importlib.machinery  # noqa: E402
import importlib.util  # noqa: E402

import scenario  # noqa: E402

SCENARIOS = os.path.join(ROOT, "tests", "lab", "scenarios")
LIST = os.path.join(HERE, "lab.list")


def listed():
    with open(LIST, encoding="utf-8") as file:
        rows = [line.split(None, 4) for line in file if line.strip() and not line.startswith("#")]
    backends = rows[0][1:4]
    for name, *levels in rows[1:]:
        if ":" in name:
            yield name
            continue
        for backend, pair in zip(backends, levels):
            for role, level in zip("ap", pair.split("/")):
                if level != "-":
                    yield f"{role}:{name}:{level}:{backend}"


def lab_module():
    loader = importlib.machinery.SourceFileLoader("lab", os.path.join(ROOT, "tests", "lab", "lab"))
    spec = importlib.util.spec_from_loader("lab", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


# Client and server where they are not the lab's usual.
ADDRESSES = {
    "rping-ipv6": ("$CLIENT6", "$SERVER6"),
    "rping-linklocal": ("$CLIENT_LL", "$SERVER_LL"),
    "rping-vlan": ("10.0.5.2", "10.0.5.1"),
    "reject-kernel": ("$CLIENT", "10.0.0.3"),
}
DEVICES = {("rping-linklocal", "udp"): "eth0"}
# Messages of which the kernel says another state than the packets before them show, and why not.
EXCUSED = {"lost-rtu-unseen": 1}  # the RTU that the packets miss was lost before the capture

# What runs on the kernel's side of an edited script.
EDITED = {"a-repeated-req": "cmpeer -d 6000", "a": "cmpeer", "p": 'cmpeer -a "$SERVER"'}


def heading(summary, listener, time, more=""):
    """What every scenario of a replay says of itself: ours tells how it ended, so any end is one."""
    return f"""
# summary: {summary}
{more}# client-ends: 0 1 2 3 4 5 ended
# server-ends: 0 1 2 3 4 5 ended
# listener: {"yes" if listener else "no"}
# grace: 12
# time: {time}
# corpus: no
# see: .*
"""


def started(program, backend):
    """As the shell of the host or of a guest starts it."""
    if backend == "udp":
        return f'"{program}"'
    return 'LD_LIBRARY_PATH="$LAB/files" "$LAB/files/' + os.path.basename(program) + '"'


def player(who, program, role, backend, ends, options="", script="script"):
    """The function of a host that plays a role from its end to the other."""
    return f"""{who}() {{
	{started(program, backend)} replay "$LAB/files/{script}.rdt" --play {role} --backend {backend} \\
		--local "{ends[0]}" --peer "{ends[1]}" -T ndjson --timeout 15s --max-msgs 100000 {options}
	echo "replay ended with $?" >&2
}}
"""


def write(folder, title, text):
    with open(os.path.join(folder, title), "w", encoding="utf-8") as file:
        file.write(text)
    return title


def read_scenario(name):
    """Its lines that make the hosts what they are, and the whole."""
    with open(os.path.join(SCENARIOS, name), encoding="utf-8") as file:
        base = file.read()
    return "\n".join(l for l in base.splitlines() if re.match(r"# (SPDX|modules|mtu|device|linger)", l)), base


def make_edited(folder, program, role, script):
    name = os.path.basename(script)[:-4]
    ours, peer = ("client", "server") if role == "a" else ("server", "client")
    ends = ("$CLIENT", "$SERVER")[::1 if role == "a" else -1]
    text = ("# SPDX-License-Identifier: BSD-2-Clause"
            + heading(f"{name} against a kernel", role == "a", 40, f"# {ours}: host\n")
            + f"{peer}() {{\n\t{EDITED.get(name, EDITED[role])}\n}}\n"
            + player(ours, program, role, "udp", ends, script=name))
    return write(folder, f"edited-{name}", text), ours, peer


def files_for_guest(program):
    """The program and its libraries: the guest has libc and little else."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [re.match(r"\s*\S+ => (/\S+) \(", line) for line in lines]
    return [program] + [m.group(1) for m in found if m and not re.search(r"/(libc|libm|libpthread)\.so", m.group(1))]


def make_scenario(folder, program, role, name, backend):
    """The scenario with one role played by us; the other as it was."""
    head, base = read_scenario(name)
    time = max(int(n) for n in re.findall(r"^# time: (\d+)", base, re.M) + ["40"]) + 20
    # One connection is replayed: the programs make one.
    body = "\n".join(l for l in base.splitlines() if not l.startswith("#"))
    body = re.sub(r"((?:udaddy|ucmatose).*?) -c \d+", r"\1", re.sub(r" -n [1-9]\d*", "", body))
    ours, peer = ("client", "server") if role == "a" else ("server", "client")
    ends = ADDRESSES.get(name, ("$CLIENT", "$SERVER"))[::1 if role == "a" else -1]
    device = DEVICES.get((name, backend))
    more = f"# {ours}: {'host' if backend == 'udp' else 'guest'}\n"
    if backend == "umad":
        more += f"# {ours}-modules: rdma_rxe ib_umad\n"
    text = (head + heading(f"{name} with the {ours} replayed", role == "a" or backend == "rdmacm", time, more)
            + body + "\n" + player(ours, program, role, backend, ends, f"--dev {device}" if device else ""))
    if role == "p" and backend == "umad":
        # No listener shows that it is ready, and where seconds matter a lost first REQ makes another story.
        text += """eval "$(declare -f client | sed '1s/client/their_client/')"
client() {
	sleep 5
	their_client
}
"""
    return write(folder, f"replay-{backend}-{role}-{name}", text), ours, peer


def make_both(folder, program, name, backend):
    """Both roles played by us, which tell each other the keys of their memory."""
    head, _ = read_scenario(name)
    text = (head + heading(f"{name} with both ends replayed", True, 60)
            + player("server", program, "p", backend, ("$SERVER", "$CLIENT"), "--share 4792")
            + player("client", program, "a", backend, ("$CLIENT", "$SERVER"), "--share 4792"))
    return write(folder, f"replay-{backend}-b-{name}", text)


def records(path):
    found = []
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("{"):
                    found.append(json.loads(line))
    except FileNotFoundError:
        pass
    return found


def own_id(lines, ours):
    side = "active" if ours == "client" else "passive"
    for line in lines:
        if line["type"] == "field" and line["from"] == side and line["field"] in ("local_comm_id", "request_id"):
            value = int(line["got"], 16)
            if value:
                return value
    return None


def judge_both(folder, program, level, backend):
    for ours, peer in (("client", "server"), ("server", "client")):
        why = judge(folder, program, ours, peer, level, backend, wire=False)
        if why:
            return f"{ours} {why}"
    return None


def judge(folder, program, ours, peer, level, backend, wire=True):
    lines = records(os.path.join(folder, f"{ours}.log"))
    results = [l for l in lines if l["type"] == "result"]
    if not results:
        return f"no result: see {folder}/{ours}.log"
    result = results[0]
    differs = [f"{l['msg']}.{l['field']} {l['want']} is {l['got']}" for l in lines
               if l["type"] == "field" and l["class"] == "differs"]
    if result["level"] < level:
        steps = [f"{l['kind']} {l['from'][0]}>{l['msg']}" for l in lines
                 if l["type"] == "step" and l["kind"] in ("missing", "extra")]
        return f"{result['level']}: {result['held']} {result['stopped']} {steps[:6]} {differs[:6]}"
    # F3 does not look at fields; those that librdmacm tells of are to be right all the same.
    wrong = [d for d in differs if not re.match("SEND|WRITE|READ|CMP|FETCH", d)]
    if backend == "rdmacm" and wrong:
        return f"{result['level']}, but {wrong[:6]}"
    return (wire and wires_word(folder, program, peer, backend)) or kernels_word(folder, program, ours, peer, lines, backend)


def name_of(folder):
    """Of the folder of a run: replay-BACKEND-ROLE-NAME."""
    return os.path.basename(folder).split("-", 3)[-1]


def wires_word(folder, program, peer, backend):
    """Where the kernel sent for us: the packets that the peer saw hold what the result says."""
    if backend in ("udp", "edited"):
        return None
    name = name_of(folder)
    diff = subprocess.run([program, "diff", "-T", "ndjson", os.path.join(ROOT, "captures", name + ".pcap:1"),
                           os.path.join(folder, f"{peer}.pcap:1")], capture_output=True, text=True, check=False)
    fields = [l for l in map(json.loads, filter(None, diff.stdout.splitlines())) if l["type"] == "field"]
    if not fields:
        return f"no message of {folder}/{peer}.pcap can be compared: {diff.stderr.strip()}"
    differs = [f"{l['msg']}.{l['field']} {l['want']} is {l['got']}" for l in fields
               if l["class"] == "differs" and not re.search("SEND|WRITE|READ|SWAP|ADD", l["msg"])]
    return f"on the wire {differs[:6]}" if differs else None


def kernels_word(folder, program, ours, peer, lines, backend):
    """What the peer's kernel says of the same packets: it knows our id, and nothing in it conflicts."""
    trace = os.path.join(folder, f"{peer}.trace")
    side = "passive" if peer == "server" else "active"
    shown = subprocess.run([program, "show", "--ftrace", f"{side}={trace}", "-T", "ndjson",
                            os.path.join(folder, f"{peer}.pcap")], capture_output=True, text=True, check=False)
    hosts = [l for l in map(json.loads, filter(None, shown.stdout.splitlines())) if l["type"] == "host"]
    if not hosts:
        return f"the kernel's trace cannot be held against the capture: {shown.stderr.strip()}"
    if hosts[0]["conflicts"] > EXCUSED.get(name_of(folder), 0):
        return f"the kernel's trace does not agree with the packets {hosts[0]['conflicts']} times: see {folder}"
    number = own_id(lines, ours)
    with open(trace, encoding="utf-8", errors="replace") as file:
        text = file.read()
    # A REQ for which nobody listens is answered before the trace has a word for it.
    # librdmacm does not tell the id that the kernel has drawn; of a passive side the peer keeps that of a REP.
    steps = [l for l in lines if l["type"] == "step" and l["kind"] in ("sent", "got")]
    first = "REQ" if ours == "client" else "REP"
    told = [n for n, l in enumerate(steps) if l["kind"] == "sent" and l["msg"] == first]
    told = told and any(l["kind"] == "got" and l["msg"] != "REQ" for l in steps[told[0]:])
    if backend != "rdmacm" and told and number and f"remote_id={number}" not in text and "icm_no_listener" not in text and "sidr" not in folder:
        return f"the kernel's trace does not know our id {number}"
    return None


def play_edited(lab, out, program, role):
    failed = 0
    folder = os.path.join(HERE, "edited")
    for script in sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.startswith(role + "-")):
        title, ours, peer = make_edited(scenario.FOLDER, program, role, script)
        code, text = lab.run(title, os.path.join(out, title), files=[script], quiet=True)
        if code not in (0, 1, 6, 7):
            print(f"FAILED {title}: lab: {text}")
            sys.exit(code)
        with open(script, encoding="utf-8") as file:
            level = re.search(r"require (F\d)", file.read()).group(1)
        why = judge(os.path.join(out, title), program, ours, peer, level, "edited")
        print(f"{'FAILED' if why else 'ok'} {title} {why or level}", flush=True)
        failed += why is not None
    return failed


def main():
    args = sys.argv[1:]
    if args == ["--list"]:
        print("\n".join(listed()))
        return 0
    program = os.path.abspath(args.pop(0))
    out = None
    if args and args[0] == "-o":
        out = args[1]
        args = args[2:]
    lab = lab_module()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        out = os.path.abspath(out or temporary)
        scenario.FOLDER = os.path.join(temporary, "scenarios")
        os.makedirs(scenario.FOLDER)
        for what in args:
            words = what.split(":")
            role, name = words[:2]
            if name == "edited":
                failed += play_edited(lab, out, program, role)
                continue
            level, backend = (words[2:] + ["F5", "udp"][len(words) - 2:])[:2]
            script = os.path.join(temporary, "script.rdt")
            name, _, number = name.partition(".")
            made = subprocess.run([program, "script", number or "1", os.path.join(ROOT, "captures", name + ".pcap"), "-o", script],
                                  capture_output=True, text=True, check=False)
            if made.returncode not in (0, 3):
                print(f"FAILED {what}: script: {made.stderr}")
                failed += 1
                continue
            if role == "b":
                title = make_both(scenario.FOLDER, program, name, backend)
            else:
                title, ours, peer = make_scenario(scenario.FOLDER, program, role, name, backend)
            files = [script] + (files_for_guest(program) if backend != "udp" else [])
            folder = os.path.join(out, title)
            code, text = lab.run(title, folder, files=files, quiet=True)
            if code not in (0, 1, 6, 7):
                print(f"FAILED {what}: lab: {text}")
                sys.exit(code)
            if role == "b":
                why = judge_both(folder, program, level, backend)
            else:
                why = judge(folder, program, ours, peer, level, backend)
            print(f"{'FAILED' if why else 'ok'} {what} {why or level}", flush=True)
            failed += why is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
