// The truth about a run: which copies and sets were for nothing, which memory nobody used.
// SPDX-License-Identifier: Apache-2.0
#include "device/oracle/Oracle.h"

#include "common/SimulatorOptions.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::sim {

namespace {

/// False while a kernel is described that is still to run: it has written nothing yet.
thread_local bool WritesCount = true;

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b) * 0x9e3779b97f4a7c15u;
  return (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u ^ (h >> 17);
}

uint64_t hashOf(const char *data, size_t bytes, uint64_t seed = 1) {
  uint64_t hash = mix(seed, bytes);
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = mix(hash, word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, data, bytes);
  return mix(hash, rest);
}

/// Elements of 1, 2, 4 or 8 bytes that are all the same.
bool isUniform(const std::vector<char> &bytes) {
  for (size_t element : {8, 4, 2, 1})
    if (bytes.size() > element && bytes.size() % element == 0 &&
        !std::memcmp(bytes.data(), bytes.data() + element, bytes.size() - element))
      return true;
  return false;
}

uint64_t addressOf(const void *address) { return reinterpret_cast<uint64_t>(address); }

} // namespace

Oracle *Oracle::get() {
  // Leaked: calls may come from destructors that run after ours.
  static Oracle *const oracle = options().oracle.empty() ? nullptr : new Oracle;
  return oracle;
}

Oracle::Memory *Oracle::memoryAt(const void *address, uint64_t *base) {
  auto next = Memories.upper_bound(addressOf(address));
  if (next == Memories.begin())
    return nullptr;
  auto &[first, memory] = *std::prev(next);
  if (addressOf(address) - first >= memory.bytes)
    return nullptr;
  if (base)
    *base = first;
  return &memory;
}

bool Oracle::isDevice(const void *address) {
  Memory *memory = memoryAt(address);
  return memory && memory->isDevice;
}

void Oracle::use(const void *address) {
  if (Memory *memory = memoryAt(address))
    memory->isUsed = true;
}

/// Memory that nobody has written since its allocation has no content: filling it is none.
bool Oracle::isNoop(const TransferRows &rows) {
  const char *at = rows.bytes.data();
  bool isOntoItself = rows.from == rows.to;
  for (auto &[to, bytes] : rows.to) {
    // What a kernel of another stream writes meanwhile is not the work of a copy onto itself.
    if (!isOntoItself && std::memcmp(to, at, bytes) != 0)
      return false;
    at += bytes;
    const Memory *memory = memoryAt(to);
    if (memory && memory->isDevice && !memory->isVariable && !isOntoItself &&
        !Shadow.isWritten(addressOf(to), addressOf(to) + bytes) &&
        !Promised.covers(addressOf(to), addressOf(to) + bytes, rows.order))
      return false;
  }
  return true;
}

/// Whether the place still holds what was sent there.
bool Oracle::holds(const Place &place, uint64_t key) {
  std::vector<char> now;
  for (auto &[at, bytes] : place.rows)
    now.insert(now.end(), at, at + bytes);
  return hashOf(now.data(), now.size()) == key;
}

/// Whether memory held the bytes when it was freed, or holds them now.
bool Oracle::isKnown(const Content &content, uint64_t key) const {
  return content.wasFreed || std::any_of(content.places.begin(), content.places.end(),
                                         [&](const Place &place) { return holds(place, key); });
}

void Oracle::noteDownload(const TransferRows &rows) {
  const char *at = rows.bytes.data();
  for (auto &[from, bytes] : rows.from) {
    auto &brought = Brought[addressOf(from)];
    std::vector<char> row(at, at + bytes);
    if (std::find(brought.begin(), brought.end(), row) == brought.end())
      brought.push_back(std::move(row));
    at += bytes;
  }
}

