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
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT pmtr_${component}_targets FILE pmtr_${component}_targets.cmake NAMESPACE pmtr::
    DESTINATION ${package_dir} COMPONENT development)
endforeach()

# Not all headers: those of PublicHeaders.cmake and what they include. A user without torch gets none that wants it.
set(header_stages ${PMTR_GEOMETRY_STAGES})
if(PMTR_NETWORK)
  list(APPEND header_stages ${PMTR_NETWORK_STAGES})
endif()
install(CODE "
  set(SOURCE \"${PROJECT_SOURCE_DIR}/src/pmtr\")
  set(DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/pmtr\")
  set(STAGES \"${header_stages}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")" COMPONENT development)
if(PMTR_TESTS)
  add_test(NAME public_headers COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}/src/pmtr"
    -P "${CMAKE_CURRENT_LIST_DIR}/check_public_headers.cmake")
  set_tests_properties(public_headers PROPERTIES LABELS unit)
endif()

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/pmtrConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/pmtrConfig.cmake" INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pmtrConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/pmtrConfig.cmake" "${PROJECT_BINARY_DIR}/pmtrConfigVersion.cmake"
  DESTINATION ${package_dir} COMPONENT development)
# Debian packages name their licence in another way (DebianPackages.cmake).
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
