// A device that is host memory, an engine that hashes it, and calls as instrumented code makes
// them. SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/hash/HostHash.h"
#include "base/Part.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/Thread.h"
#include "options/Options.h"
#include <chrono>
#include <thread>

namespace gpuinstr::test {

using audit::EnqueueResult;
using audit::Reading;
using audit::Ticket;

Ticket FakeEngine::begin(EnqueueResult &why) {
  std::lock_guard<std::mutex> lock(Mutex);
  why = EnqueueResult::None;
  Readings[++Next] = Reading();
  return Next;
}

EnqueueResult FakeEngine::enqueue(Ticket ticket, bool after, const cuda::Region &region,
                                  uint64_t stream) {
  std::lock_guard<std::mutex> lock(Mutex);
  Reading &r = Readings.at(ticket);
  (after ? r.after : r.before) = audit::hashHost(region);
  (after ? r.hasAfter : r.hasBefore) = true;
  Done[ticket] = !late;
  ++hashes;
  streams.push_back(stream);
  return EnqueueResult::None;
}

bool FakeEngine::finish(Ticket ticket, uint64_t) {
  std::lock_guard<std::mutex> lock(Mutex);
  ++waits;
  std::this_thread::sleep_for(std::chrono::milliseconds(busyMs));
  Done[ticket] = true;
  return true;
}

bool FakeEngine::setMarker(unsigned marker, uint64_t stream) {
  std::lock_guard<std::mutex> lock(Mutex);
  markers[marker] = stream;
  return true;
}

bool FakeEngine::putBehind(unsigned marker, uint64_t stream) {
  std::lock_guard<std::mutex> lock(Mutex);
  behind.emplace_back(markers.at(marker), stream);
  return true;
}

bool FakeEngine::settle(uint64_t) {
  std::lock_guard<std::mutex> lock(Mutex);
  ++settled;
  return true;
}

bool FakeEngine::arrived(Ticket ticket) const {
  std::lock_guard<std::mutex> lock(Mutex);
  return !late || (Done.count(ticket) && Done.at(ticket));
}

Reading FakeEngine::read(Ticket ticket) const {
  std::lock_guard<std::mutex> lock(Mutex);
  bool done = !late || (Done.count(ticket) && Done.at(ticket));
  return done ? Readings.at(ticket) : Reading();
}

void FakeEngine::release(Ticket ticket) {
  std::lock_guard<std::mutex> lock(Mutex);
  Readings.erase(ticket);
}

gpuinstr_param parameter(uint8_t access, uint32_t bytes, uint8_t pointer) {
  gpuinstr_param p = {};
  p.name = p.type = "";
  p.bytes = bytes;
  p.pointer = pointer;
  p.access = access;
  return p;
}

static FakeEngine *Current = nullptr;

void AuditTest::start(const char *options) {
  table();
  options::setFromApi("telemetry=off"); // its thread would charge the budget that starts anew here
  options::setFromApi(options);
  forgetAll();
  audit::resetAuditor();
  overheadBudgetPart().childAfterFork();
  Current = &engine;
  engine.hashes = engine.waits = 0;
  audit::EngineSource = [](bool) -> audit::DeviceHasher * { return Current; };
}

void AuditTest::earn() {
  overheadBudget().correct(-100000000);
  audit::auditor().spared.correct(-100000000);
}

void AuditTest::TearDown() {
  for (gpuinstr_module *module : modulesWithFlags)
    table().unregister_module(module);
  audit::resetAuditor();
  audit::EngineSource = audit::currentEngine;
}

gpuinstr_site *AuditTest::site(unsigned op, const char *callee, unsigned line, uint32_t slots,
                               unsigned resource, uint32_t flags, uint16_t detail) {
  static std::map<std::tuple<unsigned, std::string, unsigned>, gpuinstr_site *> all;
  gpuinstr_site *&known = all[{op, callee, line}];
  if (!known) {
    known = makeSite(op, callee, line, resource, GPUINSTR_SITE_CUDA_ERROR | flags, slots, "d_x");
    known->detail = detail;
    registerAll({known});
  }
  return known;
}

char *AuditTest::alloc(unsigned line, uint64_t bytes, unsigned resource, char *at) {
  if (!at) {
    memory.push_back(std::unique_ptr<char[]>(new char[bytes + 64]()));
    at = memory.back().get();
  }
  const char *callee = resource == GPUINSTR_RES_ASYNC     ? "cudaMallocAsync"
                       : resource == GPUINSTR_RES_MANAGED ? "cudaMallocManaged"
                       : resource == GPUINSTR_RES_PINNED  ? "cudaMallocHost"
                                                          : "cudaMalloc";
  f.alloc(site(GPUINSTR_OP_ALLOC, callee, line, AllocSlots, resource),
          reinterpret_cast<uint64_t>(at), bytes);
  return at;
}

void AuditTest::free(unsigned line, char *block, unsigned resource) {
  f.free(site(GPUINSTR_OP_FREE, resource == GPUINSTR_RES_ASYNC ? "cudaFreeAsync" : "cudaFree", line,
              FreeSlots, resource),
         reinterpret_cast<uint64_t>(block));
}

static void move(Function &f, gpuinstr_site *site, void *dst, const void *src, uint64_t bytes,
                 uint64_t kind, uint64_t stream) {
  f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
  f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
  f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  f.frame.slot[GPUINSTR_SLOT_KIND] = kind;
  f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
  f.call(site, [&] {
    std::memmove(dst, src, bytes);
    return 0;
  });
}

void AuditTest::upload(unsigned line, char *dst, const void *src, uint64_t bytes) {
  move(f, site(GPUINSTR_OP_COPY, "cudaMemcpy", line, CopySlots), dst, src, bytes, 1, 0);
}

static gpuinstr_site *asynchronous(AuditTest &test, unsigned line) {
  return test.site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", line, CopySlots | bit(GPUINSTR_SLOT_STREAM),
                   0, GPUINSTR_SITE_ASYNC);
}

