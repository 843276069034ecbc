# SPDX-License-Identifier: BSD-2-Clause
# The plugin in real Wireshark programs, run as an ordinary user. Included by tests/CMakeLists.txt.
if(NOT TARGET rdmacm)
	return()
endif()

# Wireshark's programs are not sanitized, and leave what they have to the system: so ASan is loaded first
# and does not look for leaks.
set(dissector_env)
if(RDT_SANITIZE)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
		OUTPUT_VARIABLE libasan OUTPUT_STRIP_TRAILING_WHITESPACE)
	set(dissector_env "PRELOAD=${libasan}" "ASAN_OPTIONS=detect_leaks=0")
endif()

# rdt_dissector(name argument...): one script, given the plugin and the program.
function(rdt_dissector name)
	add_test(NAME dissector_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dissector/${name}
		$<TARGET_FILE:rdmacm> $<TARGET_FILE:rdma-trace> ${ARGN})
	set_tests_properties(dissector_${name} PROPERTIES TIMEOUT 1800 LABELS dissector
		ENVIRONMENT "${dissector_env}")
endfunction()

# Captures of what the lab does not show, beside those of gen_packets.
add_executable(gen_rare dissector/gen_rare.c)
target_link_libraries(gen_rare PRIVATE rdmatrace_track PkgConfig::TESTPCAP)
set(made ${CMAKE_CURRENT_BINARY_DIR}/packets.pcap)
foreach(kind rare erf)
	add_test(NAME gen_${kind} COMMAND gen_rare ${kind} ${CMAKE_CURRENT_BINARY_DIR}/${kind}.pcap)
	set_tests_properties(gen_${kind} PROPERTIES FIXTURES_SETUP packets)
	list(APPEND made ${CMAKE_CURRENT_BINARY_DIR}/${kind}.pcap)
endforeach()
add_test(NAME gen_marker COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/dissector/spoil_marker
	${RDT_CAPTURES}/mpa-markers.pcap ${CMAKE_CURRENT_BINARY_DIR}/marker.pcap)
set_tests_properties(gen_marker PROPERTIES FIXTURES_SETUP packets)
list(APPEND made ${CMAKE_CURRENT_BINARY_DIR}/marker.pcap)

rdt_dissector(compare --all ${capture_files} ${made})
set_tests_properties(dissector_compare PROPERTIES FIXTURES_REQUIRED packets)
rdt_dissector(manners ${RDT_CAPTURES} ${CMAKE_CURRENT_BINARY_DIR}/rare.pcap)
rdt_dissector(views ${RDT_CAPTURES} ${CMAKE_CURRENT_BINARY_DIR}/rare.pcap)
set_tests_properties(dissector_manners dissector_views PROPERTIES FIXTURES_REQUIRED packets)
rdt_dissector(install ${PROJECT_BINARY_DIR} ${RDT_CAPTURES}/reject.pcap)
rdt_dissector(fuzz 2000 ${capture_files} ${made})
set_tests_properties(dissector_fuzz PROPERTIES FIXTURES_REQUIRED packets)
