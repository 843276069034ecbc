# SPDX-License-Identifier: BSD-2-Clause
# What all targets share: language, warnings, sanitizers.
include(GNUInstallDirs)

option(RDT_WERROR "Warnings are errors (CI and the presets; not for packagers)" OFF)
option(RDT_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(RDT_FUZZ "libFuzzer targets (clang)" OFF)
option(RDT_TESTS "Tests (Criterion, zlib, libpcap)" ON)

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
