# Called by CTest; see CMakeLists.txt for the variables.
file(REMOVE_RECURSE "${work}")
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install "${build}" --prefix "${work}/prefix")

# The folder is moved afterwards: nothing in the package may depend on where it was installed.
file(RENAME "${work}/prefix" "${work}/moved")
set(without_torch)
if(component STREQUAL "geometry")
  set(without_torch -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON)
endif()
run(${CMAKE_COMMAND} -S "${source}" -B "${work}/build" -G "${generator}" "-DCMAKE_BUILD_TYPE=${type}"
  "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}" "-DCMAKE_CXX_FLAGS=${flags}"
  "-DCMAKE_PREFIX_PATH=${work}/moved" "-Dpmtr_headers=${work}/moved/${includedir}" -Dcomponent=${component}
  ${without_torch})
run(${CMAKE_COMMAND} --build "${work}/build")
run("${work}/build/consumer")
if(NOT output MATCHES "consumer: 3 2 1")
  message(FATAL_ERROR "unexpected output of the consumer: ${output}")
endif()

# The installed command runs from where it stands now and finds its other half.
run("${work}/moved/bin/pmtr" doctor --json)
if(component STREQUAL "network" AND NOT output MATCHES "\"torch\"")
  message(FATAL_ERROR "the installed pmtr does not find pmtr-network: ${output}")
endif()
