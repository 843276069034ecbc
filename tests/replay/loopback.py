#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two replays play every CM connection of the captures against each other over UDP on the loopback:
one on 127.0.0.1, one on 127.0.0.2, on a port of their own. Both must say F5.

    loopback.py RDMA_TRACE CAPTURES [NAME...]      a NAME that ends in .rdt is a script"""
import json
import os
import subprocess
import sys
import tempfile


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, check=False)


def connections(program, capture):
    lines = run(program, "list", "-T", "ndjson", capture).stdout.splitlines()
    return [c["n"] for c in map(json.loads, lines) if c["type"] == "conn" and c["kind"] in ("cm", "sidr", "mpa")]


def result(text):
    for line in text.splitlines():
        record = json.loads(line)
        if record["type"] in ("result", "error"):
            return record
    return {"level": "none"}


# The passive side in another network namespace (of that process), and the addresses of both.
NAMESPACE = os.environ.get("REPLAY_NS")
ACTIVE, PASSIVE = os.environ.get("REPLAY_ADDRESSES", "127.0.0.1 127.0.0.2").split()


def play(program, script, port):
    with open(script, encoding="utf-8") as file:
        text = file.read()
    backend = "mpa" if "transport iwarp" in text else "udp"
    backend = os.environ.get("REPLAY_BACKEND", backend)
    common = ["--backend", backend, "--port", str(port), "--speed", "asap", "-T", "ndjson", "--max-msgs", "100000",
              "--rate", "1000000", "--timeout", "4s"]
    if "# --share" in text:
        common += ["--share", str(port + 1)]
    inside = ["nsenter", "-t", NAMESPACE, "-n"] if NAMESPACE else []
    passive = subprocess.Popen([*inside, program, "replay", script, "--play", "p", "--local", PASSIVE, "--peer",
                                ACTIVE, "-v", *common], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    passive.stderr.readline()  # it says when it is bound
    active = run(program, "replay", script, "--play", "a", "--local", ACTIVE, "--peer", PASSIVE, *common)
    try:
        out, _ = passive.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        passive.kill()
        out, _ = passive.communicate()
    return result(active.stdout), result(out)


def scripts(program, captures, names, folder):
    """A title and a file of each; the file is None where none could be made."""
    for name in names or sorted(n[:-5] for n in os.listdir(captures) if n.endswith(".pcap")):
        if name.endswith(".rdt"):
            yield os.path.basename(name), name
            continue
        capture = os.path.join(captures, name + ".pcap")
        for number in connections(program, capture)[:2]:
            script = os.path.join(folder, f"{name}.{number}.rdt")
            made = run(program, "script", str(number), capture, "-o", script)
            if made.returncode not in (0, 3):
                print(f"{name} {number}: {made.stderr.strip()}")
                script = None
            yield f"{name} {number}", script


def main():
    program, captures, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = played = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, script in scripts(program, captures, names, folder):
            if not script:
                failed += 1
                continue
            played += 1
            results = play(program, script, 20000 + os.getpid() % 20000)
            if any(r.get("level") != "F5" for r in results):
                failed += 1
                for side, r in zip("ap", results):
                    print(f"FAILED {title} {side}: {r.get('level')} {r.get('held')} {r.get('stopped')} {r.get('text', '')}")
    print(f"{played} connections played, {failed} failed")
    return 1 if failed or not played else 0


if __name__ == "__main__":
    sys.exit(main())
