#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Runs the program where it is not wanted: full disks, folders that cannot be written, little memory, few file handles,
# signals, another run in the same folder; and where it is not at home: other locales, time zones, names and numbers of
# threads. Fails where it crashes, says nothing, leaves a half file or comes to something else.
#   surroundings.sh PROGRAM EXAMPLES [CHECK...]
# A check that this machine cannot make is said to be skipped, and why.
set -euo pipefail
program=$(realpath "$1") examples=$(realpath "$2")
shift 2
checks=("$@")
[[ ${#checks[@]} -gt 0 ]] || checks=(full_disk read_only memory handles sigterm sigpipe two_at_once locale time_zone names
  threads no_network)

work=$(mktemp -d)
mounted=()
finish() {
  for folder in "${mounted[@]}"; do umount "$folder"; done
  rm -rf "$work"
}
trap finish EXIT
fail() { echo "surroundings: $*" >&2; [[ ! -s $work/err ]] || tail -n 5 "$work/err" >&2; exit 1; }
skip() { echo "surroundings: $check: skipped, $*"; }
status=0
run() {  # the exit code into `status`
  status=0
  "$@" < /dev/null > "$work/out" 2> "$work/err" || status=$?
}
# It ended by itself, with a code that says failure, and with a sentence of ours.
expect_sentence() {
  [[ $status -gt 0 && $status -lt 126 ]] || fail "$check: ended with $status: $*"
  grep -q '^pmtr: error: ..' "$work/err" || fail "$check: without a sentence: $*"
}
expect_done() { [[ $status == 0 ]] || fail "$check: ended with $status: $*"; }
# The content of a folder of results, without how long it took.
listing() {
  (cd "$1" && find . -type f ! -name '*.tmp' ! -name '*.html' ! -name '*.mlp' | sort | while read -r file; do
    case $file in
      *assembly.json) sum=$(sed -E '/"timing_ms": \{/,/\}/d; /"peak_rss_mb"/d; /\/piece_/d' "$file" | sha1sum) ;;
      *) sum=$(sha1sum < "$file") ;;
    esac
    echo "$file ${sum%% *}"
  done)
}
expect_same() { diff <(listing "$1") "$work/wanted" > "$work/err" || fail "$check: another result"; }

pieces=("$examples"/bowl/piece_{0,1,2}.ply)
assemble=(assemble --object-size 1 --light)
run "$program" "${assemble[@]}" --threads 1 -o "$work/wanted_result" "${pieces[@]}"
check=first && expect_done
listing "$work/wanted_result" > "$work/wanted"

small_disk() {  # name size
  mkdir "$work/$1"
  mount -t tmpfs -o "size=$2" tmpfs "$work/$1" 2> /dev/null || return 1
  mounted+=("$work/$1")
}

