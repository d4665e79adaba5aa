// Where the parts of gpuinstr lie, seen from this program.
// SPDX-License-Identifier: Apache-2.0
#include "io/InstalledParts.h"
#include <cstdlib>
#include <filesystem>
#include <sys/auxv.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

std::string ownFolder() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) // a bare chroot: no /proc
    self = fs::canonical(reinterpret_cast<const char *>(::getauxval(AT_EXECFN)), error);
  return error ? "" : self.parent_path().string();
}

static std::string inLibrary(const char *name) {
  fs::path prefix = fs::path(ownFolder()).parent_path();
  std::error_code error;
  for (const char *folder : {"lib", GPUINSTR_LIBDIR, "lib64", "lib/x86_64-linux-gnu"})
    if (fs::path path = prefix / folder / name; fs::exists(path, error))
      return path.string();
  return "";
}

std::string runtimeLibrary() { return inLibrary("libgpuinstr_rt.so"); }

std::string attachLibrary() { return inLibrary("libgpuinstr_attach.so"); }

std::string pluginLibrary() { return inLibrary("libgpuinstr.so"); }

std::string simulatorFolder() {
  // A build that was not finished has the folder alone.
  for (const char *driver : {"simulator/libcuda.so.1", "gpuinstr/simulator/libcuda.so.1"})
    if (std::string path = inLibrary(driver); !path.empty())
      return fs::path(path).parent_path().string();
  return "";
}

std::string onPath(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  const char *variable = std::getenv("PATH");
  std::string list = variable ? variable : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = std::min(list.find(':', begin), list.size());
    std::string path = list.substr(begin, end - begin) + "/" + name;
    if (end > begin && ::access(path.c_str(), X_OK) == 0)
      return path;
    begin = end + 1;
  }
  return "";
}

} // namespace gpuinstr::cli
