# Debian packages, the one list of them: what the build needs, and what the tests need besides.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034  # read by common.sh and its callers

PACKAGES_BUILD=(
  cmake ninja-build ccache g++
  clang-22 clang-tools-22 libclang-22-dev llvm-22-dev
  nlohmann-json3-dev libcli11-dev libboost-context-dev
  libprotobuf-dev protobuf-compiler libsqlite3-dev
)

PACKAGES_TEST=(
  llvm-22-tools lld-22 python3
  clang-19 libclang-19-dev llvm-19-dev
  libgtest-dev libbenchmark-dev
  clang-format shellcheck openmpi-bin
)
