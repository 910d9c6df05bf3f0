#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# A Slurm cluster of one node, this machine, for as long as a command runs:
#   tests/slurm/cluster.sh COMMAND...
# Starts munged, slurmctld and slurmd in a folder of their own, with a port of their own, runs COMMAND with SLURM_CONF
# set, and stops them. Where they cannot run it says why and ends with 77, which ctest takes for skipped.
set -euo pipefail

skip() {
  echo "slurm test skipped: $*"
  exit 77
}

[[ $EUID -eq 0 ]] || skip "slurmd needs root to start jobs"
for program in munged mungekey slurmctld slurmd sbatch sinfo scontrol; do
  command -v "$program" >/dev/null || skip "$program is not installed (scripts/install_dependencies.sh slurm)"
done

folder=$(mktemp -d /tmp/pmtr_slurm.XXXXXX)
pids=()
stop() {
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "${pids[i]}" 2>/dev/null || break; sleep 0.1; done
    kill -9 "${pids[i]}" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT

why() {
  for log in "$folder"/*.log; do
    echo "--- $(basename "$log")"
    tail -n 15 "$log"
  done
  skip "$*"
}

# munged insists that nobody else can write where its key and its socket are.
mkdir -p "$folder"/{munge,state,spool}
chmod 0755 "$folder" "$folder/munge"
mungekey --create --keyfile "$folder/munge/key" >/dev/null
chmod 0600 "$folder/munge/key"
# --force: /tmp, where the folder lies, may be written by all; the folder may not.
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" --log-file="$folder/munged.log" \
  --num-threads=2 >"$folder/munged.out.log" 2>&1 &
pids+=($!)

host=$(hostname -s)
port=$((20000 + RANDOM % 20000))
cores=$(nproc)
memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
cat >"$folder/slurm.conf" <<END
ClusterName=pmtr
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=100000
SlurmctldTimeout=300
SlurmdTimeout=300
KillWait=2
MinJobAge=600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=$memory State=UNKNOWN
PartitionName=here Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
export SLURM_CONF="$folder/slurm.conf"
slurmctld -D >"$folder/slurmctld.out.log" 2>&1 &
pids+=($!)
slurmd -D >"$folder/slurmd.out.log" 2>&1 &
pids+=($!)

for _ in $(seq 100); do
  for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || why "a daemon ended at once"; done
  [[ "$(sinfo -h -o %t 2>/dev/null)" == idle ]] && break
  sleep 0.2
done
[[ "$(sinfo -h -o %t 2>/dev/null)" == idle ]] || why "the node did not come up"

# What waits for something is done with in the end, whatever the command was.
code=0
"$@" || code=$?
scancel --user=root >/dev/null 2>&1 || true
exit $code
