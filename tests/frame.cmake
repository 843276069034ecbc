# SPDX-License-Identifier: BSD-2-Clause
# Tests of decoder/frame.c and decoder/layers.c, one executable for each name. They need this
# directory in the include path, support/pcap_read.c (libpcap), and RDT_CAPTURES.
set(RDT_FRAME_TESTS test_frame test_layers)
# Fuzz targets: fuzz/<name>.c with the seeds in fuzz/corpus/frame.
set(RDT_FRAME_FUZZ fuzz_frame)
