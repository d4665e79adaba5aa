// Preloaded: what a set-uid program is told, without a set-uid program.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*real)(unsigned long) =
      (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  return type == AT_SECURE ? 1 : real(type);
}
