// Decides which calls of a module become sites, and what each site says.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_SITEPLANNER_H
#define GPUINSTR_PLUGIN_IR_SITEPLANNER_H

#include "ir/RewriteOptions.h"
#include "ir/analysis/Addresses.h"
#include "ir/analysis/CudaReachability.h"
#include "ir/analysis/ModuleView.h"
#include "ir/emit/CallWrapper.h"
#include "ir/emit/Descriptors.h"
#include "ir/waits/QuietWaits.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class DIFile;
} // namespace llvm

namespace gpuinstr {

/// What to do with one call.
struct PlannedCall {
  enum Action : uint8_t {
    Wrap,     ///< enter and leave
    Count,    ///< musttail, noreturn
    Announce, ///< a caller descriptor
    Exit,     ///< before_exit
  };
  llvm::CallBase *Call;
  Action What;
  unsigned Site = 0;               ///< index in the emitter
  const ApiEntry *Entry = nullptr; ///< operands to store
  llvm::Constant *Func = nullptr;  ///< FUNC where it is known better than by the argument
  bool PassResult = false;
  bool PassPointers = false;    ///< of a vendor library's call: see GPUINSTR_SLOT_ARGS
  uint64_t OnlyRead = 0;        ///< bits: arguments among those that lead to what is only read
  bool IsHeaderWrapper = false; ///< of an inline function of CUDA's headers around an entry point
  bool IsSharedLaunch = false;  ///< of a stub that other launches call as well

  CallWrapper::Passed passed() const { return {Entry, Func, PassResult, PassPointers, OnlyRead}; }
};

/// An inline function of CUDA's headers has the parameters of what it wraps, in their order.
const ApiEntry *entryOf(const PlannedCall &P, ModuleView &View);

struct PlannedFunction {
  llvm::Function *F;
  std::vector<PlannedCall> Calls;
  bool TakesCallers = false;    ///< has a site that is not inner
  bool IsNamedWrapper = false;  ///< by wrapper=
  bool IsWrapper = false;       ///< see Wrappers.h
  bool MakesMembers = false;    ///< several, see there
  bool FillsParameters = false; ///< has a site that is GPUINSTR_SITE_THROUGH
  bool IsCompact = false;       ///< what CompactCalls takes is its
};

class SitePlanner {
public:
  SitePlanner(llvm::Module &M, ModuleView &View, const CudaReachability &Reaching, SiteTable *Table,
              const RewriteOptions &Options, DescriptorEmitter &Sites)
      : M(M), View(View), Reaching(Reaching), Table(Table), Options(Options), Sites(Sites),
        Waits(View, Reaching, M) {}

  /// Functions with anything to do, in the module's order.
  std::vector<PlannedFunction> plan();
  /// A site for an entry point that is called from a place without a call of its own: the thunk
  /// that replaces its address.
  Site siteOf(const TakenAddress &Taken, const ApiMatch &Api);

private:
  void planFunction(llvm::Function &F, PlannedFunction &Out);
  void planCall(llvm::CallBase &Call, CodeKind Kind, bool IsLaunch, PlannedFunction &Out);
  void planApi(llvm::CallBase &Call, llvm::Function &Callee, const ApiMatch &Api, CodeKind Kind,
               PlannedFunction &Out);
  void planOuter(llvm::CallBase &Call, const ApiMatch &Api, CodeKind Kind, PlannedFunction &Out);
  void planAnnounce(llvm::CallBase &Call, const llvm::Function *Callee, PlannedFunction &Out);
  /// As the command line and the AST spell it: debug information cuts off the working directory.
  std::string spelledFile(const llvm::DIFile *File);
  void addSite(Site S, PlannedCall Planned, PlannedFunction &Out);
  Site describe(const llvm::CallBase &Call, const llvm::Function *Callee, uint32_t Flags);
  void place(Site &S, const llvm::Function *In, const llvm::Instruction *Where);
  uint32_t functionFlags(const PlannedFunction &In, CodeKind Kind);
  uint32_t scopeFlags(const Site &S) const;

  llvm::Module &M;
  ModuleView &View;
  const CudaReachability &Reaching;
  SiteTable *Table;
  const RewriteOptions &Options;
  DescriptorEmitter &Sites;
  QuietWaits Waits;
  llvm::DenseMap<const llvm::DIFile *, std::string> SpelledFiles;
};

} // namespace gpuinstr

#endif
