// Places in compiled code: return addresses, and what is known of them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/Native.h"
#include "attach/native/Addresses.h"
#include "attach/native/FunctionName.h"
#include "attach/native/KnownWalks.h"
#include "attach/native/PlaceFrames.h"
#include "attach/source/SourceLine.h"
#include "base/HotCode.h"
#include "base/system/ThreadStack.h"
#include <dlfcn.h>
#include <unwind.h>

namespace gpuinstr::attach {

namespace {

constexpr unsigned DeepestUnwind = 64;
constexpr uint64_t LibraryBit = uint64_t(1) << 63; ///< a key that means all of a library
/// One that means the function that the address's own was inlined into.
constexpr uint64_t AroundBit = uint64_t(1) << 62;

const Address &addressOf(uint64_t address) { return *metAddresses().find(address).what; }

struct Walk {
  Places places;
  WalkFor wanted;
  unsigned depth = 0;

  /// A function of the stack, from the inside outwards; `address` lies inside its call. True: all
  /// that was wanted is known.
  bool meets(uint64_t address, const Address &what) {
    if (++depth > DeepestUnwind)
      return true;
    if (what.pool && !places.pool)
      places.pool = what.pool;
    if (wanted == WalkFor::Pool)
      return places.pool;
    if (what.passed)
      return false;
    if (!places.place.value) {
      places.place = {address | what.reuse, false};
      return wanted == WalkFor::Place;
    }
    places.caller = {address | what.reuse, false};
    return true;
  }
};

_Unwind_Reason_Code step(_Unwind_Context *context, void *data) {
  uint64_t address = _Unwind_GetIP(context);
  if (!address)
    return _URC_END_OF_STACK;
  bool done = static_cast<Walk *>(data)->meets(address - 1, addressOf(address - 1));
  return done ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void walkByUnwinder(Walk &walk) {
  walk = Walk{{}, walk.wanted};
  _Unwind_Backtrace(step, &walk);
}

#ifdef GPUINSTR_HAS_FRAME_RULES
/// False: another stack than the thread's own, on which no rules are followed.
inline bool isOwnStack(ThreadStack &stack, const StackPosition &position) {
  if (__builtin_expect(!stack.end, false))
    stack = findThreadStack();
  return position.stack >= stack.begin && position.stack < stack.end;
}

/// `placeStood`: where the word stands that the place was found by. False: a frame that no simple
/// rule describes.
bool walkByRules(const ThreadStack &stack, StackPosition position, Walk &walk, WalkNotes &notes,
                 uint64_t &placeStood) {
  MetAddresses &met = metAddresses();
  while (position.at) {
    const MetAddress &address = met.find(position.at);
    const FrameRule rule = address.rule;
    bool done = walk.meets(position.at, *address.what);
    if (!placeStood && walk.places.place.value)
      placeStood = notes.last();
    if (done || rule.kind == FrameRule::Ends)
      return true;
    if (rule.fromBase)
      notes.needBase();
    if (!position.step(rule, stack.end, notes))
      return false;
  }
  return true;
}

uint32_t unloadsNow() { return uint32_t(Unloads.load(std::memory_order_relaxed)); }

/// The walk that this one may be like. nullptr: none can be kept.
ALWAYS_INLINE KnownWalk *walkLike(NativeThread &thread, const StackPosition &from,
                                  const void *call) {
  return LIKELY(isOwnStack(thread.stack, from)) ? &thread.known.at(from, call, thread.stack.end)
                                                : nullptr;
}

ALWAYS_INLINE bool isLike(const KnownWalk &known, const StackPosition &from, WalkFor wanted,
                          const void *call) {
  return known.call == call && known.wanted == wanted && known.unloads == unloadsNow() &&
         known.isAgain(from);
}
#endif

std::string hexText(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

Places nativePlaces(NativeThread &thread, const StackPosition &from, WalkFor wanted) {
  metAddresses().forgetUnloaded();
  Walk walk{{}, wanted};
#ifdef GPUINSTR_HAS_FRAME_RULES
  WalkNotes notes;
  uint64_t placeStood = 0;
  if (isOwnStack(thread.stack, from) && walkByRules(thread.stack, from, walk, notes, placeStood))
    return walk.places;
#endif
  walkByUnwinder(walk);
  return walk.places;
}

#ifdef GPUINSTR_HAS_FRAME_RULES
static __attribute__((noinline)) Places
placesToKeep(NativeThread &thread, const StackPosition &from, WalkFor wanted, const void *call) {
  const uint32_t unloads = unloadsNow();
  metAddresses().forgetUnloaded();
  Walk walk{{}, wanted};
  WalkNotes notes;
  uint64_t placeStood = 0;
  if (!walkByRules(thread.stack, from, walk, notes, placeStood)) {
    walkByUnwinder(walk);
    return walk.places;
  }
  // Where it stood for this walk is where the next one like it is looked for.
  thread.known.placeStood(from, call, placeStood);
  KnownWalk &known = thread.known.at(from, call, thread.stack.end);
  if (!known.keep(from, notes))
    return walk.places;
  known.call = call;
  known.wanted = wanted;
  known.unloads = unloads;
  known.places = walk.places;
  known.places.kept = &known.sites;
  return known.places;
}

Places nativePlacesAgain(NativeThread &thread, const StackPosition &from, WalkFor wanted,
                         const void *call) {
  KnownWalk *known = walkLike(thread, from, call);
  if (!known)
    return nativePlaces(thread, from, wanted);
  return isLike(*known, from, wanted, call) ? known->places
                                            : placesToKeep(thread, from, wanted, call);
}

GPUINSTR_HOT const KeptSites *nativeSitesAgain(NativeThread &thread, const StackPosition &from,
                                               WalkFor wanted, const void *call) {
  KnownWalk *known = walkLike(thread, from, call);
  return LIKELY(known && isLike(*known, from, wanted, call)) ? &known->sites : nullptr;
}
#else
Places nativePlacesAgain(NativeThread &thread, const StackPosition &from, WalkFor wanted,
                         const void *) {
  return nativePlaces(thread, from, wanted);
}
const KeptSites *nativeSitesAgain(NativeThread &, const StackPosition &, WalkFor, const void *) {
  return nullptr;
}
#endif

PlaceKey libraryOf(PlaceKey place) {
  if (!place.value)
    return {};
  const Address &what = addressOf(place.value & AddressMask);
  return {what.base | what.reuse | LibraryBit, false};
}

bool isLibrary(PlaceKey place) { return !place.python && place.value & LibraryBit; }

PlaceKey inlinedInto(PlaceKey place) {
  if (!place.value || place.python || place.value & (LibraryBit | AroundBit))
    return {};
  uint64_t address = place.value & AddressMask;
  return placeFrames(addressOf(address), address).hasAround ? PlaceKey{place.value | AroundBit}
                                                            : PlaceKey{};
}

PlaceText nativeText(PlaceKey place) {
  PlaceText text;
  if (place.value & LibraryBit) {
    Dl_info info = {};
    bool known = dladdr(reinterpret_cast<void *>(place.value & AddressMask), &info);
    std::string path = known && info.dli_fname ? info.dli_fname : "";
    text.file = path.substr(path.rfind('/') + 1);
    text.function = "a thread without a Python frame";
    return text;
  }
  uint64_t address = place.value & AddressMask;
  const Address &what = addressOf(address);
  const PlaceFrames &frames = placeFrames(what, address);
  const SourceFrame &frame = place.value & AroundBit ? frames.around : frames.place;
  text.file = frame.at.file;
  text.line = frame.at.line;
  text.column = frame.at.column;
  text.function = functionName(frame.function);
  if (text.line) {
    text.source = lineOfFile(text.file, text.line);
    return text;
  }
  text.file = what.module.substr(what.module.rfind('/') + 1);
  if (text.function.empty())
    text.function = "+" + hexText(address - what.base);
  return text;
}

} // namespace gpuinstr::attach