/// Whether downloads brought these bytes from where they go now, each row or more with it, and they
/// are there still: written, or as the memory was found.
bool Oracle::cameFromThere(const TransferRows &rows) const {
  const char *at = rows.bytes.data();
  for (auto &[to, bytes] : rows.to) {
    const uint64_t begin = addressOf(to);
    if (std::memcmp(to, at, bytes) != 0)
      return false;
    bool found = false;
    for (auto it = Brought.begin(); it != Brought.end() && it->first <= begin && !found; ++it)
      found = std::any_of(it->second.begin(), it->second.end(), [&](const std::vector<char> &row) {
        const uint64_t offset = begin - it->first;
        return offset + bytes <= row.size() && !std::memcmp(row.data() + offset, at, bytes);
      });
    if (!found)
      return false;
    at += bytes;
  }
  return true;
}

void Oracle::noteUpload(const TransferRows &rows, uint64_t key) {
  uint64_t base = 0;
  if (memoryAt(rows.to[0].first, &base))
    Sent[key].places.push_back({base, rows.to});
}

void Oracle::perform(TransferRows rows) {
  if (rows.to.empty())
    return;
  std::lock_guard<std::mutex> lock(Mutex);
  bool toDevice = rows.toArray || isDevice(rows.to[0].first);
  bool fromDevice = rows.fromArray || (!rows.from.empty() && isDevice(rows.from[0].first));
  bool isUpload = toDevice && !fromDevice && !rows.from.empty();
  bool isDownload = fromDevice && !toDevice;
  for (auto &[from, bytes] : rows.from) {
    rows.bytes.insert(rows.bytes.end(), from, from + bytes);
    Shadow.read(addressOf(from), addressOf(from) + bytes);
    use(from);
  }
  uint64_t size = rows.bytes.size();
  bool noop = isNoop(rows);
  uint64_t key = hashOf(rows.bytes.data(), size);
  bool truths[Whats] = {true, noop};
  truths[Uniform] = isUpload && isUniform(rows.bytes);
  if (isUpload) {
    auto sent = Sent.find(key);
    truths[Reupload] = sent != Sent.end() && isKnown(sent->second, key);
    truths[Roundtrip] = cameFromThere(rows);
  } else if (isDownload) {
    truths[Roundtrip] = noop;
    noteDownload(rows);
  }
  ShadowMemory::Writer writer = Shadow.begin();
  const char *at = rows.bytes.data();
  for (auto &[to, bytes] : rows.to) {
    std::memcpy(to, at, bytes);
    at += bytes;
    Memory *memory = memoryAt(to);
    if (rows.toArray || (memory && memory->isDevice))
      Shadow.write(addressOf(to), addressOf(to) + bytes,
                   rows.line && !(memory && memory->isVariable) ? writer : 0);
    use(to);
  }
  if (isUpload)
    noteUpload(rows, key);
  if (!rows.line)
    return;
  Writes.push_back({rows.line, size, writer});
  for (int what = 0; what < Whats; ++what)
    if (truths[what])
      Lines[rows.line].sums[what].add(size);
}

uint64_t Oracle::asked(const TransferRows &rows) {
  std::lock_guard<std::mutex> lock(Mutex);
  uint64_t order = ++LastOrder;
  for (auto &[to, bytes] : rows.to)
    Promised.add(addressOf(to), addressOf(to) + bytes, order);
  return order;
}

/// A kernel that nobody describes may have read anything.
void Oracle::useAll() {
  Shadow.read(0, UINT64_MAX);
  for (auto &entry : Memories)
    entry.second.isUsed = true;
}

void Oracle::noteKernel(const KernelOp &op, bool ended) {
  const CUDA_KERNEL_NODE_PARAMS &p = op.params;
  gpuinstr_simulator_description description = nullptr;
  {
    std::lock_guard<std::mutex> lock(Mutex);
    if (op.ofTool || !op.arguments)
      return;
    auto found = Descriptions.find(p.func->hostSymbol);
    if (found == Descriptions.end())
      return useAll();
    description = found->second;
  }
  WritesCount = ended;
  const unsigned grid[3] = {p.gridDimX, p.gridDimY, p.gridDimZ};
  const unsigned block[3] = {p.blockDimX, p.blockDimY, p.blockDimZ};
  description(grid, block, p.kernelParams);
  WritesCount = true;
}

