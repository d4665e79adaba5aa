// Whether a program that ran was watched at all, and if not, why.
// SPDX-License-Identifier: Apache-2.0
#include "launch/Witness.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "lookup/EmbeddedSites.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::cli {

namespace {

/// Whether a file was compiled with the plugin, or may start what was: a script.
bool carriesSites(const std::string &path) {
  try {
    return !embeddedModules(readText(path)).empty();
  } catch (const Failure &) {
    return true;
  }
}

} // namespace

Witness::Witness() {
  const char *folder = std::getenv("TMPDIR");
  Path = std::string(folder && *folder ? folder : "/tmp") + "/gpuinstr-run-XXXXXX";
  int fd = ::mkstemp(Path.data());
  if (fd < 0)
    throw Failure(Path + ": " + std::strerror(errno));
  ::close(fd);
  ::setenv("GPUINSTR_RUN_WITNESS", Path.c_str(), 1);
}

void Witness::remove() { ::unlink(Path.c_str()); }

std::string Witness::reason(const std::string &path) const {
  std::string said = readText(Path);
  if (said.find("watched") != std::string::npos)
    return "";
  if (said.find("no GPU") != std::string::npos)
    return "no GPU here: gpuinstr run --simulate";
  if (!carriesSites(path))
    return "no report was made: " + path +
           " was not compiled with the plugin, and no code that was, loaded or started by it, made "
           "a CUDA call";
  return "no report was made: no CUDA call was made, or the runtime was not found or is switched "
         "off (gpuinstr doctor " +
         path + ")";
}

bool hasStaticCudart(const std::string &path) {
  std::string elf;
  try {
    elf = readText(path);
  } catch (const Failure &) {
    return false;
  }
  return elf.compare(0, 4, "\177ELF") == 0 &&
         elf.find("CUDA_ENABLE_MODULE_LAZY_LOADING") != std::string::npos &&
         elf.find("libcudart.so") == std::string::npos;
}

} // namespace gpuinstr::cli
