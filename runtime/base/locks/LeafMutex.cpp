// Mutexes that fork takes all together.
// SPDX-License-Identifier: Apache-2.0
#include "base/locks/LeafMutex.h"
#include <algorithm>
#include <vector>

namespace gpuinstr {

namespace {

struct Leaves {
  std::mutex mutex; ///< guards the list; taken before them
  std::vector<LeafMutex *> all;
};
Leaves &leaves() {
  static auto *instance = new Leaves; // leaked: used during exit
  return *instance;
}

} // namespace

LeafMutex::LeafMutex() {
  std::lock_guard<std::mutex> lock(leaves().mutex);
  leaves().all.push_back(this);
}

LeafMutex::~LeafMutex() {
  std::lock_guard<std::mutex> lock(leaves().mutex);
  std::vector<LeafMutex *> &all = leaves().all;
  all.erase(std::find(all.begin(), all.end(), this));
}

void lockLeaves() {
  leaves().mutex.lock();
  for (LeafMutex *leaf : leaves().all)
    leaf->lock();
}

void unlockLeaves() {
  for (LeafMutex *leaf : leaves().all)
    leaf->unlock();
  leaves().mutex.unlock();
}

} // namespace gpuinstr
