// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/system.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/network/pmtr_network.h"
#include "pmtr/systems/models.h"

namespace pmtr {
namespace {

constexpr int common_points = 1000;
constexpr int common_parts = 20;

constexpr std::array<SystemInfo, 6> system_table{{
    {"global", "Global", common_points, common_parts, make_global_model},
    {"lstm", "LSTM", common_points, common_parts, make_lstm_model},
    {"dgl", "DGL", common_points, common_parts, make_dgl_model},
    {"nsm", "NSM", 1024, 2, make_nsm_model},
    {"wu", "Wu et al.", common_points, common_parts, make_wu_model},
    {"wu-correlated", "Wu et al., correlated", common_points, common_parts, make_correlated_wu_model},
}};

}  // namespace

std::span<const SystemInfo> all_systems() { return system_table; }

Result<const SystemInfo*> find_system(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SystemInfo& info : system_table) {
    if (info.name == name) return &info;
    names.emplace_back(info.name);
  }
  return invalid_option(fmt::format("--system {}: must be one of {}", name, fmt::join(names, ", ")));
}

System::System(const SystemInfo& info, std::uint64_t seed)
    : info_(&info), parameters_(std::make_unique<Parameters>()) {
  Random random(seed);
  model_ = info.make(ParameterScope(*parameters_, random));
}

Result<System> System::create(std::string_view name, std::uint64_t seed) {
  PMTR_TRY(const SystemInfo* info, find_system(name));
  return System(*info, seed);
}

Status check_system(std::string_view name, const WeightFile& file, const std::string& file_name) {
  const auto found = file.metadata.find(system_key);
  if (found == file.metadata.end())
    return error_at(file_name, Cause::mismatch,
                    fmt::format("not weights of the system '{}'; those of pmtr's own network go without "
                                "--system",
                                name));
  if (found->second != name)
    return error_at(file_name, Cause::mismatch,
                    fmt::format("weights of the system '{}', not of '{}'", found->second, name));
  return {};
}

Result<System> System::load(std::string_view name, const WeightFile& file, const std::string& file_name) {
  PMTR_TRY(System system, create(name, 0));
  PMTR_TRY_STATUS(check_system(name, file, file_name));
  PMTR_TRY_STATUS(system.parameters_->load(file, file_name));
  return system;
}

WeightFile System::save() const {
  WeightFile file;
  file.metadata[system_key] = info_->name;
  parameters_->save(file);
  return file;
}

Status System::accepts(std::int64_t parts) const {
  if (parts >= 2 && parts <= info_->most_parts) return {};
  const std::string range =
      info_->most_parts == 2 ? "two parts only" : fmt::format("2 to {} parts", info_->most_parts);
  return Error{Cause::unsupported, fmt::format("{} takes {}; these are {}", info_->title, range, parts), {}};
}

}  // namespace pmtr
