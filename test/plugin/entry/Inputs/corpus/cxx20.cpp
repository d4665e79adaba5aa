// corpus: -std=c++20 -O0 | -std=c++26 -fsyntax-only | run -std=c++23 -O2
#include <coroutine>
#include <concepts>
#include <cstdio>
#include <cuda_runtime_api.h>
struct Task {
  struct promise_type {
    void *p = nullptr;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { cudaMalloc(&p, 8); return {}; }
    std::suspend_always final_suspend() noexcept { cudaFree(p); return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> h;
};
template <std::integral T> Task twice(T n) {
  void *q = nullptr;
  cudaMalloc(&q, n);
  co_await std::suspend_always{};
  cudaFree(q);
}
int main() {
  Task t = twice(16);
  int steps = 0;
  for (; !t.h.done(); ++steps) t.h.resume();
  t.h.destroy();
  std::printf("%d\n", steps);
}
