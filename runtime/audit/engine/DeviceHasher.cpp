// Which context has which engine.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/DeviceHasher.h"
#include "audit/engine/ContextEngine.h"
#include "base/Guard.h"
#include "calls/budget/DeviceMemoryCap.h"
#include "calls/budget/OwnStart.h"
#include "cuda/Driver.h"
#include "options/Options.h"

namespace gpuinstr::audit {

namespace {

/// One for each context that was met, never freed. A context's address may come again: its id does
/// not, where the driver knows ids (CUDA 12).
struct Entry {
  uint64_t context, id;
  std::atomic<bool> dropped{false};
  std::atomic<ContextEngine *> engine{nullptr}; ///< null while it is made
  Entry *next = nullptr;
};

std::atomic<Entry *> Head{nullptr};

Entry *find(Entry *from, uint64_t context, uint64_t id) {
  for (Entry *e = from; e; e = e->next)
    if (e->context == context && !e->dropped.load(std::memory_order_acquire)) {
      if (e->id == id)
        return e;
      // Destroyed where we did not see it.
      e->dropped.store(true, std::memory_order_release);
      if (ContextEngine *gone = e->engine.load(std::memory_order_acquire))
        gone->drop();
    }
  return nullptr;
}

uint64_t idOf(const DriverApi &api, uint64_t context) {
  unsigned long long id = 0;
  if (!api.ctxGetId || api.ctxGetId(reinterpret_cast<void *>(context), &id) != 0)
    return 0;
  return id;
}

/// A dropped context's engine that nobody reads any more, so that resets cost no memory.
ContextEngine *reuse(Entry *from) {
  for (Entry *e = from; e; e = e->next) {
    ContextEngine *engine = e->engine.load(std::memory_order_acquire);
    if (e->dropped.load(std::memory_order_acquire) && engine && engine->reusable() &&
        e->engine.compare_exchange_strong(engine, nullptr))
      return engine;
  }
  return nullptr;
}

/// One that could not be made, or failed too often, stays where it is: the next try would fail too.
DeviceHasher *usable(ContextEngine *engine) { return engine && engine->isOn() ? engine : nullptr; }

/// Adds an entry unless another thread did; null then.
Entry *claim(uint64_t context, uint64_t id) {
  auto *entry = new Entry{context, id};
  Entry *head = Head.load(std::memory_order_acquire);
  do {
    if (find(head, context, id)) {
      delete entry;
      return nullptr;
    }
    entry->next = head;
  } while (!Head.compare_exchange_weak(head, entry, std::memory_order_acq_rel));
  return entry;
}

} // namespace

DeviceHasher *currentEngine(bool create) {
  const DriverApi *api = driverApi();
  uint64_t context = currentContext();
  if (!api || !context)
    return nullptr;
  uint64_t id = idOf(*api, context);
  if (Entry *known = find(Head.load(std::memory_order_acquire), context, id))
    return usable(known->engine.load(std::memory_order_acquire));
  if (!create)
    return nullptr;
  DeviceHasher *made = nullptr;
  guarded([&] {
    Entry *entry = claim(context, id);
    if (!entry)
      return;
    OwnStart start;
    ContextEngine *engine = reuse(entry->next);
    if (!engine)
      engine = new ContextEngine;
    engine->create(*api, auditsMayTake(options::options().device_memory));
    entry->engine.store(engine, std::memory_order_release);
    made = usable(engine);
  });
  return made;
}

void dropEngine(uint64_t context) {
  for (Entry *e = Head.load(std::memory_order_acquire); e; e = e->next)
    if (e->context == context && !e->dropped.exchange(true, std::memory_order_acq_rel))
      if (ContextEngine *engine = e->engine.load(std::memory_order_acquire))
        engine->drop();
}

bool hadEngine(uint64_t context) {
  for (Entry *e = Head.load(std::memory_order_acquire); e; e = e->next)
    if (e->context == context && e->dropped.load(std::memory_order_acquire))
      return true;
  return false;
}

uint64_t engineDeviceBytes() {
  uint64_t bytes = 0;
  for (Entry *e = Head.load(std::memory_order_acquire); e; e = e->next)
    if (ContextEngine *engine = e->engine.load(std::memory_order_acquire);
        engine && !e->dropped.load(std::memory_order_acquire))
      bytes += engine->deviceBytes();
  return bytes;
}

void forgetEngines() { Head.store(nullptr, std::memory_order_release); }

} // namespace gpuinstr::audit
