// gpuinstr-bench-trace FILE EVENTS: a trace of so many events, for tools/bench/trace.
// SPDX-License-Identifier: Apache-2.0
#include "../test/support/TraceMaker.h"
#include <cstdio>
#include <cstdlib>

using namespace gpuinstr;
using test::TraceMaker;

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::FILE *out = std::fopen(argv[1], "wb");
  auto events = std::strtoull(argv[2], nullptr, 10);
  if (!out)
    return 1;
  TraceMaker maker;
  maker.process(77, 0).clock(0).thread(1, 77, "main").device(0, "Test GPU");
  for (uint32_t i = 1; i <= 200; ++i)
    maker.site(i, GPUINSTR_OP_LAUNCH, "kernel", i)
        .name(i, "void kernel" + std::to_string(i) + "(int)");
  // Pairs of a launch and its kernel, 4 us apart.
  std::vector<trace::Record> row;
  for (uint64_t i = 0; 2 * i < events; ++i) {
    auto site = uint32_t(i * 7919 % 200) + 1;
    uint64_t start = 1000 + i * 4000, correlation = uint64_t(1) << 40 | (i + 1);
    row.push_back(TraceMaker::call(GPUINSTR_OP_LAUNCH, site, start, start + 2500, correlation));
    trace::Record kernel = TraceMaker::work(GPUINSTR_OP_LAUNCH, site, start + 3000,
                                            start + 5500 + i % 997, correlation);
    row.back().name = kernel.name = site;
    row.back().launch = kernel.launch = {{uint32_t(i % 64) + 1, 1, 1}, {256, 1, 1}, 32, 0};
    row.push_back(kernel);
    if (row.size() >= 4096) {
      maker.records(row);
      row.clear();
      std::fwrite(maker.bytes.data(), 1, maker.bytes.size(), out);
      maker.bytes.clear();
    }
  }
  maker.records(row).end(2000 + events * 2000);
  std::fwrite(maker.bytes.data(), 1, maker.bytes.size(), out);
  return std::fclose(out) != 0;
}
