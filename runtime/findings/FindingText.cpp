// What each finding says, and what to change.
// SPDX-License-Identifier: Apache-2.0
#include "findings/FindingText.h"
#include "base/text/Printable.h"
#include "cuda/errors/ErrorNames.h"
#include "findings/BugText.h"
#include "findings/WasteText.h"
#include "profile/kinds/SiteKind.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace gpuinstr {

namespace {

using Record = FindingRecord;
using Text = std::string;

const gpuinstr_site *ownSite(const Record &r) { return siteAt(r.key.site); }

Text memoryOf(const Record &r) {
  const Text kind(profile::textOf(profile::resourceOf(r.key.resource)));
  return r.bytes ? " of " + kind + " memory" : " " + kind + (r.count == 1 ? "" : "s");
}

Text whatOf(const Record &r, const Text &variable) {
  return !variable.empty() ? variable : isMemory(r.key.resource) ? "memory" : "it";
}

/// What stands for "{name}" in the sentences of profile::FindingKind.
constexpr struct {
  std::string_view name;
  Text (*of)(const Record &r, const Text &variable);
} Values[] = {
    {"call",
     [](const Record &r, const Text &) -> Text {
       const gpuinstr_site *site = ownSite(r);
       return site && *site->callee ? site->callee : "the call";
     }},
    {"what", whatOf},
    {"related", [](const Record &r, const Text &) { return place(r.key.related); }},
    {"bytes", [](const Record &r, const Text &) { return bytesOf(r.bytes); }},
    {"count", [](const Record &r, const Text &) { return std::to_string(r.count); }},
    {"each", [](const Record &r, const Text &) { return amountEach(r); }},
    {"peak", [](const Record &r, const Text &) { return bytesOf(r.peak); }},
    {"lean", [](const Record &r, const Text &) { return bytesOf(r.leanPeak); }},
    {"capacity", [](const Record &r, const Text &) { return bytesOf(r.capacity); }},
    // Bugs.
    {"memory", [](const Record &r, const Text &) { return memoryOf(r); }},
    {"held", [](const Record &r, const Text &) { return heldOf(r); }},
    {"free_call",
     [](const Record &r, const Text &) { return freeCall(r.key.resource, ownSite(r)); }},
    {"error",
     [](const Record &r, const Text &) -> Text {
       return errorName(r.key.error, r.key.driverError);
     }},
    {"lost",
     [](const Record &r, const Text &) -> Text {
       return losesDevice(r.key.error) ? ": from the fault on, all calls fail" : "";
     }},
    {"fault",
     [](const Record &r, const Text &) -> Text {
       return losesDevice(r.key.error) ? "look for the fault with compute-sanitizer; " : "";
     }},
    {"kind", [](const Record &r, const Text &) { return kindOf(r); }},
    {"pass", [](const Record &r, const Text &) { return passOf(r); }},
    {"address", [](const Record &r, const Text &) { return addressOf(r); }},
    {"right", [](const Record &r, const Text &) { return rightFreeOf(r, ownSite(r)); }},
    {"first",
     [](const Record &r, const Text &) {
       return r.key.related ? ", first freed at " + place(r.key.related) : "";
     }},
    {"past", // the difference of two offsets, say, taken the wrong way round
     [](const Record &r, const Text &) {
       return bytesOf(r.past) + (r.past >> 63 ? " (the size is negative)" : "");
     }},
    {"free", [](const Record &r,
                const Text &) { return r.free ? " when " + bytesOf(r.free) + " were free" : ""; }},
    // Waste.
    {"proof", [](const Record &r, const Text &) { return proofOf(r); }},
    {"between", [](const Record &r, const Text &) { return betweenOf(r); }},
    {"once", onceOf},
    {"earlier", earlierOf},
    {"keep", [](const Record &r, const Text &) { return keepOf(r); }},
    {"whence", [](const Record &r, const Text &) { return whenceOf(r); }},
    {"round", [](const Record &r, const Text &) { return roundOf(r); }},
    {"buried", [](const Record &r, const Text &) { return buriedOf(r); }},
    {"seldom", [](const Record &r, const Text &) { return seldomOf(r); }},
    {"dead", [](const Record &r, const Text &) { return deadOf(r); }},
    {"equal", [](const Record &r, const Text &) { return equalOf(r); }},
    {"fill", [](const Record &r, const Text &) { return fillOf(r); }},
    {"rest", [](const Record &r, const Text &) { return restOf(r); }},
    {"unused", [](const Record &r, const Text &) { return unusedOf(r); }},
    {"drop", [](const Record &r, const Text &) { return dropOf(r); }},
    {"sizes", [](const Record &r, const Text &) { return cyclesOf(r); }},
    {"reuse",
     [](const Record &r, const Text &variable) { return reuseOf(r, whatOf(r, variable)); }},
    {"idle", [](const Record &r, const Text &) { return idleOf(r); }},
    {"hold", [](const Record &r, const Text &) { return holdOf(r); }},
    {"unnamed", [](const Record &r, const Text &) { return unnamedOf(r); }},
    {"host", hostSideOf},
    {"rows", [](const Record &r, const Text &) { return rowsOf(r); }},
    {"besides",
     [](const Record &r, const Text &) -> Text {
       const char *copies = "copies the other way";
       if (r.allocates)
         return r.isMixed ? Text("nothing but allocations and ") + copies
                          : Text("nothing but allocations");
       return r.isMixed ? Text("nothing but ") + copies : Text("nothing");
     }},
    {"gather", [](const Record &r, const Text &) { return gatherOf(r); }},
    {"needless", [](const Record &r, const Text &) { return needlessOf(r); }},
    {"unless", [](const Record &r, const Text &) { return unlessOf(r); }},
};

Text valueOf(std::string_view name, const Record &r, const Text &variable) {
  auto value = std::find_if(std::begin(Values), std::end(Values),
                            [&](const auto &known) { return known.name == name; });
  return value != std::end(Values) ? value->of(r, variable) : "{" + Text(name) + "}";
}

Text fill(const char *text, const Record &r, const Text &variable) {
  Text out;
  for (const char *p = text; *p; ++p) {
    const char *close = *p == '{' ? std::strchr(p, '}') : nullptr;
    if (!close) {
      out += *p;
      continue;
    }
    out += valueOf(std::string_view(p + 1, std::size_t(close - p - 1)), r, variable);
    p = close;
  }
  return out;
}

} // namespace

FindingText findingText(const FindingRecord &record, const std::string &variable) {
  const profile::FindingKind &kind = profile::findingKind(record.key.pattern);
  return {fill(kind.message, record, variable), fill(kind.fix, record, variable)};
}

std::string withoutTotal(std::string message) {
  constexpr std::string_view All = "all ", Repeats = " repeats";
  if (message.rfind(All, 0) == 0)
    message.erase(0, All.size());
  std::size_t of = message.find(" of "), repeats = message.find(Repeats);
  if (of < repeats && repeats != std::string::npos)
    message.erase(of, repeats - of);
  if (std::size_t all = message.find(" repeats:"); all != std::string::npos)
    message.insert(all + Repeats.size(), " looked at");
  return message;
}

} // namespace gpuinstr
