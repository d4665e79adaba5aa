#!/bin/sh
# Runs this bundle's GPU tests, or with --bench its benchmarks. Needs a CUDA driver and a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# usage: run                  the tests; the last line is `N passed, N failed`
#        run --bench [PAIRS]  time of instrumented / plain, median and 95 % interval: 201 pairs
#                             within one process, 31 pairs of processes; then transfers with
#                             audit=sampled and audit=full
#        run --bench-transfers [PAIRS]  the transfers alone: 101 pairs each
here=$(cd "$(dirname "$0")" && pwd)
export GPUINSTR_RUNTIME="$here/e2e/lib/libgpuinstr_rt.so"
library_path="$here/e2e/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

bench() {
  status=0
  export LD_LIBRARY_PATH="$library_path" GPUINSTR_OPTIONS="report=off audit=off ${GPUINSTR_OPTIONS:-}"
  for compiler in clang nvcc; do
    [ -x "$here/bench/launch-loop.$compiler" ] || continue
    echo "$compiler, both in one process"
    "$here/bench/launch-pairs.$compiler" || status=1
    "$here/bench/pairs" -n "$pairs" "$compiler, two processes: 200000 launches" \
      "'$here/bench/launch-loop.$compiler.plain' 200000" \
      "'$here/bench/launch-loop.$compiler' 200000" || status=1
  done
  return $status
}

# The budget of one side is twice what both are given: half of the time is the plain side's.
transfers() {
  status=0
  export LD_LIBRARY_PATH="$library_path"
  for mode in off sampled full; do
    echo "transfers, audit=$mode"
    GPUINSTR_OPTIONS="report=off ${GPUINSTR_OPTIONS:-} audit=$mode budget=1" \
      "$here/bench/transfer-pairs.clang" "$@" || status=1
  done
  return $status
}

case ${1:-} in
  --bench)
    pairs=${2:-31}
    bench && transfers
    ;;
  --bench-transfers)
    shift
    transfers "$@"
    ;;
  '')
    if [ ! -d "$here/e2e/bin" ]; then
      tar -C "$here/e2e" -xzf "$here/e2e/bin.tar.gz" || exit 2
    fi
    exec "$here/e2e/run"
    ;;
  *)
    echo "usage: $0 [--bench [PAIRS] | --bench-transfers [PAIRS]]" >&2
    exit 2
    ;;
esac
