# Writes a C++ file with the bytes of some files:
#   cmake -DOUT=x.cpp -DHEADER=pmtr/x.h -DNAMESPACE=pmtr -DNAMES=a;b -DFILES=f;g -P embed_files.cmake
# Each becomes `std::string_view <name>()`. The build runs this, so that nobody needs node or xxd.
set(text "// Made by cmake/embed_files.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "namespace {\nconst unsigned char ${name}_bytes[] = {${bytes}0};\n}  // namespace\n"
    "std::string_view ${name}() { return {reinterpret_cast<const char*>(${name}_bytes), ${size}}; }\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${text}")
