#!/bin/sh
# Runs this bundle's GPU tests, or with --bench its benchmarks. Needs a CUDA driver and a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# usage: run                  the tests; the last line is `N passed, N failed`
#        run --bench [PAIRS]  time of instrumented / plain, median of 31 pairs with its 95 % interval
here=$(cd "$(dirname "$0")" && pwd)
export GPUINSTR_RUNTIME="$here/e2e/lib/libgpuinstr_rt.so"
library_path="$here/e2e/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# compare NAME PROGRAM ARGUMENT
compare() {
  prefix="env LD_LIBRARY_PATH='$library_path' GPUINSTR_OPTIONS=report=off"
  "$here/bench/pairs" -n "$pairs" "$1" "$prefix '$here/bench/$2.plain' $3" "$prefix '$here/bench/$2' $3"
}

bench() {
  status=0
  for compiler in clang nvcc; do
    [ -x "$here/bench/launch-loop.$compiler" ] || continue
    compare "200000 launches of an empty kernel, $compiler" "launch-loop.$compiler" 200000 || status=1
    compare "100000 pairs of cudaMalloc and cudaFree, $compiler" "malloc-loop.$compiler" 100000 || status=1
  done
  return $status
}

case ${1:-} in
  --bench)
    pairs=${2:-31}
    bench
    ;;
  '') exec "$here/e2e/run" ;;
  *)
    echo "usage: $0 [--bench [PAIRS]]" >&2
    exit 2
    ;;
esac
