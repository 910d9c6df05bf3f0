// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <vector>

#include "assemble_arguments.h"
#include "bench_arguments.h"
#include "eval_arguments.h"
#include "explain_arguments.h"
#include "project_arguments.h"
#include "study_arguments.h"
#include "train_arguments.h"

namespace pmtr::command {

/// What runs the commands that need torch. `pmtr` has none of these: it declares the commands, and hands them
/// to pmtr-network (network_program.h).
struct NetworkRuns {
  std::function<int(const AssembleArguments&)> assemble;
  std::function<int(const TrainArguments&)> train;
  std::function<int(const EvalArguments&)> eval;
  std::function<int(const BenchArguments&)> bench;
  std::function<int(const StudyArguments&)> study;
  std::function<int(const ExplainArguments&)> explain;
  std::function<int(const ProjectArguments&)> project;
};

/// The commands that need torch, as both programs declare them.
inline std::vector<Command> network_commands(const NetworkRuns& runs) {
  return {assemble_command(runs.assemble), train_command(runs.train), eval_command(runs.eval),
          bench_command(runs.bench),       study_command(runs.study), explain_command(runs.explain),
          project_command(runs.project)};
}

}  // namespace pmtr::command
