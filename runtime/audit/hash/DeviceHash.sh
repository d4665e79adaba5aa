#!/bin/sh
# Writes the PTX of DeviceHash.cu to $1, with the clang++ in $2. No CUDA toolkit is needed.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
# PTX 6.3 is what drivers since CUDA 10 read, and sm_75 the oldest device that CUDA 13 knows.
exec "${2:-clang++-22}" -x cuda --cuda-device-only -S --offload-arch=sm_75 --cuda-feature=+ptx63 \
  -nocudainc -nocudalib -Wno-unknown-cuda-version -std=c++17 -O2 -Wall -Wextra -I. \
  audit/hash/DeviceHash.cu -o "$1"
