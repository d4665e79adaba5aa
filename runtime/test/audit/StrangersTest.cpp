// Looks at memory that the call has nothing to do with, while another thread frees it.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <atomic>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Strangers : VariedBytes {
  /// Hashes of `work`, which runs on this thread while another one is inside a free of `memory`.
  unsigned hashesDuringFree(unsigned line, char *memory, const std::function<void()> &work) {
    std::atomic<bool> inside{false}, done{false};
    std::thread other([&] {
      Function own;
      own.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(memory);
      own.call(
          site(GPUINSTR_OP_FREE, "cudaFree", line, 1u << GPUINSTR_SLOT_DST, GPUINSTR_RES_DEVICE),
          [&] {
            inside = true;
            while (!done)
              std::this_thread::yield();
            return 0;
          });
    });
    while (!inside)
      std::this_thread::yield();
    unsigned before = engine.hashes;
    work();
    unsigned hashes = engine.hashes - before;
    done = true;
    other.join();
    return hashes;
  }
};

TEST_F(Strangers, ATwinIsComparedWhileItLives) {
  char *a = alloc(10), *b = alloc(11), *c = alloc(12);
  upload(20, a, host.data());
  EXPECT_GE(hashesDuringFree(30, c, [&] { upload(21, b, host.data()); }), 2u);
}

TEST_F(Strangers, ATwinThatIsBeingFreedIsLeftAlone) {
  char *a = alloc(10), *b = alloc(11);
  upload(20, a, host.data());
  EXPECT_EQ(hashesDuringFree(30, a, [&] { upload(21, b, host.data()); }), 0u);
}

} // namespace
