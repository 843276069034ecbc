# SPDX-License-Identifier: BSD-2-Clause
# The program tried from outside: one script a topic. Included by tests/CMakeLists.txt.
foreach(topic bad_input diagnose dump formats input ladder list options pipe replay stats write)
	add_test(NAME cli_${topic} COMMAND ${CMAKE_CURRENT_LIST_DIR}/${topic}.sh)
	set_tests_properties(cli_${topic} PROPERTIES
		ENVIRONMENT "RDT=$<TARGET_FILE:rdma-trace>;CAPTURES=${RDT_CAPTURES}"
		TIMEOUT 600 LABELS cli)
endforeach()
