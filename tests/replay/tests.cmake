# SPDX-License-Identifier: BSD-2-Clause
# Replay: the script language, the engine, its backends. Included by tests/CMakeLists.txt.
foreach(name script)
	rdt_test(test_${name} replay/test_${name}.c)
	target_link_libraries(test_${name} PRIVATE rdmatrace_replay)
endforeach()

rdt_fuzz(fuzz_script script rdmatrace_replay)