for check in "${checks[@]}"; do
  : > "$work/err"
  case $check in
    full_disk)
      # 200 kB hold the first files, and not the last.
      small_disk full 200k || { skip "no tmpfs can be mounted"; continue; }
      run "$program" "${assemble[@]}" -o "$work/full/result" "${pieces[@]}"
      expect_sentence
      grep -q 'No space left' "$work/err" || fail "$check: does not say why"
      [[ -z $(find "$work/full" -name '*.tmp') ]] || fail "$check: leaves files aside"
      while read -r file; do
        [[ $file == *assembly.json ]] && continue
        cmp -s "$work/full/result/$file" "$work/wanted_result/$file" || fail "$check: a half file: $file"
      done < <(cd "$work/full/result" 2> /dev/null && find . -type f)
      run "$program" fracture --shape bowl --pieces 5 --detail 0.01 -o "$work/full/data"
      expect_sentence
      run "$program" project init "$work/full/project" "${pieces[@]}"
      expect_sentence ;;
    read_only)
      small_disk fixed 1m || { skip "no tmpfs can be mounted"; continue; }
      mount -o remount,ro "$work/fixed"
      for words in "assemble ${pieces[*]} -o $work/fixed/result" "project init $work/fixed/project ${pieces[*]}" \
        "fracture --shape bowl --detail 0.05 -o $work/fixed/data"; do
        # shellcheck disable=SC2086
        run "$program" $words
        expect_sentence "$words"
      done ;;
    memory)
      # With less than 1000 MB libraries end the program, or wait forever, so it is not begun.
      for megabytes in 100 300 600 900; do
        run timeout 60 bash -c "ulimit -v $((megabytes * 1024)); exec \"\$@\"" - "$program" "${assemble[@]}" --threads 1 \
          -o "$work/little" "${pieces[@]}"
        expect_sentence "$megabytes MB"
      done
      for megabytes in 1000 1200; do
        run timeout 60 bash -c "ulimit -v $((megabytes * 1024)); exec \"\$@\"" - "$program" "${assemble[@]}" --threads 1 \
          -o "$work/little" "${pieces[@]}"
        [[ $status == 0 ]] || expect_sentence "$megabytes MB"
      done ;;
    handles)
      for handles in 4 6 8 12 16 24; do
        run bash -c "ulimit -n $handles; exec \"\$@\"" - "$program" "${assemble[@]}" --threads 1 -o "$work/few" "${pieces[@]}"
        [[ $status -lt 128 ]] || fail "$check: ended by signal $((status - 128)) with $handles handles"
        [[ $status == 0 || -s $work/err ]] || fail "$check: silent with $handles handles"
      done ;;
    sigterm)
      "$program" "${assemble[@]}" -o "$work/ended" "${pieces[@]}" > "$work/out" 2> "$work/err" & pid=$!
      sleep 0.5
      kill -TERM $pid 2> /dev/null || true
      status=0
      wait $pid || status=$?
      [[ $status != 0 || -s $work/ended/assembly.json ]] || fail "$check: says it is done"
      [[ ! -d $work/ended || -z $(find "$work/ended" -name '*.tmp') ]] || fail "$check: leaves files aside"
      sleep 0.5
      ! pgrep -f "$work/ended" > /dev/null || fail "$check: a process goes on" ;;
    sigpipe)
      # Nobody reads what it says: it does its work all the same.
      set +e
      "$program" "${assemble[@]}" --threads 1 -o "$work/unheard" "${pieces[@]}" 2>&1 > /dev/null | true
      status=${PIPESTATUS[0]}
      "$program" train --print-config 2> /dev/null | true
      [[ ${PIPESTATUS[0]} -lt 128 ]] || fail "$check: printing was ended by a signal"
      set -e
      expect_done
      expect_same "$work/unheard" ;;
    two_at_once)
      "$program" "${assemble[@]}" --threads 1 -o "$work/both" "${pieces[@]}" > /dev/null 2> "$work/err2" & pid=$!
      run "$program" "${assemble[@]}" --threads 1 -o "$work/both" "${pieces[@]}"
      second=0
      wait $pid || second=$?
      [[ $status == 0 || $second == 0 ]] || fail "$check: both failed"
      expect_same "$work/both" ;;
    locale)
      name=$(locale -a 2> /dev/null | grep -i -m1 '^de_DE') || name=
      if [[ -z $name ]]; then
        command -v localedef > /dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2> /dev/null ||
          { skip "no German locale and none can be made"; continue; }
        export LOCPATH=$work
        name=de_DE.UTF-8
      fi
      [[ $(LC_ALL=$name printf '%.1f' 1,5 2> /dev/null) == 1,5 ]] || { skip "the locale has no decimal comma"; continue; }
      run env LC_ALL="$name" "$program" "${assemble[@]}" --threads 1 -o "$work/comma" "${pieces[@]}"
      unset LOCPATH
      expect_done
      expect_same "$work/comma" ;;
    time_zone)
      run env TZ=Pacific/Kiritimati "$program" "${assemble[@]}" --threads 1 -o "$work/zone" "${pieces[@]}"
      expect_done
      expect_same "$work/zone" ;;
    names)
      folder=$work/$'two words, Gefäß\nand a second line'
      mkdir "$folder"
      cp "${pieces[@]}" "$folder"
      run "$program" "${assemble[@]}" --threads 1 -o "$folder/result" "$folder"/piece_*.ply
      expect_done
      expect_same "$folder/result" 
      run "$program" report "$folder/result"
      expect_done ;;
    threads)
      # The number of threads may change the last bits, the same number must not; and a number beyond the cores works.
      for round in one two; do
        run "$program" "${assemble[@]}" --threads 32 -o "$work/many_$round" "${pieces[@]}"
        expect_done
      done
      listing "$work/many_one" > "$work/many"
      diff <(listing "$work/many_two") "$work/many" > "$work/err" || fail "$check: 32 threads twice, two results"
      cmp -s "$work/many" "$work/wanted" && echo "surroundings: threads: 32 gave the bytes of 1" ||
        echo "surroundings: threads: 32 gave other bytes than 1" ;;
    no_network)
      unshare -n true 2> /dev/null || { skip "no network namespace can be made"; continue; }
      run unshare -n "$program" "${assemble[@]}" --threads 1 -o "$work/alone" "${pieces[@]}"
      expect_done
      expect_same "$work/alone" ;;
    *) fail "there is no check $check" ;;
  esac
  echo "surroundings: $check: ok"
done
