#!/bin/sh
# Runs this bundle's GPU tests, or with --bench its benchmarks. Needs a CUDA driver and a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# usage: run                  the tests; the last line is `N passed, N failed`
#        run --bench [PAIRS]  time of instrumented / plain, median and 95 % interval: PAIRS (31 or
#                             more) within one process, then as many processes of each tool; then
#                             transfers with audit=off, sampled and full
#        run --bench-transfers [PAIRS]  the transfers alone: 101 pairs each
here=$(cd "$(dirname "$0")" && pwd)
export GPUINSTR_RUNTIME="$here/e2e/lib/libgpuinstr_rt.so"
library_path="$here/e2e/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# Options that the runtime knows are columns, tools that are there too.
columns() {
  set -- "plain='$here/bench/calls.clang.plain'" "default='$here/bench/calls.clang'"
  if GPUINSTR_OPTIONS='report=off help=1' "$here/bench/calls.clang" 0.01 2>&1 |
    grep -q 'gpu_time=.*exact'; then
    set -- "$@" "exact=GPUINSTR_OPTIONS='report=off gpu_time=exact' '$here/bench/calls.clang'"
  fi
  # The simulated driver loads no tools.
  if [ -z "${GPUINSTR_BENCH_SIMULATED:-}" ]; then
    set -- "$@" "CUPTI=CUDA_INJECTION64_PATH='$here/bench/libbare-cupti.so' '$here/bench/calls.clang.plain'"
  fi
  if command -v nsys >/dev/null; then
    set -- "$@" "nsys=nsys profile -t cuda --force-overwrite=true -o /tmp/gpuinstr-bench '$here/bench/calls.clang.plain'"
  else
    echo "nsys: not on this machine, no column"
  fi
  if command -v compute-sanitizer >/dev/null; then
    set -- "$@" "sanitizer=compute-sanitizer '$here/bench/calls.clang.plain' 0.05"
  else
    echo "compute-sanitizer: not on this machine, no column"
  fi
  "$here/bench/columns" -n "$pairs" "$@"
}

bench() {
  status=0
  export LD_LIBRARY_PATH="$library_path" GPUINSTR_OPTIONS="report=off ${GPUINSTR_OPTIONS:-}"
  for compiler in clang nvcc; do
    [ -x "$here/bench/launch-loop.$compiler" ] || continue
    echo "$compiler, plain against default, both in one process"
    # As for the transfers below: half of the time is the plain side's.
    GPUINSTR_OPTIONS="$GPUINSTR_OPTIONS budget=1" "$here/bench/launch-pairs.$compiler" "$pairs" ||
      status=1
  done
  echo "each column a process of its own; ns a call"
  columns || status=1
  echo "memory of the process, 10^7 launches"
  "$here/bench/launch-pairs.clang" --flat 10000000 || status=1
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
