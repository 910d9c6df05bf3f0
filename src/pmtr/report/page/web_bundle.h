// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string_view>

/// The files of web/dist, built into the library (cmake/embed_files.cmake).
namespace pmtr::web {

std::string_view page();
std::string_view style();
std::string_view script();

// The workbench (`pmtr app`).
std::string_view app_page();
std::string_view app_style();
std::string_view app_script();

}  // namespace pmtr::web
