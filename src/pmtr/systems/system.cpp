// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/system.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/core/check.h"
#include "pmtr/network/pmtr_network.h"
#include "pmtr/systems/jigsaw_network.h"
#include "pmtr/systems/models.h"

namespace pmtr {
namespace {

constexpr int common_points = 1000;
constexpr int common_parts = 20;

constexpr SystemInfo by_regression(const char* name, const char* title, int points, int most_parts,
                                   std::unique_ptr<PoseModel> (*make)(const ParameterScope&)) {
  return {name, title, points, most_parts, SystemKind::regression, make};
}

constexpr std::array<SystemInfo, 8> system_table{{
    by_regression("global", "Global", common_points, common_parts, make_global_model),
    by_regression("lstm", "LSTM", common_points, common_parts, make_lstm_model),
    by_regression("dgl", "DGL", common_points, common_parts, make_dgl_model),
    by_regression("nsm", "NSM", 1024, 2, make_nsm_model),
    by_regression("wu", "Wu et al.", common_points, common_parts, make_wu_model),
    by_regression("wu-correlated", "Wu et al., correlated", common_points, common_parts,
                  make_correlated_wu_model),
    {"jigsaw", "Jigsaw", 5000, common_parts, SystemKind::jigsaw, nullptr},
    {"geotransformer", "GeoTransformer", 5000, common_parts, SystemKind::network, nullptr},
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
  const ParameterScope scope(*parameters_, random);
  if (info.kind == SystemKind::jigsaw) {
    jigsaw_ = std::make_shared<const JigsawNetwork>(scope);
  } else {
    model_ = info.make(scope);
  }
}

const PoseModel& System::model() const {
  PMTR_CHECK(model_ != nullptr, "a system that finds poses by regression");
  return *model_;
}

const JigsawNetwork& System::jigsaw() const {
  PMTR_CHECK(jigsaw_ != nullptr, "a system that matches breaks");
  return *jigsaw_;
}

Result<System> System::create(std::string_view name, std::uint64_t seed) {
  PMTR_TRY(const SystemInfo* info, find_system(name));
  if (info->kind == SystemKind::network)
    return invalid_option(fmt::format("{} is a kind of pmtr's own network", info->title));
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

Status accepts_parts(const SystemInfo& info, std::int64_t parts) {
  if (parts >= 2 && parts <= info.most_parts) return {};
  const std::string range =
      info.most_parts == 2 ? "two parts only" : fmt::format("2 to {} parts", info.most_parts);
  return Error{Cause::unsupported, fmt::format("{} takes {}; these are {}", info.title, range, parts), {}};
}

}  // namespace pmtr