void Oracle::beforeKernel(const KernelOp &op) { noteKernel(op, false); }
void Oracle::afterKernel(const KernelOp &op) { noteKernel(op, true); }

void Oracle::touch(const void *address, size_t bytes, bool writes) {
  std::lock_guard<std::mutex> lock(Mutex);
  use(address);
  uint64_t from = addressOf(address);
  if (!writes)
    Shadow.read(from, from + bytes);
  else if (WritesCount)
    Shadow.write(from, from + bytes, 0);
}

void Oracle::allocated(CUdeviceptr address, const Allocation &made) {
  std::lock_guard<std::mutex> lock(Mutex);
  bool device = made.kind != AllocKind::Pinned && made.kind != AllocKind::Registered;
  Memories[address] = {made.size, made.id, 0, device, false, made.kind == AllocKind::Symbol};
}

void Oracle::freed(CUdeviceptr address) {
  std::lock_guard<std::mutex> lock(Mutex);
  auto found = Memories.find(address);
  if (found == Memories.end())
    return;
  const Memory &memory = found->second;
  for (auto &[key, content] : Sent) {
    auto &places = content.places;
    for (Place &place : places)
      content.wasFreed |= place.memory == address && holds(place, key);
    places.erase(std::remove_if(places.begin(), places.end(),
                                [&](const Place &place) { return place.memory == address; }),
                 places.end());
  }
  if (memory.line && !memory.isUsed)
    MemoryLines[memory.line].unused.add(memory.bytes);
  Shadow.drop(address, address + memory.bytes);
  Promised.drop(address, address + memory.bytes);
  Memories.erase(found);
}

void Oracle::made(const void *address, unsigned line) {
  std::lock_guard<std::mutex> lock(Mutex);
  if (Memory *memory = memoryAt(address)) {
    memory->line = line;
    MemoryLines[line].all.add(memory->bytes);
  }
}

void Oracle::describe(const void *symbol, gpuinstr_simulator_description description) {
  std::lock_guard<std::mutex> lock(Mutex);
  Descriptions[symbol] = description;
}

void Oracle::write() {
  std::lock_guard<std::mutex> lock(Mutex);
  for (const Write &write : Writes)
    if (Shadow.isDead(write.writer))
      Lines[write.line].sums[Dead].add(write.bytes);
    else if (Shadow.isUnread(write.writer))
      Lines[write.line].sums[Unread].add(write.bytes);
  for (auto &[address, memory] : Memories)
    if (memory.line) {
      MemoryLines[memory.line].leaked.add(memory.bytes);
      if (!memory.isUsed)
        MemoryLines[memory.line].unused.add(memory.bytes);
    }
  std::string path = options().oracle;
  if (size_t at = path.find("%p"); at != std::string::npos)
    path.replace(at, 2, std::to_string(getpid()));
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file) {
    std::fprintf(stderr, "gpuinstr simulator: cannot write %s\n", path.c_str());
    return;
  }
  auto print = [&](const char *name, const Sum &sum) {
    std::fprintf(file, " %s=%llu,%llu", name, static_cast<unsigned long long>(sum.count),
                 static_cast<unsigned long long>(sum.bytes));
  };
  static const char *const names[Whats] = {
      "all", "noop-copy", "reupload", "roundtrip", "uniform-upload", "dead-copy", "unread"};
  for (auto &[line, sums] : Lines) {
    std::fprintf(file, "transfer %u", line);
    for (int what = 0; what < Whats; ++what)
      print(names[what], sums.sums[what]);
    std::fputc('\n', file);
  }
  for (auto &[line, sums] : MemoryLines) {
    std::fprintf(file, "memory %u", line);
    print("all", sums.all);
    print("unused-allocation", sums.unused);
    print("leak", sums.leaked);
    std::fputc('\n', file);
  }
  std::fclose(file);
}

} // namespace gpuinstr::sim
