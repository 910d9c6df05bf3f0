// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pmtr::command {

/// What can be said about an option after it was added.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& range(std::int64_t low, std::int64_t high);
  Option& positive();  ///< a finite number above zero
  Option& one_of(const std::vector<std::string>& words);

 private:
  CLI::Option* option_;
};

/// The options of one command. A thin cover over CLI11, whose header costs every file that includes it nine
/// seconds: only command_line.cpp does. Names are CLI11's: "-o,--out" is an option, "file" a positional
/// argument. Plain values must hold their default, which --help shows; std::optional ones have none.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  Option flag(const std::string& names, bool& target, const std::string& help);
  Option number(const std::string& names, std::uint64_t& target, const std::string& help);
  Option number(const std::string& names, int& target, const std::string& help);
  Option number(const std::string& names, double& target, const std::string& help);
  Option number(const std::string& names, std::optional<int>& target, const std::string& help);
  Option number(const std::string& names, std::optional<double>& target, const std::string& help);
  Option text(const std::string& names, std::string& target, const std::string& type,
              const std::string& help);
  Option texts(const std::string& names, std::vector<std::string>& target, const std::string& type,
               const std::string& help);
  Option file(const std::string& names, std::filesystem::path& target, const std::string& help);
  Option file(const std::string& names, std::optional<std::filesystem::path>& target,
              const std::string& help);
  Option files(const std::string& names, std::vector<std::filesystem::path>& target, const std::string& help);
  Option folder(const std::string& names, std::filesystem::path& target, const std::string& help);
  Option folder(const std::string& names, std::optional<std::filesystem::path>& target,
                const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace pmtr::command
