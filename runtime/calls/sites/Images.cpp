// Loaded modules: who uses CUDA without being instrumented, and which vendor libraries are there.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/Images.h"
#include "base/elf/DynamicEntries.h"
#include "base/system/LoadedModules.h"
#include "base/text/Glob.h"
#include "base/text/Prefix.h"
#include "calls/budget/WatchWindows.h"
#include "calls/code/ImageData.h"
#include "calls/code/UnseenCalls.h"
#include "calls/sites/CudaFunctions.h"
#include "calls/sites/Sites.h"
#include "calls/threads/StackRoom.h"
#include "options/Options.h"
#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <unistd.h>

namespace gpuinstr {

namespace {

struct Vendor {
  const char *file, *name;
};
constexpr Vendor Vendors[] = {{"libcublas.so", "cuBLAS"},     {"libcublasLt.so", "cuBLASLt"},
                              {"libcufft.so", "cuFFT"},       {"libcusparse.so", "cuSPARSE"},
                              {"libcusolver.so", "cuSOLVER"}, {"libcurand.so", "cuRAND"},
                              {"libcudnn", "cuDNN"},          {"libnccl.so", "NCCL"},
                              {"libcutensor.so", "cuTENSOR"}, {"libnpp", "NPP"},
                              {"libnvjpeg.so", "nvJPEG"},     {"libcusparseLt.so", "cuSPARSELt"}};

/// CUDA itself and its tools: uses of CUDA that nobody can instrument or wants to.
constexpr const char *Own[] = {
    "libcudart.so", "libcuda.so",  "libnvidia-",    "libcupti",          "libnvrtc",
    "libnvJitLink", "libgpuinstr", "libnvToolsExt", "libToolsInjection", "libsanitizer-collection",
    "libcusolverMg"};

/// Undefined symbols come first in the symbol table, before the ones that the GNU hash covers.
uint32_t undefinedEnd(const uint32_t *gnuHash, const uint32_t *sysvHash) {
  if (gnuHash)
    return gnuHash[1];
  return sysvHash ? sysvHash[1] : 0;
}

/// The names that a module wants from others.
class Imports {
public:
  explicit Imports(const dl_phdr_info &module) {
    const DynamicEntries dynamic(module);
    Symbols = dynamic.at<ElfW(Sym)>(DT_SYMTAB);
    Strings = dynamic.at<char>(DT_STRTAB);
    if (Symbols && Strings)
      End = undefinedEnd(dynamic.at<uint32_t>(DT_GNU_HASH), dynamic.at<uint32_t>(DT_HASH));
  }
  template <class Is> bool any(Is is) const {
    for (uint32_t i = 1; i < End; ++i)
      if (Symbols[i].st_shndx == SHN_UNDEF && is(Strings + Symbols[i].st_name))
        return true;
    return false;
  }

private:
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  uint32_t End = 0;
};

/// Those that hold CUDA's name though they compute nothing there: video codecs of the system.
constexpr const char *Harmless[] = {"libav", "libsw", "libOpenCL", "libgst", "libhwloc"};

/// This runtime's own module looks functions up, too.
bool holds(const dl_phdr_info &module, const void *address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto &segment = module.dlpi_phdr[i];
    const uint64_t offset = uint64_t(address) - module.dlpi_addr - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && offset < segment.p_memsz)
      return true;
  }
  return false;
}

UnseenCode doneBy(const dl_phdr_info &module, const char *file) {
  const Imports imports(module);
  if (imports.any(runsKernels))
    return UnseenCode::Runs;
  const UnseenCode named = imports.any(isCudaWork) ? UnseenCode::Uses : UnseenCode::None;
  for (const char *start : Harmless)
    if (startsWith(file, start))
      return named;
  const bool mayLookUp = imports.any(isLookUp) && !holds(module, &Harmless) && namesCuda(module);
  return mayLookUp ? UnseenCode::Runs : named;
}

/// Of a module that stays where it is, found once.
UnseenCode doneByAsFound(const dl_phdr_info &module, const char *file) {
  static std::mutex mutex;
  static auto *found = new std::map<std::pair<uintptr_t, std::string>, UnseenCode>; // used in exit
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = found->try_emplace({uintptr_t(module.dlpi_addr), file});
  if (isNew)
    known->second = doneBy(module, file);
  return known->second;
}

std::string executable() {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, size_t(n)) : std::string();
}

/// The driver tells of every call, whoever makes it.
bool allIsSeen(const std::vector<ModuleInfo> &modules) {
  return std::any_of(modules.begin(), modules.end(),
                     [](const ModuleInfo &module) { return module.producer == AttachedProducer; });
}

/// Where the image's instrumented code lies, by any of its modules: all of a code model have the
/// same list. Nothing where one was compiled by an older plugin.
struct InstrumentedCode {
  std::set<CodeList> lists;
  std::string image;                       ///< as registered
  std::vector<std::string> addressesTaken; ///< by its modules
  std::set<RuntimeList> runtimes;
};

