# `cpack` in the build folder makes .deb files: pmtr (the program, the weights, an example), libpmtr-dev (to build with
# the library) and python3-pmtr. `make package` does it all; packaging/ has what goes in beside the build.
set(example_dir "${CMAKE_INSTALL_DATADIR}/pmtr/examples")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/bowl" DESTINATION ${example_dir} COMPONENT program)
install(FILES "${PROJECT_SOURCE_DIR}/packaging/pmtr.bash" DESTINATION
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pmtr COMPONENT program)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/pmtr")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/examples" "${PROJECT_BINARY_DIR}/share/pmtr/examples" SYMBOLIC)

find_program(PMTR_BASH bash)
find_program(PMTR_GZIP gzip)
if(NOT PMTR_BASH OR NOT PMTR_GZIP OR CMAKE_CROSSCOMPILING OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(man "${PROJECT_BINARY_DIR}/man")
add_custom_command(OUTPUT "${man}/pmtr.1.gz"
  COMMAND ${PMTR_BASH} "${PROJECT_SOURCE_DIR}/packaging/man_pages.sh" $<TARGET_FILE:pmtr> ${PROJECT_VERSION} "${man}"
  DEPENDS pmtr "${PROJECT_SOURCE_DIR}/packaging/man_pages.sh" VERBATIM)
add_custom_target(man_pages ALL DEPENDS "${man}/pmtr.1.gz")
install(DIRECTORY "${man}/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILES_MATCHING PATTERN "*.gz")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pmtr)
set(CPACK_PACKAGE_VENDOR "The pmtr authors")
set(CPACK_PACKAGE_CONTACT "The pmtr authors <maintainers@pmtr.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_SOURCE_DIR}/build/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME pmtr)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libopenblas0-pthread | libopenblas0")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Reads meshes or clouds of fragments, finds which belong side by side and
how, and writes them at their places, with a report of how sure each joint
is. The weights of the network and an example come with it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpmtr-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libeigen3-dev, libfmt-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libtorch-dev, cmake")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers, static libraries and the files for find_package(pmtr) of CMake.
The component network needs libtorch-dev as well.")

if(PMTR_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  math(EXPR next_minor "${PMTR_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pmtr)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "pmtr (= ${PROJECT_VERSION}), python3-numpy, python3 (>= 3.${PMTR_PYTHON_MINOR}~), python3 (<< 3.${next_minor})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/debian/postinst"
    "${PROJECT_SOURCE_DIR}/packaging/debian/prerm")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "The Python module: meshes and poses as numpy arrays, assemblies that a
notebook shows.")
endif()

# What every Debian package has: its licence and its changes.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file("${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in" "${PROJECT_BINARY_DIR}/debian/changelog" @ONLY)
execute_process(COMMAND ${PMTR_GZIP} -9nf "${PROJECT_BINARY_DIR}/debian/changelog" COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES "${PROJECT_SOURCE_DIR}/packaging/debian/copyright" "${PROJECT_BINARY_DIR}/debian/changelog.gz"
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()
include(CPack)
