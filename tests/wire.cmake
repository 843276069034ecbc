# SPDX-License-Identifier: BSD-2-Clause
# Tests of the wire tables, text, addresses, ICRC and the encoder, one executable for each name.
# They need this directory in the include path, support/pcap_read.c (libpcap), and RDT_CAPTURES
# (test_icrc, test_encode).
set(RDT_WIRE_TESTS test_field test_names test_vectors test_opcode test_text test_addr test_icrc
	test_encode)
# Fuzz targets: fuzz/fuzz_<name>.c with the seeds in fuzz/corpus/<name>.
set(RDT_WIRE_FUZZ fuzz_encode fuzz_mad)
