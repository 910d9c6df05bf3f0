// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/network_options.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/network/network_options_values.h"

namespace pmtr {
namespace {

using OptionsJson = nlohmann::ordered_json;

/// A value in JSON, as take_value wants it.
class JsonNode {
 public:
  explicit JsonNode(const OptionsJson& json) : json_(json) {}

  std::optional<bool> flag() const { return get<bool>(json_.is_boolean()); }
  std::optional<std::int64_t> whole() const {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (json_.is_number_unsigned() && json_.get<std::uint64_t>() > most) return std::nullopt;
    return get<std::int64_t>(json_.is_number_integer());
  }
  std::optional<double> number() const { return get<double>(json_.is_number()); }
  std::optional<std::string> text() const { return get<std::string>(json_.is_string()); }
  std::optional<std::size_t> size() const {
    return json_.is_array() ? std::optional(json_.size()) : std::nullopt;
  }
  JsonNode operator[](std::size_t i) const { return JsonNode(json_[i]); }

 private:
  template <class T>
  std::optional<T> get(bool fits) const {
    return fits ? std::optional(json_.get<T>()) : std::nullopt;
  }
  const OptionsJson& json_;
};

template <class T>
OptionsJson json_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return word_of(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return as_double(value);
  } else if constexpr (IsArray<T>::value) {
    OptionsJson list = OptionsJson::array();
    for (const auto& entry : value) list.push_back(json_of(entry));
    return list;
  } else {
    return value;
  }
}

}  // namespace

NetworkOptions NetworkOptions::plain() {
  NetworkOptions options;
  options.surface_input = options.fracture_head = options.fracture_context = false;
  options.channel_norm = options.matcher_residual = options.centred_features = false;
  options.kernel_radius = 0.125;
  options.kernel_sigma = 0.1;
  options.count_positive_neighbours = true;
  return options;
}

NetworkOptions NetworkOptions::reference() {
  NetworkOptions options = plain();
  options.norm_scope = NormScope::pair;
  options.distances_by_product = true;
  options.pyramid.ties = TieOrder::reference;
  return options;
}

Status NetworkOptions::validate() const {
  if (fracture_head && break_network)
    return Error{Cause::invalid_option, "fracture_head and break_network: one of them sees the breaks", {}};
  if (break_cloud && (!break_network || surface_input || norm_scope != NormScope::fragment))
    return Error{Cause::invalid_option,
                 "break_cloud: needs break_network, no surface_input and the norm of each fragment by itself",
                 {}};
  PMTR_TRY_STATUS(pyramid.validate());
  for (const double value : {kernel_radius, kernel_sigma, coarse_attention_radius}) {
    if (!std::isfinite(value) || value <= 0.0)
      return Error{Cause::invalid_option, "radii of the network must be positive numbers", {}};
  }
  if (fracture_context && !fracture_head)
    return Error{Cause::invalid_option, "fracture_context needs a fracture_head", {}};
  return {};
}

std::string to_json(const NetworkOptions& options) {
  OptionsJson json;
  json["version"] = 1;
  for_each_field(options, [&](const char* key, const auto& value) { json[key] = json_of(value); });
  return json.dump();
}

Result<NetworkOptions> network_options_from_json(const std::string& text, const std::string& name) {
  const auto problem = [&](Cause cause, std::string message) {
    return Error{cause, std::move(message), {name, {}, {}}};
  };
  OptionsJson json = OptionsJson::parse(text, nullptr, false);
  if (!json.is_object()) return problem(Cause::malformed, "the network's options are not a JSON object");
  Status status;
  const auto take = [&](const char* key, auto& value) {
    const auto found = json.find(key);
    if (found == json.end()) return;
    if (!take_value(JsonNode(*found), value) && status.ok())
      status = problem(Cause::malformed, fmt::format("network option '{}' must be {}", key,
                                                     kind_of_value<std::decay_t<decltype(value)>>()));
    json.erase(key);
  };
  int version = 1;
  take("version", version);
  if (version != 1)
    return problem(Cause::unsupported,
                   fmt::format("network options of version {}; this program knows version 1", version));
  NetworkOptions options = NetworkOptions::plain();
  for_each_field(options, take);
  PMTR_TRY_STATUS(status);
  if (!json.empty())
    return problem(Cause::malformed, fmt::format("unknown network option '{}'", json.begin().key()));
  if (Status sense = options.validate(); !sense.ok())
    return problem(sense.error().cause, sense.error().message);
  return options;
}

}  // namespace pmtr
