// A process forks while another of its threads looks for code that nobody sees.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/code/UnseenCode.h"
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

TEST_F(AuditTest, AChildAsksForUnseenCodeThoughAThreadOfItsParentsWasLooking) {
  std::atomic<bool> isOver{false};
  std::thread looks([&] {
    gpuinstr_site *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 5);
    registerAll({site});
    while (!isOver) {
      registerAll({}); // the modules are others: it is looked anew
      unseenCodeRunsKernels();
    }
  });
  unsigned hung = 0;
  for (unsigned i = 0; i < 200 && !hung; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      unseenCodeRunsKernels();
      _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    hung += status != 0;
  }
  isOver = true;
  looks.join();
  EXPECT_EQ(hung, 0u);
}

} // namespace
