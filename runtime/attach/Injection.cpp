// What the driver loads: takes CUPTI's callbacks, and hands each driver call to the runtime.
// SPDX-License-Identifier: Apache-2.0
#include "attach/AttachedThread.h"
#include "attach/Globals.h"
#include "attach/HandedOver.h"
#include "attach/Place.h"
#include "attach/Runtime.h"
#include "attach/Watching.h"
#include "attach/driver/CuptiCallbacks.h"
#include "attach/native/Native.h"
#include "attach/python/Python.h"
#include "attach/python/PythonCheck.h"
#include "base/HotCode.h"
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

namespace gpuinstr::attach {

namespace {

const gpuinstr_table *Runtime = nullptr;
/// What each call needs of it.
GPUINSTR_HOT_DATA struct {
  int (*mayEnter)() = nullptr;
  int (*callBegins)() = nullptr;
  void (*enter)(gpuinstr_frame *) = nullptr;
  void (*leave)(gpuinstr_frame *, int64_t) = nullptr;
} Entries;

/// In CallbackData::kept, an OpenCall's address below, 0 where the call is not noted. What else
/// stands there is not ours: the enter was not called back.
constexpr unsigned MarkAt = 48;
constexpr uint64_t Mark = uint64_t(0x67c1) << MarkAt;

void say(const std::string &text) {
  std::string line = "gpuinstr: " + text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0)
    return; // nobody reads
}

/// The variable of device code that is set, or copied to or from. nullptr: none.
GPUINSTR_HOT const char *variableOf(const DriverCall &call, const gpuinstr_frame &frame) {
  const bool sets = call.op >= GPUINSTR_OP_SET && call.op <= GPUINSTR_OP_SET_3D;
  if (!sets && call.op != GPUINSTR_OP_COPY)
    return nullptr;
  const char *variable = globalAt(frame.slot[GPUINSTR_SLOT_DST]);
  return variable || sets ? variable : globalAt(frame.slot[GPUINSTR_SLOT_SRC]);
}

/// cuModuleGetGlobal and cuLibraryGetGlobal: (address, bytes, module, name).
bool asksForGlobal(const DriverCall &call) {
  static constexpr const char Ending[] = "GetGlobal";
  constexpr size_t Length = sizeof Ending - 1;
  size_t length = std::strlen(call.name);
  return call.op == GPUINSTR_OP_EXPORT && length > Length &&
         std::strcmp(call.name + length - Length, Ending) == 0;
}

void noteGlobal(const DriverCall &call, AttachedThread &thread, const void *parameters) {
  struct {
    const uint64_t *address;
    const size_t *bytes;
    void *owner;
    const char *name;
  } given;
  std::memcpy(&given, parameters, sizeof given);
  if (!given.address || !given.name)
    return;
  if (given.bytes)
    return addGlobal(*given.address, *given.bytes, given.name);
  if (isGlobal(*given.address, given.name)) // cudart asks before each copy
    return;
  const unsigned depth = thread.depth;
  thread.depth = AttachedThread::MostCalls; // this question is none of the program's
  if (uint64_t bytes = bytesOfGlobal(call.name, given.owner, given.name))
    addGlobal(*given.address, bytes, given.name);
  thread.depth = depth;
}

/// Calls from new places, those that are seldom, and copies and sets of variables.
__attribute__((noinline)) Sites sitesHere(OpenCall &open, const StackPosition &from) {
  const DriverCall &call = *open.call;
  AttachedThread &thread = *open.thread;
  Places places = currentPlaces(thread, call, from);
  open.pool = places.pool;
  Sites sites;
  if (call.op == GPUINSTR_OP_COPY)
    sites = handedOver(thread, call, open.frame, places.ofLibrary);
  return sites.site ? sites : sitesOf(call, places, variableOf(call, open.frame));
}

/// False: all has to be found out.
GPUINSTR_HOT bool findAgain(OpenCall &open, const StackPosition &from, Sites &sites) {
  const DriverCall &call = *open.call;
  KnownSites known;
  if (variableOf(call, open.frame) || !sitesAgain(*open.thread, call, from, known))
    return false;
  sites = known.sites;
  if (call.op == GPUINSTR_OP_COPY)
    if (Sites own = handedOver(*open.thread, call, open.frame, known.ofLibrary); own.site)
      sites = own;
  return true;
}

GPUINSTR_HOT void enter(const DriverCall &call, const CallbackData &data,
                        const StackPosition &from) {
  *data.kept = Mark;
  AttachedThread *own = attachedThread();
  if (UNLIKELY(!own))
    return;
  AttachedThread &thread = *own;
  const bool isFrequent = call.flags & GPUINSTR_SITE_FREQUENT;
  if (isFrequent)
    enterFrequent(thread);
  if ((isFrequent ? Entries.callBegins() : Entries.mayEnter()) <= 0 ||
      UNLIKELY(thread.depth == AttachedThread::MostCalls))
    return;
  const int saved = *thread.error; // the program's
  OpenCall &open = thread.callAt(thread.depth);
  open.call = &call;
  readOperands(call, data.parameters, open.frame);
  Sites sites;
  if (UNLIKELY(!findAgain(open, from, sites)))
    sites = sitesHere(open, from);
  open.frame.site = sites.site;
  open.frame.callers[0] = sites.caller;
  ++thread.depth;
  *data.kept = reinterpret_cast<uint64_t>(&open) | Mark;
  Entries.enter(&open.frame);
  *thread.error = saved;
}

/// What an allocation gave.
uint64_t allocatedAt(const gpuinstr_frame &frame) {
  uint64_t address = frame.slot[GPUINSTR_SLOT_DST];
  bool byAddress = frame.site->resource == GPUINSTR_RES_REGISTERED ||
                   frame.site->resource == GPUINSTR_RES_MAPPING;
  if (!byAddress && address)
    std::memcpy(&address, reinterpret_cast<const void *>(address), sizeof address);
  return address;
}

gpuinstr_module describedModule(const char *producer, const char *source) {
  gpuinstr_module module = {};
  module.size = sizeof module;
  module.abi_version = GPUINSTR_ABI_VERSION;
  module.source = source;
  module.producer = producer;
  module.defaults = "";
  module.image = reinterpret_cast<const void *>(&Runtime);
  return module;
}

/// What it does from now on, and other processes through it, comes from elsewhere than driver
/// calls.
void noteCommunicator(const char *library) {
  static std::mutex mutex;
  static auto *known = new std::map<std::string, gpuinstr_module>; // leaked: used during exit
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] =
      known->try_emplace(library, describedModule("gpuinstr attach: communicates", library));
  if (isNew)
    Runtime->register_module(&at->second);
}

