#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dump against tshark, field by field; -V; what is listed and what is not.
. "$(dirname "$0")/lib.sh"
odd_captures
# Its guess that four bytes of data are RPC-over-RDMA makes it lose the ICRC.
tshark() { command tshark --disable-protocol rpcordma "$@" 2>/dev/null; }

# Our name, tshark's name. Both print the raw number (tshark in hex for some).
pairs='frame.number frame.number
frame.len frame.len
bth.opcode infiniband.bth.opcode
bth.pkey infiniband.bth.p_key
bth.dest_qpn infiniband.bth.destqp
bth.psn infiniband.bth.psn
bth.ack_req infiniband.bth.a
deth.qkey infiniband.deth.q_key
reth.dma_len infiniband.reth.dmalen
aeth.msn infiniband.aeth.msn
mad.attr_id infiniband.mad.attributeid
mad.tid infiniband.mad.transactionid
icrc.value infiniband.invariant.crc'
ours=$(awk '{ print $1 }' <<<"$pairs" | paste -sd,)
mapfile -t theirs < <(awk '{ print "-e\n" $2 }' <<<"$pairs")
cat >"$TMP/same.py" <<'PY'
import sys
def number(text):
    if text in ("", "true", "false", "True", "False"):
        return {"": None, "true": 1, "false": 0, "True": 1, "False": 0}[text]
    return int(text, 0)
names = sys.argv[3].split(",")
a, b = ([l.rstrip("\n").split("\t") for l in open(f)] for f in sys.argv[1:3])
if len(a) != len(b) or not a:
    sys.exit("%d packets, tshark has %d" % (len(a), len(b)))
for x, y in zip(a, b):
    for name, p, q in zip(names, x, y):
        p, q = number(p), number(q)
        # tshark reads the ICRC most significant byte first.
        if name == "icrc.value" and q is not None:
            q = int.from_bytes(q.to_bytes(4, "big"), "little")
        if p != q:
            sys.exit("frame %s: %s is %s, tshark says %s" % (x[0], name, p, q))
PY
for name in rping4 accept reject nolisten ignore slow dup udaddy cmtime pingpong perftest; do
	capture=$CAPTURES/$name.pcap
	run "$RDT" dump -T tsv -E header=n -e "$ours" -f 'udp port 4791' "$capture"
	tshark -r "$capture" -Y infiniband -T fields "${theirs[@]}" >"$TMP/tshark"
	check "$name: the fields of tshark" python3 "$TMP/same.py" "$out" "$TMP/tshark" "$ours"
done

# What is listed: all RDMA, nothing else.
for name in rping4 pingpong udaddy; do
	run "$RDT" dump -Y 'bth' "$CAPTURES/$name.pcap"
	check "$name: as many lines as tshark sees InfiniBand" \
		lines "$(tshark -r "$CAPTURES/$name.pcap" -Y infiniband | wc -l)"
done
run "$RDT" dump -Y cm "$CAPTURES/rping4.pcap"
check "-Y cm: five messages" is "$(awk '{ print $1, $7 }' "$out" | paste -sd,)" \
	'17 REQ,18 REP,19 RTU,80 DREQ,81 DREP'
check "a REQ's line" prints '^ +17 +8\.396969  10\.0\.0\.2 > 10\.0\.0\.1  CM REQ +1  id 0x6c352564  tcp port 7174  QPN 0x000011  PSN 0x50684e  MTU 1024 B .*retry 7/7 \(infinite\)  timers 4\.295 s  retries 15'
run "$RDT" dump -Y 'msg == REQ and copy == 1' "$CAPTURES/dup.pcap"
check "copies are marked" prints 'CM REQ +1  copy 1  id'
run "$RDT" dump -Y rej "$CAPTURES/reject.pcap"
check "a REJ's line has its reason and private data" prints 'CM REJ .* of REQ: .*  "denied: quota"'
run "$RDT" dump -Y 'outcome == rejected' "$CAPTURES/perftest.pcap"
check "of a connection, as it ended" lines 2
run "$RDT" dump -s 6 "$CAPTURES/perftest.pcap"
check "-s" lines 2
run "$RDT" dump "$CAPTURES/iwarp-rping.pcap"
check "iWARP" prints 'MPA REQ +1  rev 2  '
check "a flag that is not set is not named" is "$(grep -c 'rejected' "$out")" 0
run "$RDT" dump "$CAPTURES/iwarp-reject.pcap"
check "a flag that is set is named" is "$(grep -c 'MPA REP .*  rejected  ' "$out")" 3

