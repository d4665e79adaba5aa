#!/bin/sh
# Builds the questions with one compiler, asks the simulator, and compares the answers with those
# of a real device.
# SPDX-License-Identifier: Apache-2.0
# Usage: RunConformance.sh nvcc|clang++ SIMULATOR_DIR CUDA_ROOT WORK_DIR   (exit 77: no compiler)
#
# New answers from a machine with a GPU: build with "-cudart static -lcuda" and run the same loop.
set -eu
compiler=$1
simulator=$2
cuda=$3
work=$4
here=$(dirname "$0")
mkdir -p "$work"

clang=
for name in clang++-22 clang++-21 clang++-20 clang++; do
  command -v "$name" >/dev/null 2>&1 && clang=$name && break
done
libraries=$cuda/lib64
[ -d "$libraries" ] || libraries=$cuda/lib

# One unit: nvcc and clang parse CUDA's headers several times for each.
for source in "$here"/*.cu; do
  echo "#include \"$(realpath "$source")\""
done >"$work/all.cu"

case $compiler in
nvcc)
  nvcc=$cuda/bin/nvcc
  [ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
  host=
  [ -n "$clang" ] && host="-ccbin $clang -allow-unsupported-compiler"
  # shellcheck disable=SC2086
  "$nvcc" $host -w -std=c++17 -arch=sm_75 -cudart shared "$work/all.cu" -o "$work/probe" \
    -L"$libraries/stubs" -lcuda
  ;;
clang++)
  [ -n "$clang" ] || { echo "no clang++: skipped"; exit 77; }
  "$clang" -w -std=c++17 --cuda-path="$cuda" --cuda-gpu-arch=sm_75 --no-offload-new-driver \
    "$work/all.cu" -o "$work/probe" -L"$libraries" -L"$libraries/stubs" -lcudart -lcuda -pthread
  ;;
esac

unset CUDA_VISIBLE_DEVICES
# The kernels of the questions write nothing that the answers show.
export GPUINSTR_SIM=kernels=skip
export LD_LIBRARY_PATH="$simulator"
for group in $("$work/probe"); do
  echo "[$group]"
  timeout 60 "$work/probe" "$group" || echo "rc=$?"
done >"$work/answers" 2>&1
grep -v '^#' "$here/Conformance.expected" >"$work/expected"
diff -u "$work/expected" "$work/answers" && echo "$(wc -l <"$work/answers") answers, all as on the device"
