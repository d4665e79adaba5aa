#!/bin/sh
# Runs this bundle's GPU tests, or with --bench its benchmarks. Needs a CUDA driver and a GPU.
# SPDX-License-Identifier: Apache-2.0
#
# usage: run                  the tests; the last line is `N passed, N failed`
#        run --bench [PAIRS]  time of instrumented / plain, median and 95 % interval: PAIRS (31 or
#                             more) within one process, then as many processes of each tool; then
#                             transfers with audit=off, sampled and full
#        run --bench-transfers [PAIRS]  the transfers alone: 101 pairs each
#        run --bench-programs [PAIRS]   wall time of the demo's solver and of a loop of
#                                        launches, plain and under each tool
#        run --bench-truth [RUNS]       device times, sampled in RUNS (100) runs and exact, against
#                                       CUPTI's: kernels of 0.6 us to 200 ms, sets, copies, a
#                                       training step
#        run --bench-tools              gpu_time=exact beside other tools: what it says, and that the
#                                       program runs on
here=$(cd "$(dirname "$0")" && pwd)
export GPUINSTR_RUNTIME="$here/e2e/lib/libgpuinstr_rt.so"
library_path="$here/e2e/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Plain builds carry no kernels: on the simulated device their launches would fail.
[ -z "${GPUINSTR_BENCH_SIMULATED:-}" ] || export GPUINSTR_SIM=kernels=skip

# columns PLAIN OWN SLOW [FLAG...]: the program and its instrumented build, alone and under tools, in
# turns. Options that the runtime knows are columns, tools that are there too. SLOW: arguments for a
# tool that makes it slow. FLAG: of columns.
columns() {
  plain=$1 own=$2 slow=$3
  shift 3
  set -- "$@" "plain='$plain' $quiet" "default='$own' $quiet"
  if GPUINSTR_OPTIONS='report=off help=1' "$here/bench/calls.clang" 0.01 2>&1 |
    grep -q 'gpu_time=.*exact'; then
    set -- "$@" "exact=GPUINSTR_OPTIONS='report=off gpu_time=exact' '$own' $quiet"
  fi
  # The simulated driver loads no tools.
  if [ -z "${GPUINSTR_BENCH_SIMULATED:-}" ]; then
    set -- "$@" "CUPTI=CUDA_INJECTION64_PATH='$here/bench/libbare-cupti.so' '$plain' $quiet"
  fi
  if command -v nsys >/dev/null; then
    set -- "$@" \
      "nsys=nsys profile -t cuda --force-overwrite=true -o /tmp/gpuinstr-bench '$plain' $quiet 2>/dev/null"
  else
    echo "nsys: not on this machine, no column"
  fi
  if command -v compute-sanitizer >/dev/null; then
    set -- "$@" "sanitizer=compute-sanitizer '$plain' $slow $quiet"
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
  quiet=
  columns "$here/bench/calls.clang.plain" "$here/bench/calls.clang" 0.05 || status=1
  echo "memory of the process, 10^7 launches"
  "$here/bench/launch-pairs.clang" --flat 10000000 || status=1
  return $status
}

# A program as people write them: the demo's solver, with its mistakes; then 200000 launches of an
# empty kernel. Wall time, start included.
programs() {
  status=0
  export LD_LIBRARY_PATH="$library_path" GPUINSTR_OPTIONS="report=off ${GPUINSTR_OPTIONS:-}"
  # Each array mapped on its own: the solver's loop on the host takes up to 0.2 s more, depending on how its two arrays lie
  # to each other, which every allocation before them changes.
  export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072
  quiet='>/dev/null'
  if [ -n "${GPUINSTR_BENCH_SIMULATED:-}" ]; then
    # Its kernels write nothing, and it sees that its result is wrong.
    quiet='>/dev/null; [ $? -le 1 ]'
  fi
  for program in solver.clang solver.nvcc launch-loop.clang; do
    [ -x "$here/bench/$program" ] || continue
    echo "$program, each column a process of its own"
    columns "$here/bench/$program.plain" "$here/bench/$program" '' --wall || status=1
  done
  return $status
}

# beside NAME COMMAND...: another tool is there first. Prints what gpuinstr says of it.
beside() {
  name=$1
  shift
  said=$(GPUINSTR_OPTIONS='report=off gpu_time=exact' "$@" "$here/bench/calls.clang" 0.01 2>&1 >/dev/null)
  code=$?
  said=$(printf '%s\n' "$said" | grep '^gpuinstr: gpu_time=exact: ') || said="nothing"
  echo "$name: exit code $code, says: $said"
  [ $code = 0 ]
}

# gpu_time=exact where others use CUPTI: the program runs on, and one line says what holds it.
tools() {
  status=0
  export LD_LIBRARY_PATH="$library_path"
  if [ -n "${GPUINSTR_BENCH_SIMULATED:-}" ]; then
    beside "simulated device" env
    return
  fi
  beside "alone" env || status=1
  beside "a CUPTI tool" env CUDA_INJECTION64_PATH="$here/bench/libbare-cupti.so" || status=1
  if command -v nsys >/dev/null; then
    beside "nsys" nsys profile -t cuda,nvtx --force-overwrite=true -o /tmp/gpuinstr-bench || status=1
  fi
  if command -v compute-sanitizer >/dev/null; then
    beside "compute-sanitizer" compute-sanitizer || status=1
  fi
  return $status
}

truth() {
  if [ -n "${GPUINSTR_BENCH_SIMULATED:-}" ]; then
    echo "true device times: not without a GPU"
    return
  fi
  export LD_LIBRARY_PATH="$library_path"
  profile=$(mktemp)
  # Without audits: what they hold up is no error of the times.
  own="GPUINSTR_OPTIONS='report=off audit=off json=$profile"
  "$here/bench/compare-truth" -n "$runs" "$profile" "$own' '$here/bench/truth'" \
    "$own gpu_time=exact' '$here/bench/truth'" \
    "CUDA_INJECTION64_PATH='$here/bench/libcupti-sums.so' '$here/bench/truth.plain'"
  status=$?
  rm -f "$profile"
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
  --bench-programs)
    pairs=${2:-31}
    programs
    ;;
  --bench-tools)
    tools
    ;;
  --bench-truth)
    runs=${2:-100}
    truth
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
    echo "usage: $0 [--bench [PAIRS] | --bench-transfers [PAIRS] | --bench-programs [PAIRS] |" \
      "--bench-truth [RUNS] | --bench-tools]" >&2
    exit 2
    ;;
esac
