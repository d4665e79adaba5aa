// Finds synchronisations behind which the host does nothing that could need them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_WAITS_QUIETWAITS_H
#define GPUINSTR_PLUGIN_IR_WAITS_QUIETWAITS_H

#include "ir/analysis/ModuleNames.h"
#include "ir/analysis/ModuleView.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include <memory>

namespace gpuinstr {

class CudaReachability;
class RoundChanges;

/// What the host does behind a call until its next one of CUDA's, but for those that ask for
/// errors or for memory of the device. What it loads there is not looked at: the runtime knows
/// whether there is memory that both sides share.
class QuietWaits {
public:
  QuietWaits(ModuleView &View, const CudaReachability &Reaching, const llvm::Module &M);
  ~QuietWaits();

  struct Behind {
    /// GPUINSTR_SITE_QUIET, _QUIET_ALL and _QUIET_OUT; or of Next: _QUIET_TWO and _QUIET_ONCE
    uint32_t Flags = 0;
    /// The number of the call of a function that cannot be seen into, to which the ways lead as
    /// others lead to launches, or two numbers; 0: there is none, or there are more. The runtime
    /// knows which function it came to, and whether CUDA is called there first of all.
    uint16_t Next = 0;
  };
  /// What holds behind a synchronisation.
  Behind behindWait(const llvm::CallBase &Sync) { return behind(Sync); }
  /// ... behind a call of a function of the program that may have waited last. Nothing where it has
  /// not. `Callee`: null for a virtual call, or any other whose function is not known.
  Behind behindCall(const llvm::CallBase &Call, const llvm::Function *Callee);
  /// Of a call in its function.
  uint16_t numberOf(const llvm::CallBase &Call);
  /// GPUINSTR_SITE_QUIET_IN and _QUIET_SKIPS
  uint32_t flagsIn(const llvm::CallBase &Call);
  /// Whether the host may notice behind a call, before CUDA's next one, that the device is not
  /// done.
  bool tellsBehind(const llvm::CallBase &Call);

private:
  using CallSet = llvm::SmallPtrSet<const llvm::CallBase *, 4>;
  /// Where the ways through a piece of code lead.
  struct Ways {
    bool ToLaunch = false;
    bool ToCall = false; ///< another one of CUDA's, or its launch
    bool ToReturn = false;
    /// To what might read a clock, tell another thread, or cannot be seen.
    bool ToNoise = false;
    /// ... wherever the code comes by, or as something says that stays as it is: `if (timing)`.
    bool ToSteadyNoise = false;
    /// ... and the launch follows behind that: which way is taken, nobody can say.
    bool IsNoiseBefore = false;
    bool ToUnseen = false; ///< to what might be one of `Next`
    CallSet Next = {};     ///< of functions that cannot be seen into, for a walk that takes them
  };
  struct Walk {
    const bool AsksForLaunch;     ///< else the walk ends where it meets noise
    const bool TakesNext = false; ///< calls of functions that cannot be seen into are no noise
    /// Calls that come first, but for launches, which end no way then.
    CallSet *const First = nullptr;
    CallSet Launches = {}; ///< of `First`: calls that launch, seen at what comes before them
    /// Launches of the function itself with which ways of such a walk end.
    CallSet *const Ending = nullptr;
    /// Outside of the function that is asked about: what cannot be seen into calls CUDA, unless its
    /// name says something of time.
    bool IsOutside = false;
    unsigned Calls = 0;
    llvm::SmallVector<const llvm::CallBase *, 4> Entered = {}; ///< calls that the walk is inside of
    bool isOver(const Ways &Found) const { return Found.ToNoise && !AsksForLaunch; }
  };
  using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;
  static constexpr unsigned MaxDepth = 4; ///< of calls into functions of this module

