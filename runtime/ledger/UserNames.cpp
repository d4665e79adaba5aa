// Texts given by gpuinstr_name.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/UserNames.h"
#include "base/locks/LeafMutex.h"
#include "base/text/Numbered.h"
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpuinstr {

namespace {
struct UserNames {
  LeafMutex mutex;
  std::vector<std::string> texts{""};
  std::unordered_map<std::string, uint32_t> numbers;
};
UserNames &names() {
  static UserNames *instance = new UserNames;
  return *instance;
}
} // namespace

uint32_t userNameNumber(const char *text) {
  if (!text || !*text)
    return 0;
  UserNames &n = names();
  std::lock_guard<std::mutex> lock(n.mutex);
  return uint32_t(placeOf(n.texts, n.numbers, text, text));
}

std::string userNameText(uint32_t number) {
  UserNames &n = names();
  std::lock_guard<std::mutex> lock(n.mutex);
  return number < n.texts.size() ? n.texts[number] : std::string();
}

} // namespace gpuinstr
