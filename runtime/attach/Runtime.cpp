// The runtime that attached programs report to.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Runtime.h"
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

namespace gpuinstr::attach {

namespace {

uint64_t now() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

struct Connection {
  const gpuinstr_table *table = nullptr;
  std::string why;

  Connection() {
    uint64_t before = now();
    const char *named = secure_getenv("GPUINSTR_RUNTIME");
    std::string path = named ? named : "";
    Dl_info own = {};
    if (path.empty() && dladdr(reinterpret_cast<void *>(&connectRuntime), &own) && own.dli_fname) {
      path = own.dli_fname;
      path = path.substr(0, path.rfind('/') + 1) + "libgpuinstr_rt.so";
    }
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto *connect =
        library ? reinterpret_cast<gpuinstr_connect_fn *>(dlsym(library, GPUINSTR_CONNECT_SYMBOL))
                : nullptr;
    table = connect ? connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), before) : nullptr;
    if (!library)
      why = "cannot load the runtime " + path;
    else if (!table || table->size < sizeof(gpuinstr_table))
      why = "another version of the runtime: " + path;
    if (!why.empty())
      table = nullptr;
  }
};

} // namespace

const gpuinstr_table *connectRuntime(std::string &why) {
  static const auto *connection = new Connection; // leaked: used during exit
  why = connection->why;
  return connection->table;
}

} // namespace gpuinstr::attach
