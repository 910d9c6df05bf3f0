// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "bench_arguments.h"

#include <memory>

namespace pmtr::command {

Command bench_command(const std::function<int(const BenchArguments&)>& run) {
  auto arguments = std::make_shared<BenchArguments>();
  Command command;
  command.name = "bench";
  command.summary = "Measure the speed and memory of every stage, beside the peak of the machine";
  command.declare = [arguments](Options& options) {
    options.files(
        "clouds", arguments->clouds,
        "Two fragments whose vertices are used as point clouds (default: a generated object); or the "
        "word matchers: what each matcher costs");
    options.file("--json", arguments->json, "Write all figures to this file");
    options.file("--weights", arguments->weights, "Weights (default: untrained; speed is the same)");
    options.number("--threads", arguments->threads, "Threads (default: all cores)").range(1, 4096);
    options.number("--repeats", arguments->repeats, "Runs per median (default: 10)").range(1, 1000);
    options.flag("--quick", arguments->quick, "Fewer runs and sizes: a rough idea, not a measurement");
    options.text("--only", arguments->only, "NAME",
                 "Make one measurement and print it as JSON: peak, pair, train, points:N, parts:N or "
                 "matchers:COARSE,FINE:N");
  };
  if (run) command.run = [arguments, run] { return run(*arguments); };
  return command;
}

}  // namespace pmtr::command