InstrumentedCode codeOf(const dl_phdr_info &image, const std::vector<ModuleInfo> &modules) {
  constexpr size_t Behind = offsetof(gpuinstr_module, code_end) + sizeof(gpuinstr_code *);
  InstrumentedCode code;
  for (const ModuleInfo &known : modules) {
    const gpuinstr_module *module = known.module;
    if (!module || !holds(image, module->image))
      continue;
    if (module->size < Behind || !module->code)
      return {};
    code.lists.insert(
        {module->code, module->code_end, (module->flags & GPUINSTR_MODULE_WIDE_CODE) != 0});
    code.image = known.image;
    code.addressesTaken.insert(code.addressesTaken.end(), known.addressesTaken.begin(),
                               known.addressesTaken.end());
    if (module->size > offsetof(gpuinstr_module, num_runtime_functions) &&
        module->runtime_functions)
      code.runtimes.insert({module->runtime_functions, module->num_runtime_functions});
  }
  return code;
}

/// Of an image that stays where it is, read once.
std::vector<std::string> unseenCallsAsFound(const dl_phdr_info &image, const char *path,
                                            const InstrumentedCode &code) {
  static std::mutex mutex;
  static auto *found = // used during exit
      new std::map<std::pair<const void *, std::string>, std::vector<std::string>>;
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = found->try_emplace({code.lists.begin()->begin, path});
  if (isNew)
    known->second = unseenCalls(image, *image.dlpi_name ? path : "/proc/self/exe",
                                {code.lists, code.addressesTaken, code.runtimes});
  return known->second;
}

void addImage(std::vector<LoadedImage> &images, const dl_phdr_info &module,
              const std::vector<ModuleInfo> &modules) {
  const bool isAsked = !allIsSeen(modules);
  LoadedImage image;
  bool isMain = images.empty();
  image.path = isMain ? executable() : module.dlpi_name;
  const char *slash = std::strrchr(image.path.c_str(), '/');
  const char *file = slash ? slash + 1 : image.path.c_str();
  for (const Vendor &vendor : Vendors)
    if (startsWith(file, vendor.file))
      image.vendor = vendor.name;
  bool own = false;
  for (const char *start : Own)
    own |= startsWith(file, start);
  const bool isNone = !isAsked || own || !image.vendor.empty() || startsWith(file, "linux-vdso");
  if (const InstrumentedCode code = codeOf(module, modules); isAsked && !code.lists.empty()) {
    image.registeredAs = code.image;
    image.unseenCalls = unseenCallsAsFound(module, image.path.c_str(), code);
  } else if (!isNone) {
    image.does = doneByAsFound(module, file);
  }
  const std::string &trust = options::options().trust;
  image.isTrusted = !trust.empty() && globMatchFile(trust, image.path);
  images.push_back(std::move(image));
}

struct Changes {
  unsigned long long added = 0, gone = 0;
};

Changes changesOfModules() {
  Changes changes;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *to) {
        *static_cast<Changes *>(to) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &changes);
  return changes;
}

} // namespace

std::vector<LoadedImage> loadedImages() {
  std::vector<LoadedImage> images;
  const std::vector<ModuleInfo> modules = registeredModules();
  eachLoadedModule([&](const dl_phdr_info &module) {
    addImage(images, module, modules);
    return true;
  });
  return images;
}

/// What these wait for, and write, comes from elsewhere than the driver's calls.
static bool communicates(const LoadedImage &image, const std::vector<std::string> &atWork) {
  auto isPart = [&](const std::string &part) { return image.path.find(part) != std::string::npos; };
  for (const char *part : {"/libmpi.", "/libucp.", "/libfabric."})
    if (isPart(part))
      return true;
  return std::any_of(atWork.begin(), atWork.end(), isPart);
}

/// Every driver call is seen, whoever makes it.
static std::vector<std::string> communicators(const std::vector<LoadedImage> &images,
                                              const std::vector<ModuleInfo> &modules) {
  std::vector<std::string> atWork, found;
  for (const ModuleInfo &module : modules)
    if (module.producer == CommunicatingProducer)
      atWork.push_back(module.source);
  for (const LoadedImage &image : images)
    if (communicates(image, atWork))
      found.push_back(image.path);
  for (const std::string &part : atWork) // one that was unloaded has done its work all the same
    if (std::none_of(images.begin(), images.end(), [&](const LoadedImage &image) {
          return image.path.find(part) != std::string::npos;
        }))
      found.push_back(part);
  return found;
}

