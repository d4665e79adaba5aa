#!/bin/sh
# Checks that the simulator exports exactly the functions of the real libraries, with the same
# symbol versions, and nothing else but its own gpuinstr names.
# SPDX-License-Identifier: Apache-2.0
# Usage: CheckSymbols.sh SIMULATOR_DIR CUDA_ROOT    (exit 77: no real library to compare with)
set -eu
simulator=$1
cuda=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

functions() { objdump -T "$1" | awk '$4 == ".text" { print $(NF-1), $NF }' | sed 's/[()]//g' | sort; }

real=
for folder in lib64 lib targets/x86_64-linux/lib; do
  [ -e "$cuda/$folder/libcudart.so.13" ] && real=$cuda/$folder && break
done
[ -n "$real" ] || { echo "no real libcudart.so.13 under $cuda: skipped"; exit 77; }

functions "$real/libcudart.so.13" >"$work/real"
functions "$simulator/libcudart.so.13" >"$work/simulated"
[ "$(wc -l <"$work/real")" -gt 300 ] || { echo "cannot read the real symbols"; exit 1; }
diff -u "$work/real" "$work/simulated"

if [ -e "$real/stubs/libcuda.so" ]; then
  functions "$real/stubs/libcuda.so" | awk '{ print $2 }' | grep '^cu' >"$work/real"
  functions "$simulator/libcuda.so.1" | awk '{ print $2 }' | grep '^cu' >"$work/simulated"
  [ "$(wc -l <"$work/real")" -gt 300 ] || { echo "cannot read the real symbols"; exit 1; }
  diff -u "$work/real" "$work/simulated"
fi
for library in libcuda.so.1 libcudart.so.13; do
  objdump -p "$simulator/$library" | grep -q "SONAME *$library\$" || { echo "$library: SONAME"; exit 1; }
  if objdump -p "$simulator/$library" | grep -E 'NEEDED.*(stdc\+\+|libgcc)'; then
    echo "$library carries no C++ library of its own"
    exit 1
  fi
done
echo "same functions"
