// Ranges of nvtx3.hpp, left by return and by exception.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx %instr %verify %s -o %t && %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx %instr %verify -O2 %s -o %t && %traced %t 2>&1 | %FileCheck %s
#include <nvtx3/nvtx3.hpp>
#include <stdexcept>

struct solver {
  static constexpr char const *name{"solver"};
};
struct text {
  static constexpr char const *message{"registered"};
};

static void step(bool fails) {
  NVTX3_FUNC_RANGE_IN(solver);
  if (fails)
    throw std::runtime_error("step");
}

int main() {
  {
    nvtx3::scoped_range range{"plain"}; // CHECK: nvtx 2 ... 0
    nvtx3::scoped_range_in<solver> in{nvtx3::registered_string_in<solver>::get<text>()};
    // CHECK-NEXT: nvtx 8 registered 0
    // CHECK-NEXT: nvtx 2 ... 0
  }
  // CHECK-NEXT: nvtx 3 - 0
  // CHECK-NEXT: nvtx 3 - 0
  auto handle = nvtx3::start_range("process"); // CHECK-NEXT: nvtx 6 ... 0
  nvtx3::end_range(handle);                    // CHECK-NEXT: nvtx 7 - 1006
  // CHECK-NEXT: nvtx 8 step 0
  // CHECK-NEXT: nvtx 2 ... 0
  // CHECK-NEXT: nvtx 3 - 0
  step(false);
  // CHECK-NEXT: nvtx 2 ... 0
  // CHECK-NEXT: nvtx 3 - 0
  // CHECK-NEXT: caught
  try {
    step(true);
  } catch (const std::exception &) {
    fprintf(stderr, "caught\n");
  }
}
