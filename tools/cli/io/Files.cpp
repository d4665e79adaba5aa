// Files, read and written whole.
// SPDX-License-Identifier: Apache-2.0
#include "io/Files.h"
#include "io/Failure.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

static Failure because(const std::string &file, int error) {
  return Failure(file + ": " + std::strerror(error));
}

namespace {

/// Device and number of each file that was read, by whichever thread.
struct Inputs {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> all;
};
Inputs &inputs() {
  static Inputs known;
  return known;
}

void note(const struct stat &status) {
  if (!S_ISREG(status.st_mode))
    return;
  std::lock_guard<std::mutex> lock(inputs().mutex);
  inputs().all.insert({status.st_dev, status.st_ino});
}

/// What has no size is read up to here: /dev/zero never ends.
constexpr std::size_t MostOfStream = std::size_t(256) << 20;

} // namespace

void noteInput(const std::string &file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) == 0)
    note(status);
}

void forgetInputs() {
  std::lock_guard<std::mutex> lock(inputs().mutex);
  inputs().all.clear();
}

void refuseInput(const std::string &file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0)
    return;
  std::lock_guard<std::mutex> lock(inputs().mutex);
  if (inputs().all.count({status.st_dev, status.st_ino}))
    throw Failure(file + ": is an input as well; -o wants another file");
}

std::string readText(const std::string &file) {
  const bool standard = file == "-";
  int fd = standard ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0)
    throw because(file, errno);
  note(status);
  std::string text;
  // A pipe has no size: then it grows as it is read.
  text.resize(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 65536);
  std::size_t used = 0;
  ssize_t n = 0;
  while ((n = ::read(fd, &text[used], text.size() - used)) > 0 || (n < 0 && errno == EINTR)) {
    used += n > 0 ? static_cast<std::size_t>(n) : 0;
    if (used == text.size() && !S_ISREG(status.st_mode) && used >= MostOfStream) {
      ::close(fd);
      throw Failure(file + ": no end within " + std::to_string(MostOfStream >> 20) + " MiB");
    }
    if (used == text.size())
      text.resize(2 * text.size());
  }
  int error = errno;
  ::close(fd);
  if (n < 0)
    throw because(file, error);
  text.resize(used);
  return text;
}

void writeText(const std::string &file, std::string_view text) {
  if (file.empty() || file == "-") {
    std::cout << text << std::flush;
    if (!std::cout)
      throw Failure("cannot write to the standard output");
    return;
  }
  refuseInput(file);
  bool special = fs::exists(file) && !fs::is_regular_file(file);
  std::string beside = special ? file : file + ".tmp" + std::to_string(::getpid());
  std::FILE *out = std::fopen(beside.c_str(), "we");
  bool good = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  int error = errno;
  if (out && std::fclose(out) != 0) {
    error = errno;
    good = false;
  }
  if (good && !special && std::rename(beside.c_str(), file.c_str()) != 0) {
    error = errno;
    good = false;
  }
  if (good)
    return;
  if (out && !special)
    std::remove(beside.c_str());
  throw because(file, error);
}

} // namespace gpuinstr::cli
