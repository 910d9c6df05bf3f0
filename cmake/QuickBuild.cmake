# Two ways to compile less. Both are off in the presets `plain` and `lint`, so that a missing #include shows up there.
# What nearly every file includes is parsed once per kind of target instead of once per file.
option(PMTR_PRECOMPILED "Precompile the headers of the standard library, Eigen, torch and GoogleTest" OFF)

set(precompiled_base <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
  <string> <utility> <vector> <Eigen/Core> <Eigen/Geometry>)

# Code that runs once per file, command or batch: -O1 takes a quarter off its compile time, gives the same bits, and no
# command runs longer for it. GCC takes the level of a precompiled header for all that is compiled with it, so this is a
# matter of whole targets. Loops over points, pairs and matches stay at the level of the build type.
function(pmtr_compile_briefly target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()

# KIND is geometry, brief, network, geometry_test or network_test; the first target of a kind makes the header of all.
# Targets of a kind have the same options.
function(pmtr_precompile target kind)
  if(NOT PMTR_PRECOMPILED)
    return()
  endif()
  # A program would be compiled with -fPIE, which a header that was compiled with -fPIC does not serve.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE AND NOT kind MATCHES "test")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  get_property(maker GLOBAL PROPERTY pmtr_precompiled_${kind})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
    return()
  endif()
  set(headers ${precompiled_base})
  # Not for tests: some link fmt and some do not, and it defines a macro that its header reads.
  if(NOT kind MATCHES "test")
    list(APPEND headers <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
  endif()
  if(kind MATCHES "network")
    list(APPEND headers <torch/types.h>)
  endif()
  if(kind MATCHES "test")
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
  set_property(GLOBAL PROPERTY pmtr_precompiled_${kind} ${target})
endfunction()

# The sources of a folder are one translation unit: most of a clean build is parsing headers and instantiating the same
# templates in every file. For clean builds; a change of one file compiles its whole folder.
option(PMTR_UNITY "Compile the sources of a folder together" OFF)

# pmtr_unite(target file...): files of the same folder under `target`.
function(pmtr_unite target)
  if(NOT PMTR_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that is included for a header, where a lambda must not hold a type of an anonymous namespace.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # GCC looks for unused memory each time that its heap has doubled; these units seldom hold any.
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=500;--param=ggc-min-heapsize=1000000>")
  foreach(file IN LISTS ARGN)
    get_filename_component(folder "${file}" DIRECTORY)
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${folder}")
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_property(SOURCE "${file}" PROPERTY UNITY_GROUP ${group})
  endforeach()
endfunction()
