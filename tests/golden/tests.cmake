# SPDX-License-Identifier: BSD-2-Clause
# Screens and JSON of the program against the golden files, and the texts of explain.
add_test(NAME golden COMMAND ${CMAKE_CURRENT_LIST_DIR}/check $<TARGET_FILE:rdma-trace> ${RDT_CAPTURES})
set_tests_properties(golden PROPERTIES TIMEOUT 600)

rdt_test(test_explain test_explain.c)
target_link_libraries(test_explain PRIVATE rdma_trace_cli)

foreach(topic show explain)
	add_test(NAME cli_${topic} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/${topic}.sh)
	set_tests_properties(cli_${topic} PROPERTIES
		ENVIRONMENT "RDT=$<TARGET_FILE:rdma-trace>;CAPTURES=${RDT_CAPTURES}"
		TIMEOUT 600 LABELS cli)
endforeach()
