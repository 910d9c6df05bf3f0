# The one place for compiler flags. Everything of ours links pmtr_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(PMTR_CCACHE ccache)
if(PMTR_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PMTR_CCACHE}")
endif()

add_library(pmtr_options INTERFACE)
# Sums are written in the order that gives the reference's bits; the compiler must not fuse or reorder
# them. Kernels that want fused multiply-add ask for it themselves.
target_compile_options(pmtr_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(PMTR_UNITY AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # It would compare names of one file with those of another; `plain` and `lint` compile every file by itself.
  target_compile_options(pmtr_options INTERFACE -Wno-shadow)
endif()
if(PMTR_WERROR)
  target_compile_options(pmtr_options INTERFACE -Werror)
endif()
if(PMTR_ASSERTIONS)
  target_compile_options(pmtr_options INTERFACE -UNDEBUG -D_GLIBCXX_ASSERTIONS)
endif()
if(PMTR_SANITIZE)
  # Global, so that the libraries' inlined code is instrumented the same way everywhere.
  add_compile_options(-fsanitize=${PMTR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${PMTR_SANITIZE})
  # What is instrumented confuses g++: it takes torch's optional tensors for uninitialised.
  target_compile_options(pmtr_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(PMTR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
# Release builds stop at what would otherwise be exploited: an index that is out of bounds, a stack that was written over.
# The sanitizers have better checks of their own.
option(PMTR_HARDEN "Stack protector, checked standard library and position-independent programs in release builds" ON)
if(PMTR_HARDEN AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PMTR_SANITIZE AND NOT PMTR_FUZZ)
  target_compile_options(pmtr_options INTERFACE
    -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS)
  # Programs are compiled with -fPIC where they share precompiled headers (QuickBuild.cmake), which serves -pie as well.
  target_link_options(pmtr_options INTERFACE
    "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>" LINKER:-z,relro,-z,now)
endif()
