// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/network_options.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pmtr {
namespace {

using Json = nlohmann::ordered_json;

Error bad_option(const std::string& message) { return {Cause::invalid_option, message, {}}; }

/// Reads known keys of one JSON object; the first problem is kept, what is left at the end is unknown.
class Fields {
 public:
  Fields(Json object, std::string name) : object_(std::move(object)), name_(std::move(name)) {}

  void number(const char* key, double& value) {
    take(key, [&](const Json& j) { return j.is_number() && (value = j.get<double>(), true); });
  }
  void integer(const char* key, int& value) {
    take(key, [&](const Json& j) { return j.is_number_integer() && (value = j.get<int>(), true); });
  }
  void flag(const char* key, bool& value) {
    take(key, [&](const Json& j) { return j.is_boolean() && (value = j.get<bool>(), true); });
  }
  template <class T, std::size_t N>
  void array(const char* key, std::array<T, N>& values) {
    take(key, [&](const Json& j) {
      if (!j.is_array() || j.size() != N) return false;
      for (std::size_t i = 0; i < N; ++i) {
        if (!j[i].is_number()) return false;
        values[i] = j[i].template get<T>();
      }
      return true;
    });
  }
  template <class Parse>
  void take(const char* key, Parse parse) {
    const auto it = object_.find(key);
    if (it == object_.end()) return;
    if (!parse(*it) && status_.ok())
      status_ = problem(fmt::format("network option '{}' has a wrong value", key));
    object_.erase(key);
  }

  Status finish() const {
    if (!status_.ok()) return status_;
    if (!object_.empty()) return problem(fmt::format("unknown network option '{}'", object_.begin().key()));
    return {};
  }

 private:
  Error problem(const std::string& message) const { return {Cause::malformed, message, {name_, {}, {}}}; }

  Json object_;
  std::string name_;
  Status status_;
};

}  // namespace

NetworkOptions NetworkOptions::reference() {
  NetworkOptions options;
  options.norm_scope = NormScope::pair;
  options.distances_by_product = true;
  options.pyramid.ties = TieOrder::reference;
  return options;
}

Status NetworkOptions::validate() const {
  PMTR_TRY_STATUS(pyramid.validate());
  for (const double value : {kernel_radius, kernel_sigma, coarse_attention_radius}) {
    if (!std::isfinite(value) || value <= 0.0)
      return bad_option("radii of the network must be positive numbers");
  }
  if (fracture_context && !fracture_head) return bad_option("fracture_context needs a fracture_head");
  return {};
}

std::string to_json(const NetworkOptions& options) {
  Json json;
  json["version"] = 1;
  json["norm_scope"] = options.norm_scope == NormScope::pair ? "pair" : "fragment";
  // Floats go through their shortest decimal form: 0.02, not 0.019999999552965164.
  const auto decimals = [](const auto& values) {
    Json array = Json::array();
    for (const auto value : values) array.push_back(std::stod(fmt::format("{}", value)));
    return array;
  };
  json["voxel"] = decimals(options.pyramid.voxel);
  json["radius"] = decimals(options.pyramid.radius);
  json["neighbour_limit"] = options.pyramid.neighbour_limit;
  json["ties"] = options.pyramid.ties == TieOrder::reference ? "reference" : "index";
  json["kernel_radius"] = options.kernel_radius;
  json["kernel_sigma"] = options.kernel_sigma;
  json["coarse_attention_radius"] = options.coarse_attention_radius;
  json["count_positive_neighbours"] = options.count_positive_neighbours;
  json["distances_by_product"] = options.distances_by_product;
  json["centred_features"] = options.centred_features;
  json["matcher_residual"] = options.matcher_residual;
  json["channel_norm"] = options.channel_norm;
  json["fracture_head"] = options.fracture_head;
  json["fracture_context"] = options.fracture_context;
  constexpr const char* proxy_words[] = {"none", "separate", "shared"};
  json["proxies"] = proxy_words[static_cast<int>(options.proxies)];
  json["surface_input"] = options.surface_input;
  return json.dump();
}

Result<NetworkOptions> network_options_from_json(const std::string& text, const std::string& name) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return Error{Cause::malformed, "the network's options are not a JSON object", {name, {}, {}}};
  NetworkOptions options;
  int version = 1;
  Fields fields(std::move(json), name);
  fields.integer("version", version);
  fields.take("norm_scope", [&](const Json& j) {
    if (j == "pair") options.norm_scope = NormScope::pair;
    return j == "pair" || j == "fragment";
  });
  fields.array("voxel", options.pyramid.voxel);
  fields.array("radius", options.pyramid.radius);
  fields.array("neighbour_limit", options.pyramid.neighbour_limit);
  fields.take("ties", [&](const Json& j) {
    if (j == "reference") options.pyramid.ties = TieOrder::reference;
    return j == "reference" || j == "index";
  });
  fields.number("kernel_radius", options.kernel_radius);
  fields.number("kernel_sigma", options.kernel_sigma);
  fields.number("coarse_attention_radius", options.coarse_attention_radius);
  fields.flag("count_positive_neighbours", options.count_positive_neighbours);
  fields.flag("distances_by_product", options.distances_by_product);
  fields.flag("centred_features", options.centred_features);
  fields.flag("matcher_residual", options.matcher_residual);
  fields.flag("channel_norm", options.channel_norm);
  fields.flag("fracture_head", options.fracture_head);
  fields.flag("fracture_context", options.fracture_context);
  fields.take("proxies", [&](const Json& j) {
    if (j == "none") options.proxies = ProxyKind::none;
    if (j == "separate") options.proxies = ProxyKind::separate;
    return j == "none" || j == "separate" || j == "shared";
  });
  fields.flag("surface_input", options.surface_input);
  if (version != 1) {
    return Error{Cause::unsupported,
                 fmt::format("network options of version {}; this program knows version 1", version),
                 {name, {}, {}}};
  }
  PMTR_TRY_STATUS(fields.finish());
  if (Status status = options.validate(); !status.ok()) {
    Error error = status.error();
    error.place.file = name;
    return error;
  }
  return options;
}

}  // namespace pmtr
