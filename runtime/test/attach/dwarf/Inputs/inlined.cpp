// Code that is inlined many layers deep, by each rule that names a function or its ranges.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" int printf(const char *, ...);

namespace {

template <class T> struct Buffer {
  explicit Buffer(size_t n) : data(new T[n]()), size(n) {}
  ~Buffer() { delete[] data; }
  T &operator[](size_t i) {
    if (i >= size)
      throw std::out_of_range("Buffer");
    return data[i];
  }
  T *data;
  size_t size;
};

inline int twice(int x) { return printf("%d\n", x) + printf("%d\n", 2 * x); }
static inline int fourTimes(int x) { return twice(x) + twice(x + 1); }

int unlikely(const std::map<std::string, int> &all, const std::string &name) {
  auto at = all.find(name);
  if (at == all.end())
    throw std::runtime_error("none: " + name);
  return fourTimes(at->second);
}

} // namespace

namespace deep {
namespace inner {
template <int N> struct Tower {
  static int climb(int x) { return printf("%d\n", x) + Tower<N - 1>::climb(x + N); }
};
template <> struct Tower<0> {
  static int climb(int x) { return twice(x); }
};
struct Base {
  virtual ~Base() = default;
  virtual int value(int x) const { return x; }
};
struct Derived final : Base {
  int value(int x) const override { return Tower<3>::climb(x) + fourTimes(x); }
};
} // namespace inner

int sum(const std::vector<int> &values) {
  struct Local {
    int total = 0;
    void add(int v) { total += twice(v); }
  } local;
  std::for_each(values.begin(), values.end(), [&](int v) { local.add(v); });
  return local.total;
}
} // namespace deep

static int byLambda(int n) {
  std::function<int(int)> f = [n](int x) { return fourTimes(x) + n; };
  auto direct = [&](auto x) { return twice(int(x)) + n; };
  return f(n) + direct(1.5) + direct('c');
}

int main(int argc, char **argv) {
  Buffer<int> numbers(size_t(argc) + 3);
  Buffer<double> reals(4);
  for (size_t i = 0; i < numbers.size; ++i)
    numbers[i] = fourTimes(int(i));
  reals[3] = numbers[1];
  std::map<std::string, int> all;
  std::unordered_map<std::string, std::vector<int>> lists;
  for (int i = 0; i < argc; ++i) {
    all[argv[i]] = byLambda(i);
    lists[argv[i]].push_back(i);
  }
  std::vector<int> order(numbers.data, numbers.data + numbers.size);
  std::sort(order.begin(), order.end(), [](int a, int b) { return a % 7 < b % 7; });
  std::unique_ptr<deep::inner::Base> object = std::make_unique<deep::inner::Derived>();
  try {
    all["last"] = unlikely(all, argv[argc - 1]) + object->value(order[0]);
  } catch (const std::exception &error) {
    return printf("%s\n", error.what());
  }
  return std::accumulate(order.begin(), order.end(), 0) + deep::sum(order) + int(reals[3]);
}
