#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Training on two machines: two network namespaces with an address each and a link with a delay between them.
#   tests/namespaces/two_machines.sh PMTR
# 1. 20 updates on both come to what one machine with the doubled batch comes to, but for rounding.
# 2. One side is killed: the other ends with a message within the timeout, and the run goes on from its checkpoint.
# 3. The link is cut: both end with a message, and the run goes on. Both end in the same bytes as without a fault.
# Where namespaces cannot be made it says why and ends with 77, which ctest takes for skipped.
set -euo pipefail
pmtr=$1

skip() {
  echo "two machines: skipped: $*"
  exit 77
}
fail() {
  echo "two machines: $*"
  tail -n 5 "$folder"/*.log || true
  exit 1
}

[[ $EUID -eq 0 ]] || skip "network namespaces need root"
command -v ip >/dev/null || skip "ip is not installed (package iproute2)"
a=pmtr_a_$$ b=pmtr_b_$$
ip netns add "$a" 2>/dev/null || skip "no network namespaces here"
folder=$(mktemp -d /tmp/pmtr_two_machines.XXXXXX)
end() {
  for space in "$a" "$b"; do
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
  done
  [[ -n ${KEEP:-} ]] || rm -rf "$folder"
}
trap end EXIT
ip netns add "$b" || skip "no second network namespace"

# Names of links have at most 15 letters.
link() {
  ip link add "va$$" netns "$a" type veth peer name "vb$$" netns "$b" || skip "no virtual links here"
  ip -n "$a" addr add 10.77.0.1/24 dev "va$$"
  ip -n "$b" addr add 10.77.0.2/24 dev "vb$$"
  for space in "$a" "$b"; do ip -n "$space" link set lo up; done
  ip -n "$a" link set "va$$" up
  ip -n "$b" link set "vb$$" up
  delay=none
  if ip netns exec "$a" tc qdisc add dev "va$$" root netem delay 2ms 2>/dev/null; then delay=2ms; fi
}
link
echo "delay of the link: $delay"

"$pmtr" fracture --shape bowl --pieces 4 --seed 3 --out "$folder/data" >/dev/null 2>&1
config() { # BATCH FILE
  cat >"$2" <<END
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
steps = 20
batch = $1
learning_rate = 5e-4
average = 0.0
log_every = 1
checkpoint_every = 5
validate_every = 0
[data]
points_per_object = 600
dense_points_per_object = 0
min_points = 20
noise = 0.0
vary_noise = false
scale_jitter = 0.0
validation_one_in = 0
[losses]
matching_from = 0
contrast = false
END
}
config 1 "$folder/one.toml"
config 2 "$folder/two.toml"

train() { # SPACE RANK OUT OPTIONS...
  local space=$1 rank=$2 out=$3
  shift 3
  ip netns exec "$space" env RANK="$rank" WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29511 \
    "$pmtr" train --data "$folder/data" --config "$folder/one.toml" --cache "$folder/cache" -o "$folder/$out" \
    --threads 1 "$@" >"$folder/$out.$rank.log" 2>&1
}
both() { # OUT OPTIONS...
  train "$b" 1 "$@" &
  local second=$!
  local first_state=0 second_state=0
  train "$a" 0 "$@" || first_state=$?
  wait "$second" || second_state=$?
  states="$first_state $second_state"
}
await() { # FILE
  for _ in $(seq 6000); do
    [[ -e $1 ]] && return 0
    sleep 0.02
  done
  fail "$1 was never written"
}

# 1. The same as one machine.
"$pmtr" train --data "$folder/data" --config "$folder/two.toml" --cache "$folder/cache" -o "$folder/alone" --threads 1 \
  >"$folder/alone.log" 2>&1 || fail "one machine failed"
"$pmtr" train --data "$folder/data" --config "$folder/two.toml" --cache "$folder/cache" -o "$folder/begun" --threads 1 \
  --steps 1 >"$folder/begun.log" 2>&1 || fail "one update failed"
both whole
[[ $states == "0 0" ]] || fail "two machines ended with $states"
python3 "$(dirname "$0")/compare_weights.py" "$folder/alone/last.safetensors" "$folder/whole/last.safetensors" \
  "$folder/begun/last.safetensors" || fail "two machines learnt something else than one"

# 2. One side is killed; 3. the link is cut.
same_end() { # OUT
  both "$1" --resume
  [[ $states == "0 0" ]] || fail "$1: going on ended with $states"
  cmp "$folder/whole/last.safetensors" "$folder/$1/last.safetensors" || fail "$1: not the bytes of an undisturbed run"
}
fault() { # OUT COMMAND...: breaks something after the first checkpoint
  local out=$1
  shift
  (await "$folder/$out/checkpoints/step_000000005.safetensors" && "$@") &
  local breaker=$!
  local began=$SECONDS
  both "$out"
  wait "$breaker" || fail "$out: the fault did not come in time"
  local took=$((SECONDS - began))
  [[ ! -e $folder/$out/checkpoints/step_000000020.safetensors ]] || fail "$out: was over before the fault came"
  [[ ${states% *} != 0 ]] || fail "$out: the first machine did not notice"
  grep -q "worker" "$folder/$out.0.log" || fail "$out: no message about a worker"
  echo "$out: ended with $states after $took s: $(grep worker "$folder/$out.0.log" | tail -n 1)"
  ((took < 150)) || fail "$out: took $took s to notice"
}
kill_second() { ip netns pids "$b" | xargs kill -9; }
cut_link() { ip -n "$a" link set "va$$" down; }
fault killed kill_second
same_end killed
fault cut cut_link
ip netns pids "$b" | xargs -r kill -9 2>/dev/null || true
ip -n "$a" link set "va$$" up
same_end cut
echo "two machines: all well"
