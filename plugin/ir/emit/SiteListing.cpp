// The table of sites as text: list-sites.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/SiteListing.h"
#include "SiteTable.h"
#include "api/CudaApi.h"
#include "ir/analysis/ModuleNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr StringLiteral OpNames[] = {
    "caller",      "region",     "library",      "other",       "alloc",        "free",
    "create",      "destroy",    "copy",         "copy-2d",     "copy-3d",      "copy-symbol",
    "copy-array",  "copy-batch", "set",          "set-2d",      "set-3d",       "prefetch",
    "advise",      "launch",     "graph-launch", "sync-device", "sync-stream",  "sync-event",
    "query",       "wait-event", "record-event", "get-error",   "peek-error",   "capture-begin",
    "capture-end", "graph-node", "host-func",    "set-device",  "reset-device", "peer-access",
    "export",      "profiler",   "entry-point"};
static_assert(std::size(OpNames) == GPUINSTR_OP_COUNT_);

constexpr StringLiteral FlagNames[] = {
    "discarded",     "cuda-error", "cu-result",  "status",   "async",      "per-thread", "inner",
    "charge-caller", "excluded",   "device-dst", "host-dst", "device-src", "host-src",   "driver",
    "no-leave",      "receives",   "wrapper",    "quiet",    "quiet-all",  "quiet-out",  "local"};

constexpr StringLiteral SlotNames[] = {"dst",    "src",    "bytes", "stream",  "kind",   "height",
                                       "dpitch", "spitch", "depth", "args",    "params", "func",
                                       "grid",   "grid-z", "block", "block-z", "shared"};
static_assert(std::size(SlotNames) == GPUINSTR_SLOT_COUNT_);

std::string bitNames(uint32_t Bits, ArrayRef<StringLiteral> Names) {
  std::string Out;
  for (unsigned I = 0; I < Names.size(); ++I)
    if (Bits >> I & 1)
      Out += (Out.empty() ? "" : " ") + Names[I].str();
  return Out;
}

/// A newline in an argument would break the line.
std::string oneLine(StringRef Text) {
  std::string Out;
  for (char C : Text)
    Out += C == '\n' || C == '\r' || C == '\t' ? ' ' : C;
  return Out;
}

void listSite(raw_ostream &OS, const Site &S,
              const DenseMap<uint64_t, std::string> &CallersByHash) {
  OS << S.File << ':' << S.Line << ':' << S.Column << ": " << OpNames[S.Op] << ' ' << S.Callee
     << '(' << oneLine(join(S.Arguments, ", ")) << ')';
  if (!S.Variable.empty())
    OS << " -> " << oneLine(S.Variable);
  if (!S.Type.empty())
    OS << " : " << S.Type;
  OS << " in " << S.Function;
  if (S.Op == GPUINSTR_OP_OTHER && S.Detail == DoesAnything)
    OS << " does anything";
  // Of a caller that bit is no direction's.
  const uint32_t Known =
      S.Op == GPUINSTR_OP_CALLER ? S.Flags & ~uint32_t(GPUINSTR_SITE_OWN_OBJECT) : S.Flags;
  if (std::string Flags = bitNames(Known, FlagNames); !Flags.empty())
    OS << " [" << Flags << ']';
  if (std::string Slots = bitNames(S.Slots, SlotNames);
      S.Op != GPUINSTR_OP_CALLER && !Slots.empty())
    OS << " {" << Slots << '}';
  if (S.Detail && (S.Op == GPUINSTR_OP_CALLER || S.Op == GPUINSTR_OP_SYNC_DEVICE ||
                   S.Op == GPUINSTR_OP_SYNC_STREAM))
    OS << " next #" << S.Detail;
  if (!S.Ignore.empty())
    OS << " ignore(" << oneLine(S.Ignore) << ')';
  auto Callers = CallersByHash.find(S.OwnHash);
  if (S.Op != GPUINSTR_OP_CALLER && Callers != CallersByHash.end())
    OS << " <-" << Callers->second;
  OS << '\n';
}

void listAccess(raw_ostream &OS, uint8_t Access) {
  if (!Access)
    OS << '-';
  for (auto [Bit, Letter] : {std::pair(GPUINSTR_ACCESS_READ, 'r'),
                             {GPUINSTR_ACCESS_WRITE, 'w'},
                             {GPUINSTR_ACCESS_ESCAPE, 'e'},
                             {GPUINSTR_ACCESS_UNKNOWN, '?'},
                             {GPUINSTR_ACCESS_FOLLOW, 'f'},
                             {GPUINSTR_ACCESS_BEFORE, 'b'}})
    if (Access & Bit)
      OS << Letter;
}

void listKernel(raw_ostream &OS, const KernelDescription &K) {
  OS << K.File << ':' << K.Line << ": kernel " << K.Name << '(';
  bool First = true;
  for (const ParamDescription &P : K.Params) {
    OS << (First ? "" : ", ") << P.Name;
    First = false;
    if (P.Pointer == PointerKind::None && !P.Access)
      continue;
    OS << ' ';
    listAccess(OS, P.Access);
    for (const MemberDescription &M : P.Members) {
      OS << (&M == &P.Members.front() ? " [" : " ") << M.Offset << ':';
      listAccess(OS, M.Access);
    }
    OS << (P.Members.empty() ? "" : "]");
  }
  OS << ')' << (K.Flags & GPUINSTR_KERNEL_ENDS ? " ends" : "")
     << (K.Flags & GPUINSTR_KERNEL_KEEPS_GLOBALS ? " keeps-globals" : "") << '\n';
}

} // namespace

void listSites(raw_ostream &OS, const std::deque<Site> &Sites, const SiteTable *Table,
               const Module &M, ArrayRef<std::string> AddressesTaken) {
  DenseMap<uint64_t, std::string> CallersByHash;
  for (const Site &S : Sites)
    if (S.Op == GPUINSTR_OP_CALLER && S.CalleeHash)
      CallersByHash[S.CalleeHash] += ' ' + S.File + ':' + std::to_string(S.Line);
  for (const Site &S : Sites)
    listSite(OS, S, CallersByHash);
  const StringMap<StringRef> Renamed = renamedFunctions(M);
  if (Table)
    for (const KernelDescription &K : Table->kernels())
      if (M.getNamedValue(K.StubSymbol) || Renamed.contains(K.StubSymbol))
        listKernel(OS, K);
  for (const std::string &Name : AddressesTaken)
    OS << "address taken: " << Name << '\n';
}

} // namespace gpuinstr
