// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/project/slurm_scripts.h"

#include <algorithm>

#include <fmt/format.h>

namespace pmtr {
namespace {

/// Goes into a comment that sbatch reads: nothing there can be quoted.
bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == ':' || c == '.' || c == ',' || c == '_';
  });
}

std::string head(const std::string& stage, const std::string& logs, int threads,
                 const SlurmOptions& options) {
  const SlurmNeed& need = options.need.at(stage);
  std::string text = "#!/bin/bash\n";
  text += fmt::format("#SBATCH --job-name=pmtr-{}\n", stage);
  text += fmt::format("#SBATCH --output={}\n", logs);
  text += fmt::format("#SBATCH --ntasks=1\n#SBATCH --cpus-per-task={}\n", threads);
  text += fmt::format("#SBATCH --time={}\n#SBATCH --mem={}\n", need.time, need.memory);
  // What is done is kept, so a task that lost its node begins again and goes on.
  text += "#SBATCH --requeue\n";
  if (!options.partition.empty()) text += fmt::format("#SBATCH --partition={}\n", options.partition);
  return text;
}

}  // namespace

Status SlurmOptions::validate() const {
  if (tasks < 1 || tasks > 100'000) return invalid_option("an array has 1 to 100000 tasks");
  if (threads < 1 || solve_threads < 1) return invalid_option("a task needs at least one core");
  for (const char* stage : {"encode", "match", "search", "solve"}) {
    const auto found = need.find(stage);
    if (found == need.end()) return invalid_option(fmt::format("nothing is said of what {} takes", stage));
    for (const std::string& text : {found->second.time, found->second.memory}) {
      if (text.empty() || !is_plain(text))
        return invalid_option(fmt::format("'{}': times and memory are written as sbatch does", text));
    }
  }
  if (!is_plain(partition)) return invalid_option(fmt::format("'{}' is no name of a partition", partition));
  return {};
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::vector<std::pair<std::string, std::string>> slurm_scripts(const std::filesystem::path& folder,
                                                               const std::filesystem::path& pmtr,
                                                               const SlurmOptions& options) {
  const std::string program = shell_word(pmtr.string());
  const std::string project = shell_word(folder.string());
  std::vector<std::pair<std::string, std::string>> scripts;
  for (const char* stage : {"encode", "match", "search"}) {
    // Output goes where sbatch is called: a comment cannot quote the folder's name. submit.sh calls it in
    // slurm/.
    std::string text = head(stage, fmt::format("{}-%A_%a.log", stage), options.threads, options);
    text += fmt::format("#SBATCH --array=1-{}\n", options.tasks);
    text += fmt::format(
        "exec {} project {} {} --shard \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\" --threads {}\n",
        program, stage, project, options.threads);
    scripts.emplace_back(std::string(stage) + ".sh", std::move(text));
  }
  std::string solve = head("solve", "solve-%j.log", options.solve_threads, options);
  solve += fmt::format("exec {} project solve {} --threads {}{}\n", program, project, options.solve_threads,
                       options.solve_arguments.empty() ? "" : " " + options.solve_arguments);
  scripts.emplace_back("solve.sh", std::move(solve));
  std::string submit =
      "#!/bin/bash\n"
      "# Each stage begins when the one before has done well; prints the numbers of the jobs.\n"
      "set -euo pipefail\n";
  submit += fmt::format("cd {}\n", shell_word((folder / "slurm").string()));
  submit +=
      "encode=$(sbatch --parsable \"$@\" encode.sh)\n"
      "match=$(sbatch --parsable --dependency=afterok:\"${encode%%;*}\" \"$@\" match.sh)\n"
      "search=$(sbatch --parsable --dependency=afterok:\"${match%%;*}\" \"$@\" search.sh)\n"
      "solve=$(sbatch --parsable --dependency=afterok:\"${search%%;*}\" \"$@\" solve.sh)\n"
      "echo \"${encode%%;*} ${match%%;*} ${search%%;*} ${solve%%;*}\"\n";
  scripts.emplace_back("submit.sh", std::move(submit));
  return scripts;
}

}  // namespace pmtr
