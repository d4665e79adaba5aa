// Hand-made sites and frames, and a CUDA that is a table.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/Part.h"
#include "calls/sites/Kernels.h"
#include "calls/threads/Thread.h"
#include "findings/Findings.h"
#include "ledger/Ledger.h"
#include "memory/CustomPools.h"
#include "memory/Leaks.h"
#include "options/Options.h"
#include "process/profile/ProfileBuilder.h"
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

namespace gpuinstr::test {

int FakeDriver::Device = 0;
bool FakeDriver::Answers = true;
bool FakeDriver::Capturing = false;
thread_local int FakeDriver::CaptureMode = 0;
std::atomic<int> FakeDriver::CallsNotRelaxed{0};
std::atomic<int> FakeDriver::Questions{0};
std::atomic<int> FakeDriver::Exchanges{0};
bool FakeDriver::AnswersAtOnce = true;
uint64_t FakeDriver::Free = 1000;

namespace {

std::mutex Mutex;
std::map<uint64_t, FakeDriver::Block> Blocks;
uint64_t NextId = 0;

std::map<uint64_t, FakeDriver::Block>::iterator blockOf(uint64_t address) {
  auto it = Blocks.upper_bound(address);
  if (it == Blocks.begin())
    return Blocks.end();
  --it;
  return address - it->first < it->second.bytes ? it : Blocks.end();
}

void expectRelaxed() { FakeDriver::CallsNotRelaxed += FakeDriver::CaptureMode != 2; }

int memGetAddressRange(uint64_t *base, size_t *bytes, uint64_t address) {
  expectRelaxed();
  std::lock_guard<std::mutex> lock(Mutex);
  auto it = blockOf(address);
  if (it == Blocks.end())
    return 1;
  *base = it->first;
  *bytes = it->second.bytes;
  return 0;
}

int pointerGetAttribute(void *value, int attribute, uint64_t address) {
  expectRelaxed();
  ++FakeDriver::Questions;
  if (!FakeDriver::Answers)
    return 4;
  std::lock_guard<std::mutex> lock(Mutex);
  auto it = blockOf(address);
  if (attribute != 7 || it == Blocks.end())
    return 1;
  *static_cast<uint64_t *>(value) = it->second.id;
  return 0;
}

/// Allowed in any mode; zeroes for addresses that are nobody's.
int pointerGetAttributes(unsigned count, int *attributes, void **values, uint64_t address) {
  ++FakeDriver::Questions;
  if (!FakeDriver::AnswersAtOnce || !FakeDriver::Answers)
    return 4;
  std::lock_guard<std::mutex> lock(Mutex);
  auto it = blockOf(address);
  FakeDriver::Block block = it == Blocks.end() ? FakeDriver::Block() : it->second;
  constexpr int MemoryType = 2, BufferId = 7, Ordinal = 9;
  for (unsigned i = 0; i < count; ++i)
    if (attributes[i] == BufferId)
      *static_cast<uint64_t *>(values[i]) = block.id;
    else if (attributes[i] == Ordinal)
      *static_cast<int *>(values[i]) = block.id ? block.device : -2;
    else if (attributes[i] == MemoryType)
      *static_cast<int *>(values[i]) = block.id ? 2 : 0;
  return 0;
}

int exchangeMode(int *mode) {
  ++FakeDriver::Questions;
  ++FakeDriver::Exchanges;
  std::swap(*mode, FakeDriver::CaptureMode);
  return 0;
}

} // namespace

void FakeDriver::install() {
  DriverApi api;
  api.memGetAddressRange = memGetAddressRange;
  api.pointerGetAttribute = pointerGetAttribute;
  api.pointerGetAttributes = pointerGetAttributes;
  api.ctxGetCurrent = [](void **context) {
    ++Questions;
    *context = reinterpret_cast<void *>(0x1000 + FakeDriver::Device);
    return 0;
  };
  api.ctxGetDevice = [](int *device) {
    ++Questions;
    *device = FakeDriver::Device;
    return 0;
  };
  api.memGetInfo = [](size_t *free, size_t *total) {
    expectRelaxed();
    *free = FakeDriver::Free;
    *total = 1 << 20;
    return 0;
  };
  api.deviceGetName = [](char *name, int, int) {
    std::strcpy(name, "Fake GPU");
    return 0;
  };
  api.deviceTotalMem = [](size_t *bytes, int) {
    *bytes = 1 << 20;
    return 0;
  };
  api.threadExchangeStreamCaptureMode = exchangeMode;
  api.streamIsCapturing = [](void *, int *status) {
    expectRelaxed();
    *status = FakeDriver::Capturing;
    return 0;
  };
  useDriver(api);
}

void FakeDriver::alloc(uint64_t base, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(Mutex);
  Blocks[base] = {bytes, ++NextId, Device};
}

void FakeDriver::free(uint64_t base) {
  std::lock_guard<std::mutex> lock(Mutex);
  Blocks.erase(base);
}

void FakeDriver::reset() {
  std::lock_guard<std::mutex> lock(Mutex);
  Blocks.clear();
  Device = 0;
  Capturing = false;
  CallsNotRelaxed = 0;
  AnswersAtOnce = true;
}

gpuinstr_site *makeSite(unsigned op, const char *callee, unsigned line, unsigned resource,
                        uint32_t flags, uint32_t slots, const char *variable, const char *type,
                        const char *file) {
  auto *site = new gpuinstr_site{};
  site->size = sizeof *site;
  site->op = uint16_t(op);
  site->resource = uint16_t(resource);
  site->flags = flags;
  site->slots = slots;
  site->line = line;
  site->column = 3;
  site->id = (uint64_t(line) << 32) ^ std::hash<std::string>()(callee);
  site->file = file;
  site->function = "main";
  site->callee = callee;
  site->variable = variable;
  site->type = type;
  site->ignore = "";
  return site;
}

gpuinstr_site *makeCaller(unsigned line, const char *callee, const char *variable) {
  return makeSite(GPUINSTR_OP_CALLER, callee, line, 0, 0, 0, variable);
}

gpuinstr_module *registerAll(std::vector<gpuinstr_site *> sites) {
  // Sites of a module lie side by side; these are one module each.
  gpuinstr_module *last = nullptr;
  for (gpuinstr_site *site : sites) {
    last = new gpuinstr_module{};
    last->size = sizeof *last;
    last->abi_version = GPUINSTR_ABI_VERSION;
    last->num_sites = 1;
    last->sites = site;
    last->source = last->producer = last->defaults = "";
    last->image = reinterpret_cast<const void *>(&registerAll);
    table().register_module(last);
  }
  return last;
}

const gpuinstr_table &table() {
  static const gpuinstr_table *t = [] {
    // The test's own process; its addresses are numbers, there is nothing to be read at them.
    options::setFromApi("report=off:audit=off");
    return gpuinstr_connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), 0);
  }();
  return *t;
}

