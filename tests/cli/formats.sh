#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# JSON, NDJSON, CSV and TSV of every command over every capture: parsed by others, no key twice, the
# same values in all forms, types and keys as json.md has them.
. "$(dirname "$0")/lib.sh"
odd_captures

# All outputs of all captures, then one program that reads them all.
mkdir "$TMP/all"
for capture in "$CAPTURES"/*.pcap "$ODD/two-links.pcapng" "$ODD/every-length.pcap" "$ODD/ib.pcap" \
	"$ODD/vlans.pcap" "$ODD/no-rdma.pcap" "$ODD/no-packets.pcap"; do
	name=$(basename "$capture")
	for command in list show dump; do
		for format in ndjson json; do
			run "$RDT" $command -q -T $format "$capture"
			check "$command -T $format $name: exit code" exits 0
			cp "$out" "$TMP/all/$name.$command.$format"
		done
	done
	for format in csv tsv; do
		run "$RDT" -q -T $format "$capture"
		check "list -T $format $name: exit code" exits 0
		cp "$out" "$TMP/all/$name.list.$format"
	done
done
for format in json ndjson; do
	run "$RDT" fields -T $format
	check "fields -T $format: exit code" exits 0
	cp "$out" "$TMP/all/all.fields.$format"
done
# Strings that are no UTF-8, and such that must be escaped: a file name is one.
bad=$TMP/$'a"b\\c\td\xff\xc3e.pcap'
cp "$CAPTURES/reject.pcap" "$bad"
run "$RDT" -T ndjson "$bad"
cp "$out" "$TMP/all/name.list.ndjson"
check "what is no UTF-8 becomes U+FFFD, the rest is kept" is \
	"$(head -1 "$out" | jq '.inputs[0].path | endswith("a\"b\\c\td\ufffd\ufffde.pcap")')" true

cat >"$TMP/strict.py" <<'PY'
import csv, json, os, sys
folder = sys.argv[1]
checks = wrong = 0
def check(what, good):
    global checks, wrong
    checks += 1
    if not good:
        wrong += 1
        print("FAILED:", what)
def once(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice: %s" % [k for k in keys if keys.count(k) > 1])
    return dict(pairs)
def refuse(text):
    raise ValueError("no JSON number: " + text)
def load(text):
    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)
def read(name):
    """The objects of a file; None when it is no strict JSON in strict UTF-8."""
    try:
        text = open(os.path.join(folder, name), encoding="utf-8", errors="strict", newline="\n").read()
        return load(text) if name.endswith(".json") else [load(line) for line in text.splitlines()]
    except ValueError as e:
        check("%s: %s" % (name, e), False)
def text(v):
    return "" if v is None else ("true" if v else "false") if isinstance(v, bool) else str(v)
for name in sorted(os.listdir(folder)):
    base, form = name.rsplit(".", 1)
    if form in ("ndjson", "json"):
        lines = read(name)
        check(name + " parses, no key twice", lines is not None)
        if lines and not base.endswith("fields"):
            check(name + ": header first", lines[0]["type"] == "header")
            check(name + ": end last", lines[-1]["type"] == "end")
            check(name + ": one header, one end",
                  [l["type"] for l in lines].count("header") + [l["type"] for l in lines].count("end") == 2)
    # Thousands of copies of one packet at one time are told apart by a small table with a random
    # seed: counts of copies may differ there.
    if form == "json" and not base.startswith("every-length"):
        a, b = read(name), read(base + ".ndjson")
        for line in (a or []) + (b or []):
            line.pop("elapsed_ns", None)
        check(name + " is the same as ndjson", a == b and a is not None)
    if form in ("csv", "tsv") and not base.startswith("every-length"):
        with open(os.path.join(folder, name), newline="") as f:
            rows = list(csv.DictReader(f, delimiter="," if form == "csv" else "\t"))
        conns = [l for l in read(base + ".ndjson") or [] if l["type"] == "conn"]
        for conn in conns:
            del conn["type"]
        check(name + " has the keys and values of ndjson",
              [list(r.items()) for r in rows] == [[(k, text(v)) for k, v in c.items()] for c in conns])
print(checks, "checks of", len(os.listdir(folder)), "files")
sys.exit(wrong != 0 or checks < 300)
PY
run python3 "$TMP/strict.py" "$TMP/all"
check "strict JSON, the same in all forms" exits 0
cat "$out"

# Findings are counted where they were looked for.
run "$RDT" list -q -T ndjson "$CAPTURES/reject.pcap"
check "list looks for no findings: null" is "$(tail -1 "$out" | jq -c .findings)" null
run "$RDT" diagnose -q -T ndjson "$CAPTURES/reject.pcap"
check "diagnose counts findings" is "$(tail -1 "$out" | jq -c .findings)" 1
check "next steps name the capture" bash -c "! grep -q ' FILE' '$out' && grep -q reject.pcap '$out'"

# The contract of json.md: keys that every line has, and their types.
run "$RDT" show -q -T ndjson "$CAPTURES/dup.pcap"
check "keys and types of json.md" python3 - "$out" <<'PY'
import json, re, sys
nul, integer, text, flag = "null", "int", "str", "bool"
keys = {
    "header": "schema:str tool:str version:str inputs:list",
    "conn": "n:int id:str kind:str transport:str service:str active:str passive:str a_port:int "
            "svc:str port_space:int svc_port:int app:null a_comm_id:str p_comm_id:str a_qpn:int "
            "p_qpn:int a_psn:int p_psn:int start:str rel_ns:int setup_ns:int life_ns:int outcome:str "
            "a_state:str p_state:str rej_reason:null rej_reason_name:null rej_by:null closed_by:str "
            "msgs:int retries:int data_pkts:int data_bytes:int retrans:int",
    "msg": "conn:int frame:int rel_ns:int from:str msg:str copy:int local_comm_id:str "
           "remote_comm_id:str tid:str icrc:str snapped:bool",
    "state": "conn:int rel_ns:int frame:int side:str machine:str from:str to:str event:str why:str "
             "basis:str",
    "event": "conn:int rel_ns:int frame:int side:str event:str kernel_event:str status:int basis:str",
    "end": "packets:int conns:int findings:int partial:bool evicted:int elapsed_ns:int",
}
name = lambda v: "null" if v is None else {bool: "bool", int: "int", str: "str", list: "list"}[type(v)]
seen = set()
for line in map(json.loads, open(sys.argv[1])):
    kind = line["type"]
    if kind == "finding":
        continue
    seen.add(kind)
    for want in keys[kind].split():
        key, type_ = want.split(":")
        if key not in line:
            sys.exit("%s lacks %s" % (kind, key))
        # frame is null for a timer, from is null where nothing was known.
        if name(line[key]) != type_ and not (kind == "state" and line[key] is None):
            sys.exit("%s.%s is %s, should be %s" % (kind, key, name(line[key]), type_))
    if kind == "conn":
        assert re.fullmatch(r"[0-9a-f]{8}", line["id"])
        assert re.fullmatch(r"0x[0-9a-f]{16}", line["svc"])
        assert re.fullmatch(r"0x[0-9a-f]{8}", line["a_comm_id"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", line["start"])
if seen != set(keys):
    sys.exit("kinds of line: %s" % sorted(seen))
PY

# Choosing columns: the order asked for, once each, in all formats.
run "$RDT" -T csv -e outcome,n -e n,active "$CAPTURES/reject.pcap"
check "-e in csv" is "$(head -2 "$out" | paste -sd' ')" 'outcome,n,active rejected,1,10.0.0.2'
run "$RDT" -T ndjson -e outcome,n "$CAPTURES/reject.pcap"
check "-e in ndjson" is "$(sed -n 2p "$out")" '{"type":"conn","outcome":"rejected","n":1}'
run "$RDT" -e outcome,n "$CAPTURES/reject.pcap"
check "-e in text" prints '^rejected +1$'
run "$RDT" -T csv -E 'header=n,separator=;' -e n,outcome "$CAPTURES/reject.pcap"
check "-E header and separator" is "$(head -1 "$out")" '1;rejected'
run "$RDT" -T csv -E 'separator=,,quote=s' -e n,rej_reason_name "$CAPTURES/reject.pcap"
check "-E with a comma as separator" is "$(sed -n 2p "$out")" '1,consumer-defined'
run "$RDT" -T tsv -e n,outcome "$CAPTURES/reject.pcap"
check "tsv" is "$(sed -n 2p "$out")" $'1\trejected'
# Values that need quotes: the labels of the vocabulary have commas.
run "$RDT" fields -T csv conn
check "csv with commas in values has four columns" python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
sys.exit(any(len(r) != 4 for r in rows) or not any("," in r[3] for r in rows))' "$out"
run "$RDT" fields -T csv -E quote=s ipv4.df rej_reason
check "a quote in a value is doubled" prints "^ipv4,ipv4.df,flag 1,'Don''t fragment'\$"
run "$RDT" fields -T tsv -E quote=n conn
check "quote=n writes no quotes" is "$(grep -c '"' "$out")" 0
finish
