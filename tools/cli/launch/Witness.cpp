// Whether a program that ran was watched at all, and if not, why.
// SPDX-License-Identifier: Apache-2.0
#include "launch/Witness.h"
#include "io/Failure.h"
#include "io/Files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::cli {

constexpr const char *Watched = "watched";

Witness::Witness(bool needed) {
  const char *folder = std::getenv("TMPDIR");
  Path = std::string(folder && *folder ? folder : "/tmp") + "/gpuinstr-run-XXXXXX";
  int fd = ::mkstemp(Path.data());
  if (fd < 0 && needed)
    throw Failure(Path + ": " + std::strerror(errno));
  if (fd < 0) {
    Path.clear();
    return;
  }
  ::close(fd);
  ::setenv("GPUINSTR_RUN_WITNESS", Path.c_str(), 1);
}

void Witness::remove() {
  if (!Path.empty())
    ::unlink(Path.c_str());
}

std::string Witness::said() const {
  try {
    return Path.empty() ? Watched : readText(Path);
  } catch (const Failure &) {
    return Watched; // somebody cleaned up
  }
}

bool Witness::sawReport() const { return said().find(Watched) != std::string::npos; }

std::string Witness::reason(const std::string &path, const Watching &watching) const {
  if (said().find("no GPU") != std::string::npos)
    return "no GPU here: gpuinstr run --simulate";
  if (watching.attached)
    return std::string("no report was made: no call of CUDA's driver was seen, the runtime is "
                       "switched off, or the program ended by _exit() within 20 ms of its first "
                       "call or with budget=0") +
           (watching.simulated
                ? "; on the simulated device, whose CUDA runtime makes no such call, "
                  "only programs that make them themselves can be attached"
                : "");
  if (!watching.carriesSites(path))
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
