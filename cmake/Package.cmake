# find_package(pmtr [COMPONENTS geometry network]): the libraries, their headers, and where they are. The two
# libraries have an export set each, so that a user of the geometry alone does not need torch.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pmtr")
set(PMTR_COMPONENTS geometry)
if(PMTR_NETWORK)
  list(APPEND PMTR_COMPONENTS network)
endif()

foreach(component IN LISTS PMTR_COMPONENTS)
  install(TARGETS pmtr_${component} EXPORT pmtr_${component}_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT pmtr_${component}_targets FILE pmtr_${component}_targets.cmake NAMESPACE pmtr::
    DESTINATION ${package_dir})
endforeach()

# What the loops of the kernels are made of is compiled into the libraries and means nothing outside; so do
# the helpers of tests.
set(header_filter REGEX "(_loops|_test_[a-z]+|/simd|/isa)\\.h$" EXCLUDE)
if(NOT PMTR_NETWORK)
  list(APPEND header_filter REGEX "/(network|pipeline|train)/" EXCLUDE)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/pmtr" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" ${header_filter})

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/pmtrConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/pmtrConfig.cmake" INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pmtrConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/pmtrConfig.cmake" "${PROJECT_BINARY_DIR}/pmtrConfigVersion.cmake"
  DESTINATION ${package_dir})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
