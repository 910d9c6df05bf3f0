// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train_slurm.h"

#include <vector>

#include <fmt/format.h>

#include "network_program.h"
#include "pmtr/project/slurm_scripts.h"
#include "train_workers.h"

namespace pmtr::command {

std::string slurm_script(int machines, const std::filesystem::path& out, std::optional<int> threads) {
  std::string words = shell_word(front_program().string());
  const std::vector<std::string> own = own_words_without("--slurm");
  for (std::size_t i = 1; i < own.size(); ++i) words += " " + shell_word(own[i]);
  std::string text = "#!/bin/bash\n#SBATCH --job-name=pmtr-train\n#SBATCH --output=pmtr-train-%j.log\n";
  text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n", machines);
  text += threads ? fmt::format("#SBATCH --cpus-per-task={}\n", *threads) : "#SBATCH --exclusive\n";
  text += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
  std::error_code ignored;
  text += fmt::format("cd {} || exit\n", shell_word(std::filesystem::current_path(ignored).string()));
  text += "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n";
  text += "export MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))\n";
  text += "# A job that lost a machine begins again and goes on from its newest checkpoint.\n";
  text += fmt::format("set --; [ -d {} ] && set -- --resume\n", shell_word((out / "checkpoints").string()));
  text += "srun bash -c 'RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS exec \"$@\"' pmtr \\\n";
  return text + fmt::format("  {} \"$@\"\n", words);
}

}  // namespace pmtr::command