# -V: every field once, with name and place; JSON has the same.
run "$RDT" dump -V -Y req "$CAPTURES/rping4.pcap"
check "-V: a field" prints '^ +130  Starting PSN .* 0x50684e  req\.starting_psn$'
check "-V: a unit" prints 'Path MTU +1024 B \(3\)  req\.path_mtu$'
check "-V: zero private data" prints 'Private data +92 B.*  req\.private_data$'
check "-V: private data with its header" prints 'ipcm\.src_port$'
check "-V: the ICRC" prints '^  ICRC is right$'
named=$("$RDT" fields -T tsv -E header=n req | awk -F'\t' '$3 !~ /reserved/ { print $2 }' | sort)
check "-V: all fields of a REQ" is "$(grep -oE ' req\.[a-z0-9_]+$' "$out" | tr -d ' ' | sort)" "$named"
run "$RDT" dump -V -Y 'req' "$ODD/snaplen-96.pcap"
check "-V: what is cut says so" prints 'Starting PSN .*cut by the capture  req\.starting_psn$'
run "$RDT" dump -T ndjson -Y req "$CAPTURES/rping4.pcap"
check "JSON: raw numbers, units beside them" is \
	"$(sed -n 2p "$out" | jq -c '.req | [.path_mtu, .path_mtu_bytes, .remote_cm_resp_timeout, .remote_cm_resp_timeout_ns, .service_id, .transport_service_name]')" \
	'[3,1024,20,4294967296,"0x0000000001061c06","rc"]'
run "$RDT" dump -T ndjson -Y req "$ODD/snaplen-96.pcap"
check "JSON: a cut header has the fields that are there" is \
	"$(sed -n 2p "$out" | jq -c '[.req.local_comm_id, .req.captured_bytes, (.req | has("starting_psn"))]')" \
	'[1815422308,10,false]'
run "$RDT" dump -T ndjson -Y req "$ODD/vlans.pcap"
check "JSON: a second header of a kind has a key of its own" is \
	"$(sed -n 2p "$out" | jq -c '[.vlan.vid, .vlan_2.vid]')" '[7,9]'
run "$RDT" dump -T ndjson -Y req "$ODD/snaplen-96.pcap"
check "JSON: the problem" is "$(sed -n 2p "$out" | jq -r .problem)" \
	'the capture cut the frame after its transport header'

# Times.
for form in 'r 8\.396969' 'a 13:27:14\.044035' 'ad 2026-11-29 13:27:14\.044035' 'u 13:27:14\.044035' \
	'e 1795958834\.044035' 'd 0\.000000'; do
	run "$RDT" dump -t "${form%% *}" "$CAPTURES/rping4.pcap"
	check "-t ${form%% *}" is "$(head -1 "$out" | grep -cE "^ +17 +${form#* }  10")" 1
	run "$RDT" -t "${form%% *}" "$CAPTURES/rping4.pcap"
	check "list -t ${form%% *}" prints "^ 1 +${form#* }  10"
done
run env TZ=Asia/Tokyo "$RDT" dump -t ad "$CAPTURES/rping4.pcap"
check "-t ad is local" prints '2026-11-29 22:27:14\.044035'
run env TZ=Asia/Tokyo "$RDT" dump -t u "$CAPTURES/rping4.pcap"
check "-t u is not" prints '^ +17 +13:27:14\.044035'
run "$RDT" dump -t d "$CAPTURES/rping4.pcap"
check "-t d counts from the line before" is "$(sed -n 2p "$out" | awk '{ print $2 }')" 0.029764
run "$RDT" dump -t d -Y cm "$CAPTURES/rping4.pcap"
check "-t d counts from the line that was shown" is "$(sed -n 4p "$out" | awk '{ print $2 }')" 0.469697
finish
