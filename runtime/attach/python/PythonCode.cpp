// Code objects that were met, by number.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonCode.h"
#include "attach/source/Lock.h"
#include <unordered_map>
#include <vector>

namespace gpuinstr::attach {

namespace {

constexpr const char *Installed[] = {"/site-packages/", "/dist-packages/"};
/// Programs that make functions without end must not take memory without end.
constexpr size_t MostCodes = 1 << 18;

struct Hash {
  size_t operator()(const PythonFingerprint &p) const {
    return (p.code ^ p.lineTable << 7 ^ p.qualName << 13) * 0x9e3779b97f4a7c15u >> 8;
  }
};

struct Store {
  std::unordered_map<PythonFingerprint, PythonCode *, Hash> byPrint;
  std::vector<PythonCode *> byNumber;
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

thread_local PythonCodes Codes;

bool startsWith(const std::string &text, const char *start) { return text.rfind(start, 0) == 0; }

/// Python's part of an allocator tells it where the stack below cannot be unwound.
const char *keeperOf(const std::string &fileName) {
  static constexpr struct {
    const char *folder, *keeper;
  } Keepers[] = {{"/numba/", "Numba's memory manager"},
                 {"/numba_cuda/", "Numba's memory manager"},
                 {"/cupy/", "CuPy's pool"},
                 {"/torch/", "PyTorch's pool"},
                 {"/jax/", "JAX's pool"},
                 {"/jaxlib/", "JAX's pool"},
                 {"/rmm/", "RMM's pool"},
                 {"/tensorflow/", "TensorFlow's pool"}};
  for (auto &known : Keepers)
    for (const char *folder : Installed) {
      size_t at = fileName.find(folder);
      size_t name = std::char_traits<char>::length(folder) - 1;
      if (at != std::string::npos && fileName.find(known.folder, at + name) == at + name)
        return known.keeper;
    }
  return nullptr;
}

/// What a decorator put around a function (f.<locals>.wrapper; the last part alone before 3.11),
/// and names with one underscore.
bool isPlumbing(const std::string &qualName) {
  const std::string name = qualName.substr(qualName.rfind('.') + 1);
  return qualName.find("<locals>") != std::string::npos || name == "wrapper" ||
         (startsWith(name, "_") && !startsWith(name, "__"));
}

} // namespace

PythonCode::Kind kindOf(const std::string &file) {
  if (file.empty())
    return PythonCode::Standard;
  if (file[0] == '<') { // typed in, or made by code: the latter belongs to whoever made it
    for (const char *typed : {"<stdin>", "<string>", "<script>", "<ipython", "<cell"})
      if (startsWith(file, typed))
        return PythonCode::User;
    return PythonCode::Standard;
  }
  for (const char *folder : Installed)
    if (file.find(folder) != std::string::npos)
      return PythonCode::Library;
  if (file.find("/torchinductor_") != std::string::npos)
    return PythonCode::Library;
  for (const char *folder : {"/lib/python3", "/lib64/python3"})
    if (file.find(folder) != std::string::npos)
      return PythonCode::Standard;
  return PythonCode::User;
}

std::string PythonCode::shortName() const {
  for (const char *folder : Installed) {
    size_t at = fileName.find(folder);
    if (at == std::string::npos)
      continue;
    at += std::char_traits<char>::length(folder);
    return fileName.substr(at, fileName.find_first_of("/.", at) - at) + "." + qualName;
  }
  return qualName;
}

const PythonCode &PythonCodes::learn(const PythonLayout &layout, const PythonFingerprint &print) {
  Store &s = store();
  {
    TablesLock lock(tablesMutex());
    auto known = s.byPrint.find(print);
    if (known != s.byPrint.end())
      return *known->second;
    static auto *tooMany = new PythonCode{{}, 0, PythonCode::Standard, false, "", "", nullptr};
    if (s.byNumber.size() >= MostCodes)
      return *tooMany;
  }
  auto *code = new PythonCode;
  code->print = print;
  code->fileName = textOf(layout, print.fileName);
  code->qualName = textOf(layout, print.qualName);
  code->kind = kindOf(code->fileName);
  code->isPlumbing = isPlumbing(code->qualName);
  if (code->kind == PythonCode::Library)
    code->keeper = keeperOf(code->fileName);
  TablesLock lock(tablesMutex());
  auto [at, fresh] = s.byPrint.try_emplace(print, code);
  if (!fresh) {
    delete code;
    return *at->second;
  }
  s.byNumber.push_back(code);
  code->number = uint32_t(s.byNumber.size());
  return *code;
}

PythonCodes &pythonCodes() { return Codes; }

const PythonCode *pythonCodeNumber(uint32_t number) {
  Store &s = store();
  TablesLock lock(tablesMutex());
  return number && number <= s.byNumber.size() ? s.byNumber[number - 1] : nullptr;
}

} // namespace gpuinstr::attach
