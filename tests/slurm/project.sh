#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# A project of generated fragments as Slurm jobs: arrays of 8 with a dependent solve come to what one process comes to,
# bit for bit, although a task of the match array is killed in the middle and requeued.
#   tests/slurm/cluster.sh tests/slurm/project.sh PMTR [VESSELS]        20 fragments of each vessel; default: 1
set -euo pipefail
pmtr=$1
vessels=${2:-1}
folder=$(mktemp -d /tmp/pmtr_slurm_project.XXXXXX)
trap 'rm -rf "$folder"' EXIT

for ((seed = 1; seed <= vessels; ++seed)); do
  "$pmtr" fracture --shape vase --pieces 20 --seed "$seed" --scatter --out "$folder/data/$seed" 2>/dev/null
done
mapfile -t pieces < <(find "$folder/data" -name '*.ply' | sort)
# Two vessels have pieces of the same name, and results are named like them.
links=()
mkdir "$folder/scans"
for i in "${!pieces[@]}"; do
  name="$folder/scans/$(printf '%04d' "$i").ply"
  mv "${pieces[i]}" "$name"
  links+=("$name")
done
echo "${#links[@]} fragments"

"$pmtr" project init "$folder/alone" --objects "$vessels" --block 4 "${links[@]}" 2>/dev/null
"$pmtr" project init "$folder/jobs" --objects "$vessels" --block 4 "${links[@]}" 2>/dev/null
time "$pmtr" project run "$folder/alone" --no-report 2>/dev/null

numbers=$("$pmtr" project slurm "$folder/jobs" --submit --tasks 8 --threads 1 --memory 1500M --solve-memory 2G \
  --time 00:20:00 --solve-time 00:20:00 --no-report 2>/dev/null)
read -r encode match search solve <<<"$numbers"
echo "jobs $encode $match $search $solve"

state() { squeue -h -r -t all -j "$1" -o %T 2>/dev/null || true; }

# One task of the match array is killed and begins again.
requeued=no
for _ in $(seq 3000); do
  task=$(squeue -h -r -t RUNNING -j "$match" -o %i 2>/dev/null | head -n 1 || true)
  if [[ $requeued == no && -n $task ]]; then
    sleep 0.3
    if scontrol requeue "$task" 2>/dev/null; then
      requeued=yes
      echo "requeued $task"
    fi
  fi
  case "$(state "$solve")" in
    COMPLETED) break ;;
    FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY)
      echo "the jobs failed: $(state "$solve")"
      tail -n 5 "$folder"/jobs/slurm/*.log
      exit 1
      ;;
  esac
  sleep 0.2
done
[[ "$(state "$solve")" == COMPLETED ]] || { squeue -t all; tail -n 5 "$folder"/jobs/slurm/*.log; exit 1; }
[[ $requeued == yes ]] || { echo "no task could be requeued"; exit 1; }

# assembly.json tells times and memory, which differ.
for run in alone jobs; do
  sed -i '/"timing_ms": {/,/}/d; /"peak_rss_mb"/d' "$folder/$run/result/assembly.json"
done
for part in fragments pairs result; do
  diff -r --exclude='*.tmp' "$folder/alone/$part" "$folder/jobs/$part"
done
echo "the same files"
