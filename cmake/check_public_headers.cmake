# Says how many headers users get, and fails where one is no business of theirs:
#   cmake -DSOURCE=src/pmtr -P check_public_headers.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/Layers.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake")
# So that an #include that drags a dozen private headers along is noticed.
set(most 110)

pmtr_public_headers(headers "${SOURCE}" "${PMTR_GEOMETRY_STAGES};${PMTR_NETWORK_STAGES}")
list(LENGTH PMTR_PUBLIC_HEADERS named)
list(LENGTH headers count)
message(STATUS "${named} headers for users; ${count} with what they include, of which ${most} are allowed")
set(private ${headers})
list(FILTER private INCLUDE REGEX "(_body|_loops|_test_[a-z]+|/simd|/isa)\\.h$")
if(private OR count GREATER most)
  message(FATAL_ERROR "too many headers, or private ones (${private}), are reached from cmake/PublicHeaders.cmake")
endif()
pmtr_public_headers(without_network "${SOURCE}" "${PMTR_GEOMETRY_STAGES}")
list(JOIN PMTR_NETWORK_STAGES "|" network)
list(FILTER without_network INCLUDE REGEX "^(${network})/")
if(without_network)
  message(FATAL_ERROR "headers that need no torch include some that do: ${without_network}")
endif()
