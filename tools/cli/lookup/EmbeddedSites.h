// The site descriptors that the plugin left in an executable or shared library.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_EMBEDDEDSITES_H
#define GPUINSTR_CLI_LOOKUP_EMBEDDEDSITES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

struct EmbeddedSite {
  uint64_t id = 0;
  unsigned op = 0;
  uint32_t flags = 0, line = 0, column = 0;
  std::string file, function, callee, variable, type;
  std::vector<std::string> arguments;
};

/// Whether it is a call that the user wrote: neither a calling line nor inside a launch stub.
bool isCall(const EmbeddedSite &site);

/// One instrumented translation unit.
struct EmbeddedModule {
  std::string source, producer, defaults;
  uint32_t abi = 0;
  std::vector<std::string> addressesTaken;
  std::vector<EmbeddedSite> sites;
};

/// Reads an ELF file of x86-64, linked, position-independent or not, stripped or not: descriptors
/// are known by their form, and pointers by the relocations that the loader would apply. Throws
/// Failure for what is no such file. Empty when nothing in it was instrumented.
std::vector<EmbeddedModule> embeddedModules(std::string_view elf);

} // namespace gpuinstr::cli

#endif
