// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string_view>

/// The files of web/dist, built into the library (cmake/embed_files.cmake).
namespace pmtr::web {

std::string_view page();
std::string_view style();
std::string_view script();

}  // namespace pmtr::web
