// Pieces that custom allocators hand out: gpuinstr_pool_alloc and gpuinstr_pool_free.
// SPDX-License-Identifier: Apache-2.0
#include "memory/CustomPools.h"
#include "base/locks/LeafMutex.h"
#include "base/text/Printable.h"
#include "ledger/Ledger.h"
#include <map>
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {
struct Store {
  LeafMutex mutex;
  std::map<const void *, std::unordered_map<const void *, uint64_t>> pieces; ///< bytes by address
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}
} // namespace

void poolAlloc(const void *pool, const void *pointer, uint64_t bytes) {
  if (!pointer)
    return;
  ledger().markPool(reinterpret_cast<uint64_t>(pointer), bytes == 0);
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.pieces[pool][pointer] = bytes;
}

void poolFree(const void *pool, const void *pointer) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto it = s.pieces.find(pool);
  if (it == s.pieces.end())
    return;
  it->second.erase(pointer);
  if (it->second.empty())
    s.pieces.erase(it);
}

std::vector<std::string> poolNotes() {
  std::vector<std::string> notes;
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  for (auto &[pool, pieces] : s.pieces) {
    uint64_t bytes = 0;
    for (auto &piece : pieces)
      bytes += piece.second;
    char address[32];
    std::snprintf(address, sizeof address, "%p", pool);
    notes.push_back("pool " + std::string(address) + ": " + std::to_string(pieces.size()) +
                    " pieces never given back (" + bytesText(bytes, Zeros::Kept) + ")");
  }
  return notes;
}

void forgetPools() {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.pieces.clear();
}

} // namespace gpuinstr
