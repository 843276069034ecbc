#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# -w: what is written opens in tshark and tells the same connection; packets are unchanged.
. "$(dirname "$0")/lib.sh"
odd_captures
cd "$TMP" || exit 99
what=kind,active,passive,svc,a_comm_id,p_comm_id,a_qpn,p_qpn,a_psn,p_psn,start,setup_ns,life_ns,outcome,msgs,retries,data_pkts,data_bytes,retrans
fields=(-T fields -e frame.time_epoch -e frame.len -e ip.src -e infiniband.bth.opcode -e infiniband.bth.psn
	-e infiniband.invariant.crc)
tshark() { command tshark "$@" 2>/dev/null; }

for name in rping4 accept reject nolisten ignore slow dup udaddy cmtime pingpong perftest iwarp-rping iwarp-reject; do
	capture=$CAPTURES/$name.pcap
	run "$RDT" -T csv -e $what "$capture"
	want=$(cat "$out")
	run "$RDT" -q -o "$TMP/text" -w all.pcapng "$capture"
	check "$name: exit code" exits 0
	check "$name: the list is printed as ever" is "$(cat "$TMP/text")" "$("$RDT" "$capture")"
	run "$RDT" -T csv -e $what all.pcapng
	check "$name: all connections again" is "$(cat "$out")" "$want"
	check "$name: tshark reads all of it" tshark -r all.pcapng -w /dev/null
done

# One connection of several: its packets, no others, each as it was.
capture=$CAPTURES/dup.pcap
run "$RDT" -T csv -e $what -s 2 "$capture"
want=$(cat "$out")
run "$RDT" -q -s 2 -w two.pcapng "$capture"
run "$RDT" -T csv -e $what two.pcapng
check "connection 2 alone" is "$(cat "$out")" "$want"
frames=$("$RDT" dump -T csv -E header=n -e frame.number -s 2 "$capture" | paste -sd' ' | sed 's/ / || frame.number == /g')
check "tshark sees the packets that dump lists, unchanged" is \
	"$(tshark -r two.pcapng "${fields[@]}")" "$(tshark -r "$capture" -Y "frame.number == $frames" "${fields[@]}")"
check "comments: number, message, copy" is \
	"$(tshark -r two.pcapng -T fields -e frame.comment | head -2 | paste -sd'|')" \
	'rdma-trace: connection 2 REQ|rdma-trace: connection 2 REQ copy 1'
check "the section says where it is from" bash -c "capinfos two.pcapng 2>/dev/null | grep -q 'rdma-trace'"
check "messages that tshark sees are those of the connection" is \
	"$(tshark -r two.pcapng -Y 'infiniband.mad.mgmtclass == 7' | wc -l)" \
	"$("$RDT" -T csv -E header=n -e msgs -s 2 "$capture")"

# By filter; of a pipe, which must be read twice; to standard output.
run "$RDT" -q -Y 'retries > 4' -w many.pcapng "$capture"
check "-Y chooses what is written" is "$("$RDT" -T csv -E header=n -e retries many.pcapng)" 6
run bash -c "cat '$capture' | '$RDT' -q -s 2 -w piped.pcapng -"
check "a pipe is read twice" exits 0
check "the same packets from a pipe" is "$(tshark -r piped.pcapng "${fields[@]}")" \
	"$(tshark -r two.pcapng "${fields[@]}")"
run bash -c "'$RDT' -q -s 2 -w named.pcapng <(gzip -c '$capture')"
check "process substitution is read twice" exits 0
check "the same packets from it" is "$(tshark -r named.pcapng "${fields[@]}")" \
	"$(tshark -r two.pcapng "${fields[@]}")"
expect 2 'cannot keep a copy of standard input in /nonexistent: .*; set TMPDIR' \
	env TMPDIR=/nonexistent bash -c "cat '$capture' | '$RDT' -w x.pcapng -"
run bash -c "'$RDT' -s 2 -w - -o /dev/null '$capture' | '$RDT' -T csv -e $what -"
check "to standard output" is "$(cat "$out")" "$want"
run "$RDT" dump -q -Y rej -w rej.pcapng "$CAPTURES/reject.pcap"
check "dump writes what it shows" is "$(tshark -r rej.pcapng -T fields -e infiniband.mad.attributeid | sort | uniq -c | tr -s ' ')" ' 3 0x0012'

# Two captures, other links: an interface each.
run "$RDT" -q -w both.pcapng "$ODD/from-1.pcap" "$ODD/from-2.pcap"
check "two captures: two interfaces" is "$(tshark -r both.pcapng -T fields -e frame.interface_id | sort -u | wc -l)" 2
run "$RDT" -T csv -e data_pkts,outcome both.pcapng
check "two captures: one connection" is "$(sed -n 2p "$out")" 60,closed
for f in ib.pcap erf.pcap raw.pcap sll.pcap ib.pcapng; do
	run "$RDT" -q -w link.pcapng "$ODD/$f"
	run "$RDT" -T csv -e data_pkts,outcome,transport link.pcapng
	check "$f again" is "$(sed -n 2p "$out" | cut -d, -f1,2)" 60,closed
done
# Packets before both directions were known to be one belong to the connection too.
run "$RDT" -T csv -E header=n -e n,data_pkts "$ODD/late-pair.pcap"
check "two directions are one connection" is "$(cat "$out")" 1,59
run "$RDT" -q -s 1 -w data.pcapng "$ODD/late-pair.pcap"
check "the first packets of it are written" is "$(tshark -r data.pcapng | wc -l)" 59
run "$RDT" dump -T csv -E header=n -e n "$ODD/late-pair.pcap"
check "and have its number" is "$(sort "$out" | uniq -c | tr -s ' ')" ' 59 1'
finish
