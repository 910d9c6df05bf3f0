# Run by `cmake --install`, so that what is installed is what the headers include at that moment:
#   SOURCE src/pmtr, DESTINATION the folder include/pmtr of the installation, STAGES whose headers are wanted
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/PublicHeaders.cmake")
pmtr_public_headers(headers "${SOURCE}" "${STAGES}")
foreach(header IN LISTS headers)
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${SOURCE}/${header}" DESTINATION "${DESTINATION}/${folder}")
endforeach()
