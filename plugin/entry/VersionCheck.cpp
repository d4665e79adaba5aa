// Refuses a compiler of another LLVM major before any of its C++ is called.
// SPDX-License-Identifier: Apache-2.0
//
// The loader lets such a plugin in: names of LLVM's C++ API carry no version, and are bound when
// first called. What would follow is a crash with a request to report a bug in clang. A failing
// dlopen cannot be asked for from here, so the process ends: one line, status 1. When clang runs
// its front end in the driver's own process no output file exists yet.
#include "llvm/Config/llvm-config.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

namespace {

/// Major of the LLVM in this process, 0 unknown. Both functions have kept name and signature.
unsigned hostMajor() {
  using GetVersion = void (*)(unsigned *, unsigned *, unsigned *);
  if (auto Get = reinterpret_cast<GetVersion>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"))) {
    unsigned Major = 0, Minor = 0, Patch = 0;
    Get(&Major, &Minor, &Patch);
    return Major;
  }
  // A clang linked statically need not hold LLVM's C API.
  using GetFullVersion = std::string (*)();
  if (auto Get = reinterpret_cast<GetFullVersion>(
          dlsym(RTLD_DEFAULT, "_ZN5clang19getClangFullVersionB5cxx11Ev"))) {
    const std::string Text = Get(); // "Debian clang version 22.1.8 ..."
    const char *At = std::strstr(Text.c_str(), "version ");
    return At ? std::atoi(At + std::strlen("version ")) : 0;
  }
  return 0;
}

// 101 is the first priority free for programs: before the static initialisers of this library.
__attribute__((constructor(101))) void checkHost() {
  const unsigned Host = hostMajor();
  if (!Host || Host == LLVM_VERSION_MAJOR)
    return;
  std::fprintf(stderr,
               "error: gpuinstr: this plugin is built for LLVM %d, the compiler is LLVM %u: "
               "use libgpuinstr-%u.so\n",
               LLVM_VERSION_MAJOR, Host, Host);
  std::fflush(stderr);
  _exit(1);
}

} // namespace