  Behind behind(const llvm::CallBase &Call);
  /// Behind::Next
  void setNext(const llvm::CallBase &Call, const CallSet &Next, Behind &Out);
  uint32_t flagsBehind(const llvm::CallBase &Call, Ways &Found, bool AsksForLaunch);
  Ways from(const llvm::Instruction *Start, unsigned Depth, Walk &Walking);
  /// Blocks in which the ways from `Start` came upon noise of that kind.
  void judgeNoise(llvm::ArrayRef<const llvm::BasicBlock *> Noisy, const llvm::BasicBlock &Start,
                  const Walk &Walking, Ways &Found);
  /// ... or to one of `Next`.
  static bool leadsToLaunch(const llvm::BasicBlock &Block, const CallSet &Next);
  /// A function elsewhere, or of an object whose class nobody knows, that may call CUDA.
  bool isUnseen(const llvm::CallBase &Call, const llvm::Function *Callee);
  /// True: the way goes on behind the call.
  bool through(const llvm::CallBase &Call, unsigned Depth, Walk &Walking, Ways &Found);
  bool throughUnseen(const llvm::CallBase &Call, const llvm::Function *Callee, Walk &Walking,
                     Ways &Found);
  /// By nvcc a launch begins with it.
  bool throughConfiguration(const llvm::CallBase &Call, unsigned Depth, Walk &Walking, Ways &Found);
  bool throughApi(const llvm::CallBase &Call, const ApiMatch &Api, unsigned Depth, Walk &Walking,
                  Ways &Found);
  bool throughBody(const llvm::CallBase &Call, const llvm::Function &Callee, unsigned Depth,
                   Walk &Walking, Ways &Found);
  /// The way ends at noise: false.
  static bool stop(Ways &Found);
  /// A function elsewhere that gets a call's own status, and nothing else that the program knows:
  /// it checks it.
  bool isUnseenCheck(const llvm::CallBase &Call, const llvm::Function &Callee, const Walk &Walking);
  /// A function elsewhere that makes room on demand, by its name: what it does of CUDA's, the
  /// runtime sees.
  bool isUnseenAllocation(const llvm::Function &F);
  /// The deleter of a std::shared_ptr to numbers: it frees memory, and what CUDA does in it, the
  /// runtime sees.
  bool releasesNumbers(const llvm::CallBase &Call, const Walk &Walking);
  /// Which of a branch's two ways is that of a call of CUDA's that failed; null: neither.
  const llvm::BasicBlock *wayOfFailure(const llvm::Instruction &Branch, const Walk &Walking);
  /// Whether a value is such a call's result. `Depth` of `Walking.Entered` calls are around it.
  bool isStatus(const llvm::Value *V, const Walk &Walking, size_t Depth, unsigned Steps = 0);
  /// An error's way, which ends the program or leaves by an exception.
  bool isDeadEnd(const llvm::BasicBlock &Block, const llvm::BasicBlock &Start);
  bool endsInWait(const llvm::Function &F);
  /// ... behind the calls of a function in this module.
  bool tellsBehindCallsOf(const llvm::Function &F, unsigned Depth);

  ModuleView &View;
  const CudaReachability &Reaching;
  llvm::TargetLibraryInfoImpl LibraryImpl;
  llvm::TargetLibraryInfo Library;
  const bool IsManaged;
  const bool CountsAreRead; ///< of std::shared_ptr
  llvm::DenseMap<const llvm::Function *, Blocks> Returning;
  llvm::DenseMap<const llvm::Function *, bool> EndsInWait, TellsBehindCalls;
  struct FirstCalls {
    CallSet Calls; ///< quietly, from the entry
    uint32_t Flags = 0;
    CallSet Launches; ///< ... that come before any other call of CUDA's
    uint32_t LaunchFlags = 0;
  };
  llvm::DenseMap<const llvm::Function *, FirstCalls> First;
  llvm::DenseMap<const llvm::Function *, llvm::DenseMap<const llvm::CallBase *, uint16_t>> Numbers;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<RoundChanges>> Changes;
};

} // namespace gpuinstr

#endif