int Function::call(const gpuinstr_site *site, const std::function<int()> &body) {
  frame.site = site;
  table().enter(&frame);
  int result = body();
  table().leave(&frame, result);
  return result;
}

int Function::alloc(const gpuinstr_site *site, uint64_t address, uint64_t bytes, int result) {
  uint64_t pointer = 0xdead; // what it holds before is nobody's business
  frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&pointer);
  frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  return call(site, [&] {
    if (result == 0) {
      pointer = address;
      FakeDriver::alloc(address, bytes);
    }
    return result;
  });
}

int Function::free(const gpuinstr_site *site, uint64_t address, int result) {
  frame.slot[GPUINSTR_SLOT_DST] = address;
  return call(site, [&] {
    if (result == 0)
      FakeDriver::free(address);
    return result;
  });
}

int Function::copy(const gpuinstr_site *site, uint64_t dst, uint64_t src, uint64_t bytes,
                   int result) {
  frame.slot[GPUINSTR_SLOT_DST] = dst;
  frame.slot[GPUINSTR_SLOT_SRC] = src;
  frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  return call(site, [&] { return result; });
}

profile::Profile profileAtExit() {
  confirmBeforeTeardown();
  return buildProfile(Ending::Exit, "exit", 0);
}

profile::Profile profileNow() { return buildProfile(Ending::Now, "report_now", -1); }

std::vector<profile::Finding> findings(const profile::Profile &profile, const char *pattern) {
  std::vector<profile::Finding> all;
  for (const profile::Finding &f : profile.findings)
    if (f.pattern.text() == pattern)
      all.push_back(f);
  return all;
}

const profile::Site *siteAtLine(const profile::Profile &profile, unsigned line) {
  for (const profile::Site &site : profile.sites)
    if (site.line == line)
      return &site;
  return nullptr;
}

void forgetAll() {
  FakeDriver::reset();
  FakeDriver::install();
  ledger().clear();
  findingsPart().reset();
  kernelsPart().reset();
  forgetPools();
  startNewEpoch();
  if (Self)
    Self->pending = {};
}

void bringCudaUp() {
  FakeDriver::install();
  table();
  forgetAll();
  Function f;
  f.alloc(makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 1, GPUINSTR_RES_DEVICE,
                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots),
          0x700000000000, 64);
}

} // namespace gpuinstr::test
