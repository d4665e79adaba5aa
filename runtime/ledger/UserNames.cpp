// Texts given by gpuinstr_name.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/Ledger.h"
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {
struct Names {
  std::mutex Mutex;
  std::vector<std::string> Texts{""};
  std::unordered_map<std::string, uint32_t> Numbers;
};
Names &names() {
  static Names *instance = new Names;
  return *instance;
}
} // namespace

uint32_t nameNumber(const char *text) {
  if (!text || !*text)
    return 0;
  Names &n = names();
  std::lock_guard<std::mutex> lock(n.Mutex);
  auto [it, fresh] = n.Numbers.emplace(text, uint32_t(n.Texts.size()));
  if (fresh)
    n.Texts.push_back(text);
  return it->second;
}

std::string nameText(uint32_t number) {
  Names &n = names();
  std::lock_guard<std::mutex> lock(n.Mutex);
  return number < n.Texts.size() ? n.Texts[number] : std::string();
}

} // namespace gpuinstr
