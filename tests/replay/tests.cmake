# SPDX-License-Identifier: BSD-2-Clause
# Replay: the script language, the engine, its backends. Included by tests/CMakeLists.txt.
foreach(name script replay)
	rdt_test(test_${name} replay/test_${name}.c)
	target_link_libraries(test_${name} PRIVATE rdmatrace_replay)
endforeach()

rdt_fuzz(fuzz_script script rdmatrace_replay)

# Two processes on the loopback; only those of each kind, the rest of the corpus is ./dev lab's.
add_test(NAME replay_loopback COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/replay/loopback.py
	$<TARGET_FILE:rdma-trace> ${RDT_CAPTURES} rping4 accept reject slow dup nolisten ignore udaddy
	access-error rc-operations both-disconnect lost-rep
	${CMAKE_CURRENT_SOURCE_DIR}/replay/share.rdt ${CMAKE_CURRENT_SOURCE_DIR}/replay/damaged.rdt)
set_tests_properties(replay_loopback PROPERTIES TIMEOUT 300)
# Every connection of every capture as a script that parses, and plays in simulation to F5.
add_test(NAME replay_corpus COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/replay/corpus.sh
	$<TARGET_FILE:rdma-trace> ${RDT_CAPTURES})
set_tests_properties(replay_corpus PROPERTIES TIMEOUT 600)
rdt_fuzz(fuzz_replay replay rdmatrace_replay)

# Frames need a right that a namespace of the test's own gives; without namespaces it is skipped.
add_test(NAME replay_packet COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/replay/packet.sh
	$<TARGET_FILE:rdma-trace> ${RDT_CAPTURES})
set_tests_properties(replay_packet PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
