// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <memory>
#include <string>

#include "commands.h"
#include "console.h"
#include "info.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr::command {
namespace {

int run_info(const InfoArguments& arguments) {
  // Weights are known by their content, meshes by their extension first.
  return format_of_extension(arguments.file) ? print_mesh_info(arguments) : print_weight_info(arguments);
}

}  // namespace

Command info_command() {
  const auto arguments = std::make_shared<InfoArguments>();
  Command command;
  command.name = "info";
  command.summary = "Show what is in a mesh or weight file";
  command.declare = [arguments](Options& options) {
    options.file("file", arguments->file, "OBJ, PLY, STL, OFF, GLB, safetensors or a PyTorch checkpoint")
        .required();
    options.flag("--tensors", arguments->tensors, "List every tensor of a weight file");
    options.flag("--json", arguments->json, "Print JSON");
  };
  command.run = [arguments] { return run_info(*arguments); };
  return command;
}

}  // namespace pmtr::command
