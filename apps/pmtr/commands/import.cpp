// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "commands.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr::command {
namespace {

struct ImportArguments {
  std::filesystem::path checkpoint;
  std::filesystem::path out;
};

int run_import(const ImportArguments& arguments) {
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.checkpoint, arguments.out, ignored)) {
    complain("the checkpoint and the result are the same file");
    return exit_code::usage;
  }
  Result<WeightFile> weights = read_weights(arguments.checkpoint);
  if (!weights.ok()) return report(weights.error());
  if (const std::string prefix = strip_common_prefix(*weights); !prefix.empty()) {
    say(fmt::format("'{}' removed from the front of all names", prefix));
  }
  const Status written = write_file(arguments.out, format_safetensors(*weights));
  if (!written.ok()) return report(written.error());
  std::int64_t parameters = 0;
  for (const NamedArray& array : weights->arrays) parameters += array.numel();
  say(fmt::format("{}: {} arrays, {} numbers", arguments.out.string(), weights->arrays.size(), parameters));
  return exit_code::done;
}

}  // namespace

Command import_command() {
  const auto arguments = std::make_shared<ImportArguments>();
  Command command;
  command.name = "import";
  command.summary = "Convert a PyTorch checkpoint (.pth, .ckpt) to safetensors";
  command.declare = [arguments](Options& options) {
    options.file("checkpoint", arguments->checkpoint, "A file written by torch.save or PyTorch Lightning")
        .required();
    options.file("-o,--out", arguments->out, "The safetensors file to write").required();
  };
  command.run = [arguments] { return run_import(*arguments); };
  return command;
}

}  // namespace pmtr::command