void AuditTest::uploadAsync(unsigned line, char *dst, const void *src, uint64_t stream,
                            uint64_t bytes) {
  move(f, asynchronous(*this, line), dst, src, bytes, 1, stream);
}

void AuditTest::downloadAsync(unsigned line, void *dst, const char *src, uint64_t stream,
                              uint64_t bytes) {
  move(f, asynchronous(*this, line), dst, src, bytes, 2, stream);
}

void AuditTest::download(unsigned line, void *dst, const char *src, uint64_t bytes) {
  move(f, site(GPUINSTR_OP_COPY, "cudaMemcpy", line, CopySlots), dst, src, bytes, 2, 0);
}

void AuditTest::copyDevice(unsigned line, char *dst, const char *src, uint64_t bytes) {
  move(f, site(GPUINSTR_OP_COPY, "cudaMemcpy", line, CopySlots), dst, src, bytes, 3, 0);
}

void AuditTest::set(unsigned line, char *dst, int value, uint64_t bytes) {
  f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
  f.frame.slot[GPUINSTR_SLOT_KIND] = uint64_t(value);
  f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  uint32_t slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_KIND) | bit(GPUINSTR_SLOT_BYTES);
  f.call(site(GPUINSTR_OP_SET, "cudaMemset", line, slots), [&] {
    std::memset(dst, value, bytes);
    return 0;
  });
}

void AuditTest::launch(const char *name, std::vector<gpuinstr_param> parameters,
                       std::vector<const void *> values, uint64_t stream, uint32_t flags) {
  static std::map<std::string, gpuinstr_kernel *> kernels;
  gpuinstr_kernel *&kernel = kernels[name];
  if (!kernel) {
    kernel = new gpuinstr_kernel{};
    kernel->size = sizeof *kernel;
    kernel->stub = kernel;
    kernel->name = name;
    kernel->file = "";
    kernel->flags = flags;
    auto *copies = new std::vector<gpuinstr_param>(parameters);
    kernel->params = copies->data();
    kernel->num_params = uint32_t(copies->size());
    auto *module = new gpuinstr_module{};
    module->size = sizeof *module;
    module->abi_version = GPUINSTR_ABI_VERSION;
    module->flags = moduleFlags;
    module->num_kernels = 1;
    module->kernels = kernel;
    module->source = module->producer = module->defaults = "";
    module->image = reinterpret_cast<const void *>(&parameter);
    table().register_module(module);
    if (moduleFlags)
      modulesWithFlags.push_back(module);
  }
  // Pointers are passed by value; larger parameters by where they lie.
  std::vector<void *> arguments;
  for (size_t i = 0; i < values.size(); ++i)
    arguments.push_back(parameters[i].bytes > 8 ? const_cast<void *>(values[i])
                                                : static_cast<void *>(&values[i]));
  f.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(kernel);
  f.frame.slot[GPUINSTR_SLOT_ARGS] = reinterpret_cast<uint64_t>(arguments.data());
  f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
  uint32_t slots = bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_ARGS) | bit(GPUINSTR_SLOT_STREAM);
  f.call(site(GPUINSTR_OP_LAUNCH, name, launchLine, slots), [] { return 0; });
}

void AuditTest::simple(unsigned op, const char *callee, unsigned line, uint64_t stream,
                       uint64_t dst, uint16_t detail) {
  f.frame.slot[GPUINSTR_SLOT_DST] = dst;
  f.frame.slot[GPUINSTR_SLOT_STREAM] = stream;
  uint32_t slots = op == GPUINSTR_OP_SYNC_DEVICE || op == GPUINSTR_OP_LIBRARY
                       ? 0
                       : bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM);
  f.call(site(op, callee, line, slots, 0, 0, detail), [] { return 0; });
}

uint64_t AuditTest::makeStream(bool nonBlocking) {
  static uint64_t next = 0x700000;
  uint64_t handle = next += 0x100, result = 0;
  f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&result);
  f.frame.slot[GPUINSTR_SLOT_KIND] = nonBlocking;
  f.call(site(GPUINSTR_OP_CREATE, "cudaStreamCreateWithFlags", 850,
              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_KIND), GPUINSTR_RES_STREAM),
         [&] {
           result = handle;
           return 0;
         });
  return handle;
}

profile::Finding AuditTest::finding(const char *pattern, const char *grade) {
  for (const profile::Finding &finding : findings(profileNow(), pattern))
    if (!grade || finding.grade.text() == grade)
      return finding;
  return {};
}

bool AuditTest::none(const char *pattern) { return findings(profileNow(), pattern).empty(); }

} // namespace gpuinstr::test
