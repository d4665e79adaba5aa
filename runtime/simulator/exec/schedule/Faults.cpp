// Turns a SIGSEGV in kernel code into the error that a device gives.
// SPDX-License-Identifier: Apache-2.0
#include "exec/schedule/Faults.h"

#include "exec/block/BlockRun.h"
#include "exec/block/Stacks.h"
#include "exec/schedule/FaultOperand.h"

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
thread_local BlockRun::Fault FaultKind __attribute__((tls_model("initial-exec")));

[[noreturn]] void endFaultyLaunch() { BlockRun::current()->faulted(FaultAddress, FaultKind); }

void callBefore(const struct sigaction &before, int signal, siginfo_t *info, void *context) {
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_DFL) {
    // Returning runs the faulty instruction again, now with the default action.
    ::signal(signal, SIG_DFL);
  } else if (before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
}

void handle(int signal, siginfo_t *info, void *context) {
  BlockRun *block = BlockRun::current();
  auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  auto *sp = reinterpret_cast<void *>(registers[REG_RSP]);
  bool onStack = inStackGuard(info->si_addr);
  // Only faults of the fiber itself: the executor's own code runs on other stacks.
  if (!block || !(onStack || block->isLocal(sp))) {
    callBefore(signal == SIGSEGV ? BeforeSegv : BeforeBus, signal, info, context);
    return;
  }
  // A general protection fault (a misaligned or non-canonical address) comes without the address.
  uint64_t operand = 0;
  bool protection = info->si_code == SI_KERNEL;
  bool misaligned = protection && misalignedOperand(*static_cast<ucontext_t *>(context), operand);
  FaultAddress = misaligned ? reinterpret_cast<void *>(operand) : info->si_addr;
  FaultKind = onStack      ? BlockRun::Fault::StackOverflow
              : misaligned ? BlockRun::Fault::Misaligned
              : protection ? BlockRun::Fault::NoAddress
                           : BlockRun::Fault::Illegal;
  // The stack's content is not needed any more; the stack itself is.
  abandonFrames(sp, block->stackTop());
  auto top = reinterpret_cast<greg_t>(block->stackTop());
  registers[REG_RSP] = top / 16 * 16 - 8 - 16;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&endFaultyLaunch);
}

struct HandlerStack {
  void *range = nullptr;
  ~HandlerStack() {
    if (!range)
      return;
    stack_t off = {};
    off.ss_flags = SS_DISABLE;
    sigaltstack(&off, nullptr);
    munmap(range, HandlerStackBytes);
  }
};

} // namespace

void catchFaults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction mine = {};
    mine.sa_sigaction = handle;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&mine.sa_mask);
    sigaction(SIGSEGV, &mine, &BeforeSegv);
    sigaction(SIGBUS, &mine, &BeforeBus);
  });
}

void prepareThreadForFaults() {
  static thread_local HandlerStack mine;
  if (mine.range)
    return;
  stack_t present = {};
  if (!sigaltstack(nullptr, &present) && !(present.ss_flags & SS_DISABLE))
    return; // the program's own
  void *range =
      mmap(nullptr, HandlerStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED)
    return;
  mine.range = range;
  stack_t stack = {};
  stack.ss_sp = range;
  stack.ss_size = HandlerStackBytes;
  sigaltstack(&stack, nullptr);
}

} // namespace gpuinstr::sim
