// Functions that nvcc makes of kernels, for launches by <<<>>>.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/KernelStubs.h"
#include "attach/native/FunctionName.h"
#include "attach/source/Lock.h"
#include "base/elf/ElfFile.h"
#include <cctype>
#include <cstring>
#include <unordered_map>

namespace gpuinstr::attach {

namespace {

constexpr uint64_t LargestNames = 64 << 20;
constexpr char Stub[] = "__device_stub_";
constexpr size_t StubLength = sizeof Stub - 1;

/// Of the name that begins at `at`: its length stands before it.
std::string kernelAt(const std::string &text, size_t at) {
  size_t begin = at, length = 0;
  while (begin > 0 && at - begin < 6 && std::isdigit(static_cast<unsigned char>(text[begin - 1])))
    --begin;
  for (size_t i = begin; i < at; ++i)
    length = length * 10 + size_t(text[i] - '0');
  if (begin == at && at == 0) // as the source has it
    length = text.size();
  if (length <= StubLength || length > text.size() - at)
    return "";
  return text.substr(at + StubLength, length - StubLength);
}

/// _ZL5localPi is _Z5localPi in the stub's name: without the sign of what is static.
std::string withoutStatic(const std::string &mangled) {
  std::string plain;
  for (size_t i = 0; i < mangled.size(); ++i)
    if (mangled[i] != 'L' || i + 1 == mangled.size() ||
        !std::isdigit(static_cast<unsigned char>(mangled[i + 1])))
      plain += mangled[i];
  return plain;
}

} // namespace

std::string kernelOfStub(const std::string &function) {
  size_t at = function.find(Stub);
  std::string kernel = at == std::string::npos ? "" : kernelAt(function, at);
  return kernel.rfind("_Z", 0) == 0 ? kernel : "";
}

KernelStubs::KernelStubs(const std::string &module) {
  ElfFile file(module);
  Bytes names = file.section(".strtab");
  if (!file.section(".nv_fatbin").size)
    return;
  MayHave = names.size || file.section(".debug_info").size;
  if (names.size > LargestNames)
    return;
  const uint8_t *end = names.data + names.size;
  for (const uint8_t *at = names.data; at < end; ++at) {
    at = static_cast<const uint8_t *>(memmem(at, size_t(end - at), Stub, StubLength));
    if (!at)
      return;
    const uint8_t *first = at, *last = at;
    while (first > names.data && first[-1])
      --first;
    while (last < end && *last)
      ++last;
    add(kernelOfStub({first, last}));
    at = last - 1;
  }
}

void KernelStubs::add(const std::string &kernel) {
  if (kernel.empty() || !Mangled.insert(withoutStatic(kernel)).second)
    return;
  Plain.insert(functionName(kernel));
}

bool KernelStubs::has(const std::string &function) const {
  return function.rfind("_Z", 0) == 0 ? Mangled.count(withoutStatic(function))
                                      : Plain.count(function);
}

const KernelStubs &kernelStubsOf(const std::string &module) {
  static auto *all =
      new std::unordered_map<std::string, const KernelStubs *>; // leaked: at exit too
  {
    TablesLock lock(tablesMutex());
    auto known = all->find(module);
    if (known != all->end())
      return *known->second;
  }
  auto *fresh = new KernelStubs(module);
  TablesLock lock(tablesMutex());
  auto [at, added] = all->try_emplace(module, fresh);
  if (!added)
    delete fresh;
  return *at->second;
}

} // namespace gpuinstr::attach
