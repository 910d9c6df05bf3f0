# What nearly every file includes is parsed once per kind of target instead of once per file: a third of the time of a
# clean build. Off for what users build, so that a missing #include shows up there.
option(PMTR_PRECOMPILED "Precompile the headers of the standard library, Eigen, torch and GoogleTest" OFF)

set(precompiled_base <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
  <string> <utility> <vector> <Eigen/Core> <Eigen/Geometry>)

# KIND is geometry, network, geometry_test or network_test; the first target of a kind makes the header of all.
function(pmtr_precompile target kind)
  if(NOT PMTR_PRECOMPILED)
    return()
  endif()
  get_property(maker GLOBAL PROPERTY pmtr_precompiled_${kind})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
    return()
  endif()
  set(headers ${precompiled_base})
  if(kind MATCHES "network")
    list(APPEND headers <torch/types.h>)
  endif()
  if(kind MATCHES "test")
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
  set_property(GLOBAL PROPERTY pmtr_precompiled_${kind} ${target})
endfunction()
