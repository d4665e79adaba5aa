// CUPTI's callbacks around driver functions: the few functions and fields that attaching needs.
// SPDX-License-Identifier: Apache-2.0
#include "attach/driver/CuptiCallbacks.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <vector>

namespace gpuinstr::attach {

namespace {

constexpr int Ok = 0, SeveralSubscribers = 39; // CUptiResult
constexpr const char *Names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

/// CUpti_SubscriberParams.
struct SubscriberParameters {
  size_t size;
  const char *name;
  char *oldName;
  size_t oldSize;
};

int (*Enable)(uint32_t on, void *subscriber, int domain, uint32_t number) = nullptr;
void *Subscriber = nullptr;

/// Beside CUDA's libraries that Python packages brought: nvidia/cuda_runtime/lib has
/// nvidia/cuda_cupti/lib as a neighbour, nvidia/cu13/lib has all.
void addPackages(std::vector<std::string> &places) {
  dl_iterate_phdr(
      [](dl_phdr_info *module, size_t, void *data) {
        auto &places = *static_cast<std::vector<std::string> *>(data);
        std::string path = module->dlpi_name ? module->dlpi_name : "";
        size_t at = path.rfind("/nvidia/");
        if (at != std::string::npos) {
          path.resize(at + 8);
          places.push_back(path + "cu13/lib/libcupti.so.13");
          places.push_back(path + "cuda_cupti/lib/libcupti.so.12");
        }
        return 0;
      },
      &places);
}

/// One that the program has loaded already, never a second version; else where a toolkit has it.
void *load() {
  for (const char *name : Names)
    if (void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD))
      return library;
  std::vector<std::string> places(std::begin(Names), std::end(Names)), roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *root = secure_getenv(variable); root && *root)
      roots.push_back(root);
  addPackages(places);
  roots.push_back("/usr/local/cuda");
  roots.push_back("/opt/cuda");
  for (const std::string &root : roots)
    for (const char *folder : {"/lib64/", "/extras/CUPTI/lib64/", "/targets/x86_64-linux/lib/"})
      for (const char *name : Names)
        places.push_back(root + folder + name);
  for (const std::string &place : places)
    if (void *library = dlopen(place.c_str(), RTLD_LAZY | RTLD_LOCAL))
      return library;
  return nullptr;
}

template <class F> bool find(void *library, F *&function, const char *name) {
  function = reinterpret_cast<F *>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

bool subscribe(Callback callback, std::string &why) {
  void *library = load();
  if (!library) {
    why = "no libcupti.so found (LD_LIBRARY_PATH or CUDA_HOME can name it)";
    return false;
  }
  int (*named)(void **, Callback, void *, SubscriberParameters *) = nullptr;
  int (*plain)(void **, Callback, void *) = nullptr;
  int (*textOf)(int, const char **) = nullptr;
  find(library, named, "cuptiSubscribe_v2");
  find(library, textOf, "cuptiGetResultString");
  if (!find(library, plain, "cuptiSubscribe") || !find(library, Enable, "cuptiEnableCallback")) {
    why = "this libcupti.so has no callbacks";
    return false;
  }
  char holder[128] = "";
  SubscriberParameters parameters = {sizeof parameters, "gpuinstr", holder, sizeof holder};
  int result = named ? named(&Subscriber, callback, nullptr, &parameters)
                     : plain(&Subscriber, callback, nullptr);
  if (result == Ok)
    return true;
  holder[sizeof holder - 1] = 0;
  if (result == SeveralSubscribers) {
    // The second is what CUPTI 13 says of one that gave no name.
    bool isNamed = *holder && !std::strstr(holder, "<not provided>");
    why = "CUPTI is held by " + std::string(isNamed ? holder : "another tool");
  } else {
    const char *text = nullptr;
    if (textOf)
      textOf(result, &text);
    why = "CUPTI refuses (" + std::string(text ? text : "unknown error") + ")";
  }
  return false;
}

bool watchCall(uint32_t number, bool on) {
  return Subscriber && Enable(on, Subscriber, DriverDomain, number) == Ok;
}

} // namespace gpuinstr::attach
