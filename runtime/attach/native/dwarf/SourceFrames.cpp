// Source lines of an address, with the functions that were inlined there.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/SourceFrames.h"
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/stat.h>

namespace gpuinstr::attach {

namespace {

/// A file as it was when it was read.
struct FileVersion {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const FileVersion &o) const {
    return device == o.device && inode == o.inode && size == o.size && seconds == o.seconds &&
           nanoseconds == o.nanoseconds;
  }
};

struct Known {
  FileVersion version;
  std::unique_ptr<DebugModule> module;
  uint64_t used = 0; ///< when
};

struct Modules {
  std::mutex mutex; ///< held across fork, so that a child never finds it taken
  std::map<std::string, Known> all;
  uint64_t questions = 0;

  /// Not more than one module may, the last one in any case.
  void keepFew() {
    size_t bytes = 0;
    for (auto &[path, known] : all)
      bytes += known.module->bytes();
    while (bytes > DebugModule::MostKept && all.size() > 1) {
      auto oldest = all.begin();
      for (auto at = all.begin(); at != all.end(); ++at)
        if (at->second.used < oldest->second.used)
          oldest = at;
      bytes -= oldest->second.module->bytes();
      all.erase(oldest);
    }
  }
};

Modules &modules() {
  static Modules *instance = [] {
    auto *made = new Modules; // leaked: used during exit
    pthread_atfork([] { modules().mutex.lock(); }, [] { modules().mutex.unlock(); },
                   [] { modules().mutex.unlock(); });
    return made;
  }();
  return *instance;
}

} // namespace

std::vector<SourceFrame> framesAt(const std::string &path, uint64_t offset) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return {};
  ElfFile file(path);
  DwarfSections sections(file);
  if (!sections.lines.size && !sections.info.size)
    return {};
  Modules &kept = modules();
  std::lock_guard<std::mutex> lock(kept.mutex);
  Known &known = kept.all[path];
  FileVersion version{info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                      info.st_mtim.tv_nsec};
  if (!known.module || !(known.version == version)) {
    known.module = std::make_unique<DebugModule>(sections);
    known.version = version;
  }
  known.used = ++kept.questions;
  std::vector<SourceFrame> frames = known.module->at(sections, offset + file.lowestAddress());
  kept.keepFew();
  return frames;
}

} // namespace gpuinstr::attach
