// A file that takes its place only when it is whole.
// SPDX-License-Identifier: Apache-2.0
#include "io/OutFile.h"
#include "io/Failure.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace gpuinstr::cli {

OutFile::OutFile(const std::string &path) : Path(path) {
  if (path == "-") {
    File = stdout;
    return;
  }
  Beside = path + "." + std::to_string(::getpid()) + ".tmp";
  File = std::fopen(Beside.c_str(), "wbe");
  if (!File)
    throw Failure(path + ": " + std::strerror(errno));
}

OutFile::~OutFile() {
  if (File && File != stdout) {
    std::fclose(File);
    std::remove(Beside.c_str());
  }
}

void OutFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), File) != text.size())
    throw Failure(Path + ": " + std::strerror(errno));
}

void OutFile::commit() {
  if (File == stdout) {
    if (std::fflush(stdout) != 0)
      throw Failure(std::string("standard output: ") + std::strerror(errno));
    return;
  }
  int failed = std::fclose(File);
  File = nullptr;
  if (failed || std::rename(Beside.c_str(), Path.c_str()) != 0) {
    int error = errno;
    std::remove(Beside.c_str());
    throw Failure(Path + ": " + std::strerror(error));
  }
}

} // namespace gpuinstr::cli