/// Memory of an allocator that keeps it: not the program's to free.
void notePool(const gpuinstr_frame &frame, const char *pool) {
  if (const char *library = communicatorOf(pool))
    noteCommunicator(library);
  uint64_t address = allocatedAt(frame);
  const void *memory = reinterpret_cast<const void *>(address);
  Runtime->pool_alloc(pool, memory, 0);
  Runtime->pool_free(pool, memory); // what is handed out of it is not seen
  Runtime->name(memory, pool);
}

/// What has been allocated, or asked for by name.
__attribute__((noinline)) void noteResult(const OpenCall &open, const void *parameters) {
  const gpuinstr_frame &frame = open.frame;
  if (open.call->op == GPUINSTR_OP_ALLOC) {
    dropGlobals(allocatedAt(frame), frame.slot[GPUINSTR_SLOT_BYTES]);
    if (open.pool)
      notePool(frame, open.pool);
  } else if (asksForGlobal(*open.call)) {
    noteGlobal(*open.call, *open.thread, parameters);
  }
}

GPUINSTR_HOT void leave(OpenCall &open, const CallbackData &data) {
  AttachedThread &thread = *open.thread;
  const unsigned index = LIKELY(&open == &thread.first) ? 0 : unsigned(&open - thread.others) + 1;
  if (UNLIKELY(index >= thread.depth))
    return;
  const int saved = *thread.error;
  thread.depth = index; // those above were left by an exception
  int result = 0;
  std::memcpy(&result, data.result, sizeof result);
  Entries.leave(&open.frame, result);
  const unsigned op = open.call->op;
  if (UNLIKELY(op == GPUINSTR_OP_ALLOC || op == GPUINSTR_OP_EXPORT) && result == 0)
    noteResult(open, data.parameters);
  *thread.error = saved;
}

