// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "console.h"
#include "network_program.h"

namespace pmtr::command {
namespace {

using nlohmann::json;

/// "key : value" of /proc/cpuinfo and /proc/meminfo.
std::optional<std::pair<std::string, std::string>> split_line(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::size_t key_end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
  const std::size_t value_begin = line.find_first_not_of(" \t", colon + 1);
  return std::pair(line.substr(0, key_end + 1),
                   value_begin == std::string::npos ? "" : line.substr(value_begin));
}

json inspect_cpu() {
  json cpu{{"model", "unknown"}, {"threads", std::thread::hardware_concurrency()}};
  std::ifstream file("/proc/cpuinfo");
  std::set<std::pair<std::string, std::string>> cores;  // (socket, core)
  std::string socket;
  for (std::string line; std::getline(file, line);) {
    const auto entry = split_line(line);
    if (!entry) continue;
    if (entry->first == "model name") cpu["model"] = entry->second;
    if (entry->first == "physical id") socket = entry->second;
    if (entry->first == "core id") cores.emplace(socket, entry->second);
  }
  cpu["cores"] = cores.empty() ? cpu["threads"] : json(cores.size());
#if defined(__x86_64__)
  cpu["features"] = {{"avx2", __builtin_cpu_supports("avx2") != 0},
                     {"fma", __builtin_cpu_supports("fma") != 0},
                     {"avx512f", __builtin_cpu_supports("avx512f") != 0}};
#else
  cpu["features"] = json::object();
#endif
  return cpu;
}

json inspect_memory() {
  json memory = json::object();
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    const auto entry = split_line(line);
    if (!entry) continue;
    const char* name = entry->first == "MemTotal"       ? "total_mb"
                       : entry->first == "MemAvailable" ? "available_mb"
                                                        : nullptr;
    if (name != nullptr) memory[name] = std::strtoll(entry->second.c_str(), nullptr, 10) / 1024;
  }
  return memory;
}

json inspect_network() {
  const auto program = find_network_program();
  if (!program) return {{"present", false}};
  json network = ask_network_versions(*program);
  network["present"] = true;
  network["program"] = program->string();
  // Debian's reference BLAS is what libtorch gets when nothing better is installed.
  const std::string blas = network.value("blas", "");
  if (blas.find("/blas/libblas.so") != std::string::npos) {
    network["advice"] =
        "this is the reference BLAS, many times slower than others; install libopenblas0-pthread";
  }
  return network;
}

std::string describe(const json& report) {
  auto text_of = [](const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  const json& cpu = report["cpu"];
  const json& network = report["network"];
  std::string features;
  for (const char* name : {"avx2", "fma", "avx512f"}) {
    if (!cpu["features"].contains(name)) continue;
    features +=
        fmt::format("{} {}{}", features.empty() ? ";" : ",", cpu["features"][name] ? "" : "no ", name);
  }
  std::string text;
  auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<9} {}\n", name, value);
  };
  line("pmtr", fmt::format("{}, {} build, {}", text_of(report["version"]), text_of(report["build_type"]),
                           text_of(report["compiler"])));
  line("cpu", text_of(cpu["model"]));
  line("", fmt::format("{} cores, {} threads{}", text_of(cpu["cores"]), text_of(cpu["threads"]), features));
  line("memory",
       fmt::format("{} MB, {} MB of it available", text_of(report["memory"].value("total_mb", json("?"))),
                   text_of(report["memory"].value("available_mb", json("?")))));
  if (!network["present"].get<bool>()) {
    line("network", "not in this build: fragments cannot be assembled with it");
  } else if (network.contains("error")) {
    line("network", fmt::format("broken: {} ({})", text_of(network["error"]), text_of(network["program"])));
  } else {
    line("network", fmt::format("torch {}", text_of(network["torch"])));
    line("blas", network.contains("blas") ? text_of(network["blas"]) : "inside torch");
    if (network.contains("advice")) line("", text_of(network["advice"]));
  }
  return text;
}

}  // namespace

Command doctor_command() {
  const auto as_json = std::make_shared<bool>(false);
  Command command;
  command.name = "doctor";
  command.summary = "Show what this machine and this build can do";
  command.declare = [as_json](Options& options) { options.flag("--json", *as_json, "Print JSON"); };
  command.run = [as_json] {
    const json report{{"version", PMTR_VERSION},    {"build_type", PMTR_BUILD_TYPE},
                      {"compiler", PMTR_COMPILER},  {"cpu", inspect_cpu()},
                      {"memory", inspect_memory()}, {"network", inspect_network()}};
    return *as_json ? print_json(report) : print(describe(report));
  };
  return command;
}

}  // namespace pmtr::command
