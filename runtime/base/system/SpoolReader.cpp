// A spool, read after its process's death. The file may be anybody's: every length is checked.
// SPDX-License-Identifier: Apache-2.0
#include "base/system/SpoolFile.h"
#include "base/system/SpoolFormat.h"
#include "base/system/SystemFile.h"
#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuinstr {

using namespace spool;

namespace {

/// Field 22 of /proc/PID/stat; 0: no such process, or a dead one that nobody has waited for yet.
uint64_t startTicksOf(int64_t pid) {
  std::string text = readSystemFile(("/proc/" + std::to_string(pid) + "/stat").c_str());
  size_t at = text.rfind(')'); // the name before it may hold anything
  if (at == std::string::npos || at + 2 >= text.size() || text[at + 2] == 'Z')
    return 0;
  constexpr int StartTime = 22, AfterName = 3;
  ++at;
  for (int field = AfterName; field < StartTime && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
}

uint64_t pidNamespace() {
  struct stat is = {};
  return ::stat("/proc/self/ns/pid", &is) == 0 ? is.st_ino : 0;
}

bool validSlot(std::string_view file, const Header &header, unsigned slot, SlotHeader &found) {
  std::memcpy(&found, file.data() + slotHeaderAt(slot), sizeof found);
  uint64_t at = slotAt(header.slotBytes, slot);
  return found.sequence && found.check == checksumOf(found) && found.length <= header.slotBytes &&
         at <= file.size() && found.length <= file.size() - at &&
         checksum(file.data() + at, found.length) == found.textCheck;
}

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Its owner alone. False: no spool of this user's.
bool readOwner(const std::string &path, SpoolOwner &owner, struct stat &is) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  char page[PageBytes];
  bool good = file >= 0 && ::fstat(file, &is) == 0 && S_ISREG(is.st_mode) &&
              is.st_uid == ::geteuid() && ::read(file, page, sizeof page) == ssize_t(sizeof page);
  if (file >= 0)
    ::close(file);
  SpoolState state;
  std::string error;
  if (!good || !readSpool({page, sizeof page}, state, error))
    return false;
  owner = state.owner;
  return true;
}

} // namespace

SpoolOwner thisSpoolOwner() {
  SpoolOwner owner;
  owner.pid = ::getpid();
  owner.startTicks = startTicksOf(owner.pid);
  owner.pidNamespace = pidNamespace();
  return owner;
}

bool isSurelyDead(const SpoolOwner &owner) {
  return owner.pidNamespace && owner.pidNamespace == pidNamespace() && owner.startTicks &&
         startTicksOf(owner.pid) != owner.startTicks;
}

std::vector<std::string> deadSpools(const std::string &folder) {
  std::vector<std::pair<int64_t, std::string>> found;
  DIR *listing = ::opendir(folder.c_str());
  while (dirent *entry = listing ? ::readdir(listing) : nullptr) {
    std::string path = folder + "/" + entry->d_name;
    SpoolOwner owner;
    struct stat is = {};
    if (endsWith(path, Suffix) && readOwner(path, owner, is) && isSurelyDead(owner))
      found.push_back({-(int64_t(is.st_mtim.tv_sec) * 1000000000 + is.st_mtim.tv_nsec), path});
  }
  if (listing)
    ::closedir(listing);
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto &[time, path] : found)
    paths.push_back(std::move(path));
  return paths;
}

void dropOldSpools(const std::string &folder, unsigned most) {
  std::vector<std::string> dead = deadSpools(folder);
  for (size_t i = most; i < dead.size(); ++i)
    ::unlink(dead[i].c_str());
}

bool isSpool(std::string_view content) {
  return content.substr(0, sizeof Magic) == std::string_view(Magic, sizeof Magic);
}

bool readSpool(std::string_view content, SpoolState &state, std::string &error) {
  Header header;
  if (!isSpool(content) || content.size() < PageBytes) {
    error = "no spool";
    return false;
  }
  std::memcpy(&header, content.data(), sizeof header);
  if (header.check != checksumOf(header) || header.settingsLength > sizeof header.settings ||
      header.slotBytes > 4 * SpoolFile::MostBytes) {
    error = "a spool that is damaged";
    return false;
  }
  state = {};
  state.owner.pid = header.pid;
  state.owner.startTicks = header.startTicks;
  state.owner.pidNamespace = header.pidNamespace;
  state.owner.settings.assign(header.settings, header.settingsLength);
  SlotHeader newest = {};
  for (unsigned slot = 0; slot < Slots; ++slot) {
    SlotHeader found;
    if (!validSlot(content, header, slot, found) || found.sequence <= newest.sequence)
      continue;
    newest = found;
    state.state.assign(content.substr(slotAt(header.slotBytes, slot), found.length));
    state.takenNs = found.takenNs;
  }
  return true;
}

} // namespace gpuinstr
