# Builds the GPU benchmarks into a folder: for tools/gpu-check and tools/bench/all. To be sourced.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Wants tools/lib/common.sh, a build, CUDA, CUDA_LIB, LLVM_BIN and ARCH.

# The launch loop as two programs, both sides of it and of the transfers in one program, and each
# alone; the demo's solver.
# bench_side DIR COMPILER PLUGIN-FLAG COMMAND...
bench_side() {
  local out=$1 name=$2 plugin=$3 source=$ROOT/tools/bench
  # The plain sides stand in the same program.
  local trust="${plugin%-fplugin=*}-fplugin-arg-gpuinstr-defaults=trust=*"
  shift 3
  set -- "$@" "-I$source"
  "$@" "$source/programs/launch-loop.cu" -o "$out/launch-loop.$name.plain"
  "$@" "$plugin" "$source/programs/launch-loop.cu" -o "$out/launch-loop.$name"
  "$@" -DSIDE=plain -c "$source/pairs/launch-side.cu" -o "$out/plain.o"
  "$@" "$plugin" "$trust" -DSIDE=instrumented -c "$source/pairs/launch-side.cu" -o "$out/instrumented.o"
  "$@" "$source/pairs/launch-pairs.cpp" "$out/plain.o" "$out/instrumented.o" \
    -o "$out/launch-pairs.$name"
  "$@" -DSIDE=plain "$source/pairs/calls.cpp" "$out/plain.o" -o "$out/calls.$name.plain"
  "$@" -DSIDE=instrumented "$source/pairs/calls.cpp" "$out/instrumented.o" -o "$out/calls.$name"
  "$@" -DSIDE=plainTransfers -c "$source/pairs/transfer-side.cu" -o "$out/plain.o"
  "$@" "$plugin" "$trust" -DSIDE=instrumentedTransfers -c "$source/pairs/transfer-side.cu" \
    -o "$out/instrumented.o"
  "$@" "$source/pairs/transfer-pairs.cpp" "$out/plain.o" "$out/instrumented.o" \
    -o "$out/transfer-pairs.$name"
  "$@" "$ROOT/tools/demo.d/solver.cu" -o "$out/solver.$name.plain"
  "$@" "$plugin" "$ROOT/tools/demo.d/solver.cu" -o "$out/solver.$name"
  rm "$out/plain.o" "$out/instrumented.o"
}

# Device work of known length, plain and instrumented, and CUPTI's sums of it; what events take;
# work on several devices; short runs.
# bench_truth DIR
bench_truth() {
  local compile=("$LLVM_BIN/clang++" -O2 -std=c++17)
  local cuda=("--cuda-path=$CUDA" "--cuda-gpu-arch=$ARCH" --cuda-include-ptx=all
    -Wno-unknown-cuda-version -Wno-unused-command-line-argument -static-libstdc++ -static-libgcc)
  local source=("$ROOT/tools/bench/truth/truth.cu" "$ROOT/tools/bench/truth/truth-step.cu")
  "${compile[@]}" "${cuda[@]}" "${source[@]}" -o "$1/truth.plain" -L"$CUDA_LIB" -lcudart
  "${compile[@]}" "${cuda[@]}" "-fplugin=$BUILD/lib/libgpuinstr.so" "${source[@]}" -o "$1/truth" \
    -L"$CUDA_LIB" -lcudart
  "${compile[@]}" "${cuda[@]}" "$ROOT/tools/bench/programs/bare-events.cu" -o "$1/bare-events" \
    -L"$CUDA_LIB" -lcudart
  "${compile[@]}" "${cuda[@]}" "-fplugin=$BUILD/lib/libgpuinstr.so" \
    "$ROOT/tools/bench/programs/several-devices.cu" -o "$1/several-devices" -L"$CUDA_LIB" -lcudart
  "${compile[@]}" "${cuda[@]}" "-fplugin=$BUILD/lib/libgpuinstr.so" \
    "$ROOT/tools/bench/programs/short-run.cu" -o "$1/short-run" -L"$CUDA_LIB" -lcudart
  cp "$ROOT/tools/bench/programs/short-run.py" "$1"
  "${compile[@]}" -shared -fPIC -static-libstdc++ -static-libgcc -isystem "$CUDA/include" \
    -isystem "$CUDA/extras/CUPTI/include" -I"$ROOT/tools/bench" "$ROOT/tools/bench/cupti/cupti-sums.cpp" \
    -o "$1/libcupti-sums.so" -ldl
  cp "$BUILD/bin/gpuinstr-bench-truth" "$1/compare-truth"
}

# bench_programs DIR
bench_programs() {
  mkdir -p "$1"
  bench_side "$1" clang "-fplugin=$BUILD/lib/libgpuinstr.so" "$LLVM_BIN/clang++" -O2 -std=c++17 \
    --cuda-path="$CUDA" --cuda-gpu-arch="$ARCH" --cuda-include-ptx=all -Wno-unknown-cuda-version \
    -static-libstdc++ -static-libgcc -Wno-unused-command-line-argument -L"$CUDA_LIB" -lcudart
  if [ -x "$CUDA/bin/nvcc" ]; then
    bench_side "$1" nvcc "-Xcompiler=-fplugin=$BUILD/lib/libgpuinstr.so" "$CUDA/bin/nvcc" -O2 \
      -std=c++17 -ccbin "$LLVM_BIN/clang++" -allow-unsupported-compiler -arch="$ARCH" -cudart shared \
      -Xcompiler=-static-libstdc++,-static-libgcc,-Wno-unused-command-line-argument
  fi
  "$LLVM_BIN/clang++" -O2 -std=c++17 -shared -fPIC -static-libstdc++ -static-libgcc \
    -I"$ROOT/tools/bench" "$ROOT/tools/bench/cupti/bare-cupti.cpp" -o "$1/libbare-cupti.so" -ldl
  bench_truth "$1"
  cp "$BUILD/bin/gpuinstr-bench-pairs" "$1/pairs"
  cp "$BUILD/bin/gpuinstr-bench-columns" "$1/columns"
}
