// Loaded modules: what each does of CUDA's, and which vendor libraries are there.
// SPDX-License-Identifier: Apache-2.0
#include "calls/code/Images.h"
#include "base/elf/DynamicEntries.h"
#include "base/system/Executable.h"
#include "base/system/LoadedModules.h"
#include "base/text/Glob.h"
#include "base/text/Prefix.h"
#include "calls/code/ImageData.h"
#include "calls/code/UnseenCalls.h"
#include "calls/sites/CudaFunctions.h"
#include "calls/sites/Sites.h"
#include "options/Options.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

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
  static auto *found = new std::map<std::pair<uintptr_t, std::string>, UnseenCode>; // used in exit
  auto [known, isNew] = found->try_emplace({uintptr_t(module.dlpi_addr), file});
  if (isNew)
    known->second = doneBy(module, file);
  return known->second;
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
  static auto *found = // used during exit
      new std::map<std::pair<const void *, std::string>, std::vector<std::string>>;
  auto [known, isNew] = found->try_emplace({code.lists.begin()->begin, path});
  if (isNew)
    known->second = unseenCalls(image, *image.dlpi_name ? path : processFile("exe").c_str(),
                                {code.lists, code.addressesTaken, code.runtimes});
  return known->second;
}

LoadedImage imageOf(const dl_phdr_info &module, bool isMain,
                    const std::vector<ModuleInfo> &modules) {
  const bool isAsked = !allIsSeen(modules);
  LoadedImage image;
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
  return image;
}

} // namespace

ModuleChanges changesOfModules() {
  ModuleChanges changes;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *to) {
        *static_cast<ModuleChanges *>(to) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &changes);
  return changes;
}

bool allIsSeen(const std::vector<ModuleInfo> &modules) {
  return std::any_of(modules.begin(), modules.end(),
                     [](const ModuleInfo &module) { return module.producer == AttachedProducer; });
}

std::mutex &imagesMutex() {
  static auto *mutex = new std::mutex; // leaked: used during exit
  return *mutex;
}

std::vector<LoadedImage> loadedImages() {
  std::lock_guard<std::mutex> lock(imagesMutex());
  return listImages();
}

std::vector<LoadedImage> listImages() {
  std::vector<LoadedImage> images;
  const std::vector<ModuleInfo> modules = registeredModules();
  dl_phdr_info program = {};
  eachLoadedModule([&](const dl_phdr_info &module) {
    const bool isMain = images.empty();
    if (isMain)
      program = module;
    images.push_back(isMain ? LoadedImage() : imageOf(module, false, modules));
    return true;
  });
  // The program itself stays, and has most of the code: it is searched once the linker's list is
  // let go of, so that a thread that loads a library, as CUDA's start does, need not wait for that.
  if (!images.empty())
    images.front() = imageOf(program, true, modules);
  return images;
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

ImagePlace placeOfImage(const void *address) {
  ImagePlace found;
  eachLoadedModule([&](const dl_phdr_info &module) {
    ImagePlace place{UINT64_MAX, 0};
    for (unsigned i = 0; i < module.dlpi_phnum; ++i) {
      const auto &segment = module.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD)
        continue;
      const uint64_t begin = module.dlpi_addr + segment.p_vaddr;
      place.begin = std::min(place.begin, begin);
      place.end = std::max(place.end, begin + segment.p_memsz);
    }
    if (place.has(reinterpret_cast<uint64_t>(address)))
      found = place;
    return found.end == 0;
  });
  return found;
}

bool staysOrIsSeenGoing(const void *address) {
  const ImagePlace place = isInMainProgram(address) ? ImagePlace() : placeOfImage(address);
  if (place.end == 0)
    return true;
  const std::vector<ModuleInfo> modules = registeredModules();
  return std::any_of(modules.begin(), modules.end(), [&](const ModuleInfo &module) {
    return place.has(reinterpret_cast<uint64_t>(module.module));
  });
}

uint64_t librariesGone() { return changesOfModules().gone; }

} // namespace gpuinstr
