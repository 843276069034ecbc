# SPDX-License-Identifier: BSD-2-Clause
# What all targets share: language, warnings, sanitizers.
include(GNUInstallDirs)

option(RDT_WERROR "Warnings are errors (CI and the presets; not for packagers)" OFF)
option(RDT_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(RDT_FUZZ "libFuzzer targets (clang)" OFF)
option(RDT_TESTS "Tests (Criterion, zlib, libpcap)" ON)
set(RDT_PROFILE "" CACHE STRING "generate: count which code runs; use: compile for what was counted (gcc; see dev)")

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_compile_definitions(_DEFAULT_SOURCE)

set(RDT_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
	-Wcast-align -Wcast-qual -Wundef -Wvla -Wwrite-strings -Wformat=2 -Wswitch-enum -pedantic)
if(RDT_WERROR)
	list(APPEND RDT_WARNINGS -Werror)
endif()
add_compile_options(${RDT_WARNINGS})

if(RDT_SANITIZE)
	add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
endif()
if(RDT_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()
# Some 15 to 25 % less CPU. What the runs between the two builds did not touch is compiled as ever.
if(RDT_PROFILE AND NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
	message(WARNING "RDT_PROFILE is for gcc; ignored with ${CMAKE_C_COMPILER_ID}")
elseif(RDT_PROFILE STREQUAL generate)
	add_compile_options(-fprofile-generate)
	add_link_options(-fprofile-generate)
elseif(RDT_PROFILE STREQUAL use)
	set(RDT_USE -fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-coverage-mismatch)
	add_compile_options(${RDT_USE})
	add_link_options(${RDT_USE})
elseif(RDT_PROFILE)
	message(FATAL_ERROR "RDT_PROFILE is generate, use or empty, not ${RDT_PROFILE}")
endif()