namespace {

/// Images that were found to be unseen users of CUDA: that they are closed undoes nothing.
class UnseenUsers {
public:
  void note(const LoadedImage &image, UnseenCode does) {
    std::lock_guard<std::mutex> lock(Mutex);
    Users[image.path] = {does, !image.unseenCalls.empty()};
  }
  UnseenCode doneBy(const std::string &path) {
    std::lock_guard<std::mutex> lock(Mutex);
    auto user = Users.find(path);
    return user == Users.end() ? UnseenCode::None : user->second.does;
  }
  /// Adds those that are not there yet; nor one that had not registered yet when it was found.
  void addTo(std::vector<std::string> &unseen, const std::vector<std::string> &instrumented) {
    std::lock_guard<std::mutex> lock(Mutex);
    for (const auto &[path, user] : Users)
      if (!contains(unseen, path) && (user.besideSeen || !contains(instrumented, path)))
        unseen.push_back(path);
  }
  static bool contains(const std::vector<std::string> &paths, const std::string &path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }

private:
  struct User {
    UnseenCode does;
    bool besideSeen; ///< objects of an instrumented image
  };
  std::mutex Mutex;
  std::map<std::string, User> Users;
};

UnseenUsers &unseenUsers() {
  static auto *users = new UnseenUsers; // used during exit
  return *users;
}

} // namespace

std::vector<std::string> unseenCudaUsers(const std::vector<LoadedImage> &images) {
  std::vector<std::string> instrumented, unseen;
  const std::vector<ModuleInfo> modules = registeredModules();
  if (allIsSeen(modules))
    return communicators(images, modules);
  char resolved[PATH_MAX];
  for (const ModuleInfo &module : modules) {
    instrumented.push_back(module.image);
    if (realpath(module.image.c_str(), resolved))
      instrumented.push_back(resolved);
  }
  for (const LoadedImage &image : images)
    if (!image.unseenCalls.empty() ||
        (image.does != UnseenCode::None && !UnseenUsers::contains(instrumented, image.path)))
      unseen.push_back(image.path);
  unseenUsers().addTo(unseen, instrumented);
  return unseen;
}

bool isInMainProgram(const void *address) {
  struct Question {
    uintptr_t address;
    bool inside;
  } question{reinterpret_cast<uintptr_t>(address), false};
  // The first image that is visited is the program.
  dl_iterate_phdr(
      [](dl_phdr_info *image, size_t, void *data) {
        auto &q = *static_cast<Question *>(data);
        for (unsigned i = 0; i < image->dlpi_phnum; ++i) {
          const auto &segment = image->dlpi_phdr[i];
          uintptr_t start = image->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && q.address >= start &&
              q.address < start + segment.p_memsz)
            q.inside = true;
        }
        return 1;
      },
      &question);
  return question.inside;
}

namespace {

UnseenCode doneBy(const LoadedImage &image) {
  if (image.unseenCalls.empty())
    return image.does;
  const bool runs =
      std::any_of(image.unseenCalls.begin(), image.unseenCalls.end(), [](const std::string &name) {
        return name == UnlistedFunction || name == UntoldFunctions || isLookUp(name.c_str()) ||
               runsKernels(name.c_str());
      });
  return runs ? UnseenCode::Runs : UnseenCode::Uses;
}

/// The program took the address of a function that runs kernels or writes memory: calls by it are
/// unseen.
UnseenCode handedOn() {
  UnseenCode most = UnseenCode::None;
  for (const ModuleInfo &module : registeredModules())
    for (const std::string &name : module.addressesTaken)
      if (runsKernels(name.c_str()))
        most = UnseenCode::Runs;
      else if (name.find("Memcpy") != std::string::npos || name.find("Memset") != std::string::npos)
        most = std::max(most, UnseenCode::Uses);
  return most;
}

UnseenCode findUnseenCode() {
  const std::vector<LoadedImage> images = loadedImages();
  const std::vector<std::string> unseen = unseenCudaUsers(images);
  if (allIsSeen(registeredModules())) // those that communicate
    return unseen.empty() ? UnseenCode::None : UnseenCode::Runs;
  UnseenCode most = handedOn();
  for (const LoadedImage &image : images)
    if (!image.isTrusted && UnseenUsers::contains(unseen, image.path))
      unseenUsers().note(image, doneBy(image));
  for (const std::string &path : unseen)
    most = std::max(most, unseenUsers().doneBy(path));
  return most;
}

UnseenCode unseenCode() {
  static std::mutex mutex;
  static unsigned long long seenLoads = ~0ull;
  static UnseenCode most = UnseenCode::None;
  const Changes changes = changesOfModules();
  const unsigned long long loads = changes.added + changes.gone + moduleRegistrations();
  std::lock_guard<std::mutex> lock(mutex);
  if (loads != seenLoads) {
    most = findUnseenCode();
    seenLoads = loads;
  }
  return most;
}

} // namespace

// A call on a stack without room for us is as unseen as one of such code.
bool unseenCodeUsesCuda() {
  return everUnseen() || callsWithoutRoom() || unseenCode() != UnseenCode::None;
}
bool unseenCodeRunsKernels() {
  return everUnseen() || callsWithoutRoom() || unseenCode() == UnseenCode::Runs;
}
bool unseenCodeLaunches() {
  return callsWithoutRoom() ||
         (unseenCode() == UnseenCode::Runs && !allIsSeen(registeredModules()));
}
bool isAttachedAlone() { return allIsSeen(registeredModules()); }
bool unseenCodeSynchronises() { return callsWithoutRoom() || unseenCode() != UnseenCode::None; }

uint64_t librariesGone() { return changesOfModules().gone; }

} // namespace gpuinstr
