// Texts given by gpuinstr_name.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/UserNames.h"
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpuinstr {

namespace {
struct UserNames {
  std::mutex Mutex;
  std::vector<std::string> Texts{""};
  std::unordered_map<std::string, uint32_t> Numbers;
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
  std::lock_guard<std::mutex> lock(n.Mutex);
  auto [it, fresh] = n.Numbers.emplace(text, uint32_t(n.Texts.size()));
  if (fresh)
    n.Texts.push_back(text);
  return it->second;
}

std::string userNameText(uint32_t number) {
  UserNames &n = names();
  std::lock_guard<std::mutex> lock(n.Mutex);
  return number < n.Texts.size() ? n.Texts[number] : std::string();
}

} // namespace gpuinstr
