# What tools/demo, tools/check, tools/gpu-check and the benchmarks share. To be sourced.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The tools work on build/; another folder is for those who keep several builds.
BUILD=${GPUINSTR_BUILD:-$ROOT/build}
# shellcheck source=tools/lib/packages.sh
. "$ROOT/tools/lib/packages.sh"

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Prints the toolkit's folder: the variable, CUDA_HOME, CUDA_PATH, nvcc on PATH, the usual place.
find_cuda() {
  local nvcc candidate
  nvcc=$(command -v nvcc) && nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  for candidate in "${GPUINSTR_CUDA_ROOT:-}" "$(cache_entry GPUINSTR_CUDA_ROOT)" \
      "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$nvcc" /usr/local/cuda; do
    if [ -n "$candidate" ] && [ -e "$candidate/include/cuda.h" ]; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

# Sets CUDA and CUDA_LIB, or stops with the one line that says what to do.
need_cuda() {
  CUDA=$(find_cuda) ||
    die "No CUDA toolkit found: get one (12 or 13) from NVIDIA's developer site, then set CUDA_HOME to its folder."
  CUDA_LIB=$CUDA/lib64
  [ -d "$CUDA_LIB" ] || CUDA_LIB=$CUDA/lib
}

# cache_entry NAME: its value in the build's CMake cache, nothing where there is none.
cache_entry() {
  [ -f "$BUILD/CMakeCache.txt" ] || return 0
  sed -n "s|^$1:[A-Z]*=||p" "$BUILD/CMakeCache.txt"
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

# need_packages PACKAGE...: installs what is missing, or without root names it and stops.
need_packages() {
  local missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: taking compilers and libraries as they are (see README.md)."
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  printf 'Missing packages: %s\n' "${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    die "Not root: install them (apt-get install ${missing[*]}), then start again."
  fi
  mkdir -p "$BUILD"
  echo "Installing them (log: $BUILD/apt.log)"
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
      --no-install-recommends "${missing[@]}"; } >"$BUILD/apt.log" 2>&1; then
    tail -n 20 "$BUILD/apt.log" >&2
    die "apt-get failed."
  fi
}

libraries_built() {
  [ -e "$BUILD/lib/libgpuinstr.so" ] && [ -e "$BUILD/lib/libgpuinstr_rt.so" ] &&
    [ -e "$BUILD/lib/simulator/libcudart.so.13" ] && [ -e "$BUILD/lib/simulator/libcuda.so.1" ]
}

# True when the libraries are there and nothing can or need be rebuilt: a tree that came prebuilt.
prebuilt() {
  libraries_built && [ "$(cache_entry CMAKE_HOME_DIRECTORY)" != "$ROOT" ]
}

configure() {
  cmake -S "$ROOT" -B "$BUILD" ${GENERATOR:+-G "$GENERATOR"} -DGPUINSTR_CUDA_ROOT="$CUDA" "$@"
}

# compiling COMMAND...: in the environment of compilers. An empty compiler cache, as on a fresh machine, would make each
# compile take a third longer and give nothing; it fills where builds are made by hand.
compiling() (
  set -a
  # shellcheck source=tools/lib/compilers.env
  . "$ROOT/tools/lib/compilers.env"
  if command -v ccache >/dev/null && ccache --print-stats 2>/dev/null | grep -qx 'files_in_cache[[:space:]]*0'; then
    CCACHE_DISABLE=1
  fi
  "$@"
)

# build_tree tests|no-tests: configures build/ once, then only builds what is out of date.
build_tree() {
  local tests=OFF
  [ "$1" = tests ] && tests=ON
  prebuilt && return
  GENERATOR=
  command -v ninja >/dev/null && GENERATOR=Ninja
  if [ "$(cache_entry CMAKE_HOME_DIRECTORY)" != "$ROOT" ]; then
    configure "-DGPUINSTR_TESTS=$tests" || return
  elif [ "$tests" = ON ] && [ "$(cache_entry GPUINSTR_TESTS)" = OFF ]; then
    GENERATOR= && configure -DGPUINSTR_TESTS=ON || return
  fi
  compiling cmake --build "$BUILD" --parallel "$(nproc)"
}

# show_progress LOG: writes a build's output to LOG and tells how far it is, on a terminal in one
# line that changes, elsewhere in a line every 10 seconds.
show_progress() {
  local line shown=-10 width
  width=$(tput cols 2>/dev/null) || width=80
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line =~ ^\[\ *[0-9]+(/[0-9]+|%)\] ]] || continue
    if [ -t 1 ]; then
      printf '\r\033[K%s' "${line:0:width-1}"
    elif [ $((SECONDS - shown)) -ge 10 ]; then
      printf '  %s\n' "$line"
      shown=$SECONDS
    fi
  done 3>"$1"
  [ ! -t 1 ] || printf '\r\033[K'
}

# Prints the folder of clang++ that the plugin in build/ belongs to.
find_llvm_bin() {
  local llvm major candidate
  llvm=$(cache_entry LLVM_DIR)
  major=$(basename "$(readlink -f "$BUILD/lib/libgpuinstr.so")" .so)
  major=${major##*-}
  for candidate in "${llvm:+$llvm/../../../bin}" "/usr/lib/llvm-$major/bin"; do
    if [ -n "$candidate" ] && [ -x "$candidate/clang++" ]; then
      (cd "$candidate" && pwd)
      return
    fi
  done
  candidate=$(command -v "clang++-$major") || die "clang++-$major not found: the plugin was built for it."
  dirname "$(readlink -f "$candidate")"
}

# True when a CUDA driver can be loaded here and it shows a device.
has_gpu() {
  local probe=$BUILD/has-gpu
  if [ ! -x "$probe" ]; then
    "$LLVM_BIN/clang" -O1 "$ROOT/tools/lib/has-gpu.c" -o "$probe" -ldl || return 1
  fi
  "$probe"
}