/// Its enter was not called back, because the exit of an earlier call was not, see Watching.h. What
/// it has done is to be known all the same.
__attribute__((noinline)) void enterLate(const DriverCall &call, const CallbackData &data,
                                         const StackPosition &from) {
  if (AttachedThread *thread = attachedThread()) {
    while (thread->depth)
      Entries.leave(&thread->callAt(--thread->depth).frame, 0);
    thread->inFrequent.store(0);
  }
  enter(call, data, from);
}

GPUINSTR_HOT void end(const DriverCall &call, const CallbackData &data, const StackPosition &from) {
  if (UNLIKELY(*data.kept >> MarkAt != Mark >> MarkAt))
    enterLate(call, data, from);
  if (LIKELY(*data.kept != Mark))
    leave(*reinterpret_cast<OpenCall *>(*data.kept ^ Mark), data);
  if (call.flags & GPUINSTR_SITE_FREQUENT)
    if (AttachedThread *thread = attachedThread())
      leaveFrequent(*thread);
}

/// A function that nothing is charged to.
void onQuestion(uint32_t number, const CallbackData &data) {
  if (number != PointerQuestion || Runtime->may_enter() <= 0)
    return;
  AttachedThread *thread = attachedThread();
  if (!thread)
    return;
  const int saved = *thread->error;
  if (uint64_t address = notePointerQuestion(*thread, data.parameters))
    Runtime->memory_asked(address);
  *thread->error = saved;
}

GPUINSTR_HOT void onCall(void *, int domain, uint32_t number, const CallbackData *data) {
  if (UNLIKELY(domain != DriverDomain || !data->kept))
    return;
  const DriverCall *call = driverCall(number);
  const bool begins = data->site == 0;
  if (UNLIKELY(!call)) {
    if (!begins)
      return;
    *data->kept = 0;
    return onQuestion(number, *data);
  }
  StackPosition here;
  GPUINSTR_STACK_HERE(here);
  if (begins)
    enter(*call, *data, here);
  else
    end(*call, *data, here);
}

/// Tells the runtime that every call is seen. Its sites come one by one.
gpuinstr_module Module = {};

bool attach() {
  Module = describedModule("gpuinstr attach", "");
  std::string why;
  Runtime = connectRuntime(why);
  if (Runtime && Runtime->may_enter() < 0)
    return true; // switched off: not even CUPTI is touched
  if (Runtime)
    Entries = {Runtime->may_enter, Runtime->call_begins, Runtime->enter, Runtime->leave};
  fillDriverCalls();
  if (Runtime && subscribe(onCall, why)) {
    watchCalls(true);
    Runtime->register_module(&Module);
    Runtime->watch_frequent(watchFrequentCalls);
    callBeforeExit(Runtime->before_exit);
    if (pythonIsHere(); !pythonNote().empty())
      say(pythonNote());
    return true;
  }
  say("not attached: " + why + "; the program runs as it is");
  return false;
}

} // namespace
} // namespace gpuinstr::attach

/// The driver calls it in cuInit. Other results than 1 would fail the program's cuInit.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static std::atomic<bool> done{false};
  if (!done.exchange(true))
    gpuinstr::attach::attach();
  return 1;
}

/// For benchmarks, which time both sides in one process: no driver call is seen from 0 to 1. No
/// call may be in progress. Gives the number of functions, 0 where the program is not attached to.
extern "C" __attribute__((visibility("default"))) int gpuinstr_attach_watch(int on) {
  return gpuinstr::attach::watchCalls(on != 0);
}
