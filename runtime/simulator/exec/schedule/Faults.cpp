// Turns a SIGSEGV in kernel code into the error that a device gives.
// SPDX-License-Identifier: Apache-2.0
#include "exec/schedule/Faults.h"

#include "exec/block/BlockRun.h"

#include <csignal>
#include <cstdio>
#include <mutex>
#include <sys/mman.h>
#include <ucontext.h>

namespace gpuinstr::sim {

namespace {

struct sigaction BeforeSegv, BeforeBus;

constexpr size_t HandlerStackBytes = size_t(64) << 10;

/// The faulting thread continues here: on its fiber, outside the signal handler.
thread_local const void *FaultAddress __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local bool FaultOnStack __attribute__((tls_model("initial-exec"))) = false;

[[noreturn]] void endFaultyLaunch() { BlockRun::current()->faulted(FaultAddress, FaultOnStack); }

void callBefore(const struct sigaction &Before, int Signal, siginfo_t *Info, void *Context) {
  if (Before.sa_flags & SA_SIGINFO) {
    Before.sa_sigaction(Signal, Info, Context);
  } else if (Before.sa_handler == SIG_DFL) {
    // Returning runs the faulty instruction again, now with the default action.
    signal(Signal, SIG_DFL);
  } else if (Before.sa_handler != SIG_IGN) {
    Before.sa_handler(Signal);
  }
}

void handle(int Signal, siginfo_t *Info, void *Context) {
  BlockRun *Block = BlockRun::current();
  auto *Registers = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  auto *Sp = reinterpret_cast<void *>(Registers[REG_RSP]);
  bool OnStack = inStackGuard(Info->si_addr);
  // Only faults of the fiber itself: the executor's own code runs on other stacks.
  if (!Block || !(OnStack || Block->isLocal(Sp))) {
    callBefore(Signal == SIGSEGV ? BeforeSegv : BeforeBus, Signal, Info, Context);
    return;
  }
  // A general protection fault (a non-canonical address) comes without the address.
  FaultAddress = Info->si_code == SI_KERNEL ? nullptr : Info->si_addr;
  FaultOnStack = OnStack;
  // The stack's content is not needed any more; the stack itself is.
  auto Top = reinterpret_cast<greg_t>(Block->stackTop());
  Registers[REG_RSP] = Top / 16 * 16 - 8 - 16;
  Registers[REG_RIP] = reinterpret_cast<greg_t>(&endFaultyLaunch);
}

struct HandlerStack {
  void *Range = nullptr;
  ~HandlerStack() {
    if (!Range)
      return;
    stack_t Off = {};
    Off.ss_flags = SS_DISABLE;
    sigaltstack(&Off, nullptr);
    munmap(Range, HandlerStackBytes);
  }
};

} // namespace

void catchFaults() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    struct sigaction Mine = {};
    Mine.sa_sigaction = handle;
    Mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&Mine.sa_mask);
    sigaction(SIGSEGV, &Mine, &BeforeSegv);
    sigaction(SIGBUS, &Mine, &BeforeBus);
  });
}

void prepareThreadForFaults() {
  static thread_local HandlerStack Mine;
  if (Mine.Range)
    return;
  stack_t Present = {};
  if (!sigaltstack(nullptr, &Present) && !(Present.ss_flags & SS_DISABLE))
    return; // the program's own
  void *Range =
      mmap(nullptr, HandlerStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Range == MAP_FAILED)
    return;
  Mine.Range = Range;
  stack_t Stack = {};
  Stack.ss_sp = Range;
  Stack.ss_size = HandlerStackBytes;
  sigaltstack(&Stack, nullptr);
}

} // namespace gpuinstr::sim
