#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Kills (SIGKILL) short runs at random moments, COUNT times each, and fails where one leaves a half file, or does not come
# to what an undisturbed run comes to, bit for bit.
#   kills.sh PROGRAM COUNT [train|eval|assemble|study|project ...]           SEED=7 kills.sh build/release/bin/pmtr 200
set -euo pipefail
program=$(realpath "$1") count=$2
shift 2
kinds=("$@")
[[ ${#kinds[@]} -gt 0 ]] || kinds=(train eval assemble study project)
RANDOM=${SEED:-1}
export OMP_NUM_THREADS=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "kills: $*" >&2; [[ ! -f $work/err ]] || tail -n 5 "$work/err" >&2; exit 1; }
run() { "$program" "$@" > "$work/out" 2> "$work/err"; }
seconds_now() { date +%s.%N; }

run fracture --shape bowl --pieces 3 --count 2 --fractures 2 --detail 0.05 --around 48 --seed 3 -o "$work/data" || fail "no data"
cat > "$work/small.toml" <<'EOF'
[network]
surface_input = false
fracture_head = false
fracture_context = false
channel_norm = false
matcher_residual = false
centred_features = false
kernel_radius = 0.125
kernel_sigma = 0.1
count_positive_neighbours = true
[train]
steps = 24
batch = 1
average = 0.0
log_every = 1
checkpoint_every = 6
validate_every = 12
validation_pairs = 2
[data]
points_per_object = 300
dense_points_per_object = 0
min_points = 20
min_parts = 2
validation_one_in = 0
[losses]
matching_from = 0
contrast = false
coarse = 1.0
EOF
cat > "$work/study.toml" <<'EOF'
title = "Small"
config = "small.toml"
updates = 6
validate_every = 6
validation_pairs = 2
seeds = [0, 1]
columns = ["coarse_inliers"]
[[variant]]
name = "one"
[[variant]]
name = "other"
train.learning_rate = 2e-4
EOF
mapfile -t pieces < <(find "$work/data" -path "*_0/*" -name "*.ply" | sort | head -n 3)
[[ ${#pieces[@]} -eq 3 ]] || fail "not three pieces"
find "$work/data/everyday" -mindepth 2 -maxdepth 2 -printf 'everyday/Bowl/%f\n' | sort | head -n 1 > "$work/objects.txt"

# What a run writes into "$1", and what of it must be the same in every run.
begin() {  # kind folder
  case $1 in
    project) run project init "$2" --object-size 1 --block 1 "${pieces[@]}" ;;
    *) mkdir -p "$2" ;;
  esac
}
words() {  # kind folder: the command, into the array `line`
  case $1 in
    train)
      line=(train --data "$work/data" --config "$work/small.toml" --cache "$work/cache" --threads 1 -o "$2/run")
      [[ ! -d $2/run/checkpoints ]] || line+=(--resume) ;;
    eval) line=(eval "$work/data" --threads 1 --limit 2 --points 1000 --dense-points 4000 --json "$2/eval.json") ;;
    assemble) line=(assemble "${pieces[@]}" --object-size 1 --threads 1 --light -o "$2/result") ;;
    study) line=(study "$work/study.toml" --data "$work/data" --validation "$work/objects.txt" --warm-start none --threads 1 -o "$2/study") ;;
    project) line=(project run "$2" --threads 1 --no-report) ;;
  esac
}
# The files of a folder, without those written aside, and without how long something took.
listing() {  # kind folder
  (cd "$2" && find . -type f ! -name '*.tmp' ! -name '*.lock' ! -name 'log.*' ! -name solved.json ! -name 'train.jsonl' ! -name 'training.html' ! -path './*/cache/*' ! -path './cost/*' | sort |
    while read -r file; do
      case $file in
        *assembly.json) text=$(sed -E '/"timing_ms": \{/,/\}/d; /"peak_rss_mb"/d' "$file") ;;
        *.json) text=$(sed -E '/seconds": \[/,/\]/d; /seconds/d' "$file") ;;
        *report.html) text=$(sed -E 's/"timing_ms":\{[^}]*\}//; s/"peak_rss_mb":[0-9.]+//; s/[0-9.]+ (ms|s|MB)\b//g' "$file") ;;
        *) text=; ;;
      esac
      if [[ -n $text ]]; then sum=$(sha1sum <<< "$text"); else sum=$(sha1sum < "$file"); fi
      echo "$file ${sum%% *}"
    done)
}
# Weights that can be seen can be read.
check_whole() {  # kind folder
  local file
  while read -r file; do
    "$program" info "$file" > /dev/null 2> "$work/err" || fail "$1: a half file: $file"
  done < <(find "$2" -name '*.safetensors')
}

for kind in "${kinds[@]}"; do
  begin "$kind" "$work/whole_$kind"
  words "$kind" "$work/whole_$kind"
  from=$(seconds_now)
  run "${line[@]}" || fail "$kind: the undisturbed run fails"
  time=$(awk "BEGIN {print $(seconds_now) - $from}")
  listing "$kind" "$work/whole_$kind" > "$work/wanted"
  [[ -s $work/wanted ]] || fail "$kind: writes nothing"
  killed=0 finished=0 aside=0
  folder=$work/killed_$kind
  begin "$kind" "$folder"
  # Where a busy machine made the undisturbed run slow, the others end before they are killed: then sooner.
  for ((i = 0; i < count || (killed == 0 && i < count + 8); ++i)); do
    words "$kind" "$folder"
    delay=$(awk "BEGIN {printf \"%.3f\", 0.02 + $time * $RANDOM / 32768}")
    status=0
    timeout -s KILL "$delay" "$program" "${line[@]}" > "$work/out" 2> "$work/err" || status=$?
    [[ $status == 0 || $status == 137 ]] || fail "$kind: fails with $status after a kill: ${line[*]}"
    check_whole "$kind" "$folder"
    # Runs that do not go on begin anew; what they have written by then is whole.
    if [[ $kind == eval || $kind == assemble ]]; then
      listing "$kind" "$folder" > "$work/found"
      comm -13 "$work/wanted" "$work/found" > "$work/strange"
      [[ ! -s $work/strange ]] || fail "$kind: after a kill: $(cat "$work/strange")"
    fi
    if [[ $status == 137 ]]; then
      killed=$((killed + 1))
    else
      listing "$kind" "$folder" | cmp -s - "$work/wanted" ||
        fail "$kind: another result: $(diff <(listing "$kind" "$folder") "$work/wanted" || true)"
      time=$(awk "BEGIN {print 0.7 * $time}")
      finished=$((finished + 1)) aside=$((aside + $(find "$folder" -name '*.tmp' | wc -l)))
      rm -rf "$folder"
      begin "$kind" "$folder"
    fi
  done
  words "$kind" "$folder"
  run "${line[@]}" || fail "$kind: the last run fails"
  listing "$kind" "$folder" | cmp -s - "$work/wanted" ||
    fail "$kind: another result: $(diff <(listing "$kind" "$folder") "$work/wanted" || true)"
  aside=$((aside + $(find "$folder" -name '*.tmp' | wc -l)))
  [[ $killed -gt 0 ]] || fail "$kind: nothing was killed"
  echo "kills: $kind: $killed of $count killed in runs of $time s, $((finished + 1)) results, all as undisturbed; $aside files left aside"
done
