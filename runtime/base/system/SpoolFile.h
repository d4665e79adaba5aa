// A file that holds the last state of a process, whatever ends it.
// SPDX-License-Identifier: Apache-2.0
//
// The process writes its state again and again; a reader finds it after any death. Two slots take
// turns, each with a number, a length and a checksum: one that was cut short is never read, and the
// other is still there. The file is written through the page cache and nothing is mapped, so that a
// full disk or an unplugged one is an error for the writer and no SIGBUS. Its blocks are allocated
// when it is made. No descriptor stays open between two states.
#ifndef GPUINSTR_BASE_SYSTEM_SPOOLFILE_H
#define GPUINSTR_BASE_SYSTEM_SPOOLFILE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace gpuinstr {

/// What of a spool does not change. `settings` is for the reader, opaque here.
struct SpoolOwner {
  int64_t pid = 0;
  uint64_t startTicks = 0;   ///< of the process, since boot: tells it from a later one of that pid
  uint64_t pidNamespace = 0; ///< in which `pid` means something
  std::string settings;
};

/// This process, without settings.
SpoolOwner thisSpoolOwner();
/// False where that cannot be known: another namespace of process ids.
bool isSurelyDead(const SpoolOwner &owner);

/// Whether a file there is written at the speed of memory and can be allocated in full: neither a
/// network's nor one that copies on write.
bool isLocalFolder(const char *folder);

/// The folder of option spool=auto: `gpuinstr` in XDG_RUNTIME_DIR, which is its user's alone; ""
/// none. Not made here.
std::string automaticSpoolFolder();

/// The spools of surely dead processes there, newest first. The rest of the files is left alone.
std::vector<std::string> deadSpools(const std::string &folder);
/// Removes all of these but the newest `most`.
void dropOldSpools(const std::string &folder, unsigned most);

/// Writes one spool. Not for several threads at once.
class SpoolFile {
public:
  static constexpr uint64_t MostBytes = 8 << 20; ///< of a state

  /// Makes `folder/PID.spool` (or PID.1.spool ... where a program before this one, replaced by
  /// exec, left its own) with room for states of `bytes`. 0 or errno.
  int create(const std::string &folder, const SpoolOwner &owner, uint64_t bytes);
  /// The state at `takenNs` of the monotonic clock. A larger file replaces this one where it does
  /// not fit. 0 or errno: the state before stands.
  int write(std::string_view state, uint64_t takenNs);
  /// Removes the file.
  void remove();
  /// Without removing it: it is another process's.
  void forget() { Path.clear(); }
  bool exists() const { return !Path.empty(); }

private:
  int make(const std::string &path, uint64_t bytes);
  int openOwn() const;

  std::string Path;
  SpoolOwner Owner;
  uint64_t SlotBytes = 0, Sequence = 0;
  dev_t Device = 0;
  ino_t Inode = 0;
};

struct SpoolState {
  SpoolOwner owner;
  std::string state;    ///< "": the process ended before its first one
  uint64_t takenNs = 0; ///< on the monotonic clock
};

/// Whether a file begins like a spool.
bool isSpool(std::string_view content);
/// From a whole file, of whatever origin. False: `error` says why.
bool readSpool(std::string_view content, SpoolState &state, std::string &error);

} // namespace gpuinstr

#endif
