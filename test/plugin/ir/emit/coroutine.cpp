// Calls in a coroutine: their frames stay on the stack, whatever thread resumes it.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_trace
// RUN: %clangxx -std=c++20 %instr %verify %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
// RUN: %clangxx -std=c++20 %instr %verify -O2 -g %s -o %t %cudart
// RUN: %traced %t 2>&1 | %FileCheck %s
#include <coroutine>
#include <cstdlib>
#include <cuda_runtime_api.h>
#include <thread>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

void helper() { cudaGetLastError(); }

Task work() {
  void *p = nullptr;
  // CHECK: enter coroutine.cpp:[[#@LINE+2]] op=4 cudaMalloc in work var=p {{.*}}s2=10
  // CHECK-NEXT: leave cudaMalloc
  cudaMalloc(&p, 16);
  co_await std::suspend_always();
  // CHECK-NEXT: enter coroutine.cpp:[[#@LINE-8]] op=27 cudaGetLastError in helper {{.*}}<- coroutine.cpp:[[#@LINE+1]] work
  helper();
  // CHECK: enter coroutine.cpp:[[#@LINE+2]] op=5 cudaFree in work
  // CHECK-NEXT: leave cudaFree
  cudaFree(p);
}

int main() {
  Task t = work();
  t.handle.resume();
  std::thread([&] { t.handle.resume(); }).join();
  t.handle.destroy();
}
