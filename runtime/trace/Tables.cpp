// Which sites, names, threads and devices a trace file has described already.
// SPDX-License-Identifier: Apache-2.0
#include "trace/Tables.h"
#include "base/Clock.h"
#include "base/Rank.h"
#include "base/system/Executable.h"
#include "base/text/Printable.h"
#include "calls/sites/ListedSites.h"
#include "cuda/Driver.h"
#include <algorithm>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

namespace gpuinstr::trace {

namespace {

std::string contentOf(const char *path) {
  std::string text;
  int file = ::open(path, O_RDONLY | O_CLOEXEC);
  char part[4096];
  ssize_t n;
  while (file >= 0 && text.size() < 65536 && (n = ::read(file, part, sizeof part)) > 0)
    text.append(part, std::size_t(n));
  if (file >= 0)
    ::close(file);
  return text;
}

std::string commandLine() {
  std::string text = contentOf(processFile("cmdline").c_str());
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::string threadName(uint32_t tid) {
  std::string text = contentOf(("/proc/self/task/" + std::to_string(tid) + "/comm").c_str());
  return text.substr(0, text.find('\n'));
}

} // namespace

void writeProcess(FileWriter &file) {
  ProcessEntry entry = {uint32_t(getpid()), currentRank().rank, 0};
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) != 0)
    host[0] = 0;
  Payload payload;
  payload.entry(entry);
  payload.string(host);
  payload.string(commandLine());
  payload.string("gpuinstr");
  payload.align();
  file.block(BlockType::Process, 1, payload);
}

void writeStartClock(FileWriter &file) {
  timespec real;
  uint64_t now = monotonicNs();
  clock_gettime(CLOCK_REALTIME, &real);
  ClockEntry entry = {};
  entry.ticks = clockStartTicks();
  entry.monotonicNs = clockStartNs();
  entry.realtimeNs =
      uint64_t(real.tv_sec) * 1000000000u + uint64_t(real.tv_nsec) - (now - entry.monotonicNs);
  Payload payload;
  payload.entry(entry);
  file.block(BlockType::Clock, 1, payload);
  // A second one at once: a file that is cut soon has a rate as well.
  file.clock(BlockType::Clock, 0, 0);
}

void Tables::describeSite(FileWriter &file, uint32_t index) {
  if (index >= Sites.size())
    Sites.resize(index + 64, Unknown);
  if (index == 0 || Sites[index] != Unknown)
    return;
  SitesLock lock; // dlclose waits with unmapping the strings
  const gpuinstr_site *site = siteAt(index);
  if (!site)
    return;
  bool isCaller = site->op == GPUINSTR_OP_CALLER;
  Sites[index] = !isCaller && isHiddenSite(index) ? Hidden : Shown;
  SomeHidden |= Sites[index] == Hidden;
  SiteEntry entry = {};
  entry.index = index;
  entry.line = site->line, entry.column = site->column, entry.flags = site->flags;
  entry.op = site->op, entry.resource = site->resource, entry.detail = site->detail;
  entry.numArguments = site->arguments ? site->num_arguments : uint16_t(0);
  entry.id = site->id;
  Payload payload;
  payload.entry(entry);
  for (const char *text : {site->file, site->function, site->callee, site->variable, site->type})
    payload.string(text ? text : "");
  for (unsigned i = 0; i < entry.numArguments; ++i)
    payload.string(site->arguments[i] ? site->arguments[i] : "");
  payload.align();
  file.block(BlockType::Site, 1, payload);
}

void Tables::describe(FileWriter &file, const Record *records, uint32_t count,
                      const std::function<std::string(uint32_t)> &nameOf) {
  for (uint32_t i = 0; i < count; ++i) {
    const Record &r = records[i];
    describeSite(file, r.site);
    describeSite(file, r.caller);
    if (r.name >= Names.size())
      Names.resize(r.name + 16, Unknown);
    if (r.name == 0 || Names[r.name] != Unknown)
      continue;
    Names[r.name] = Shown;
    Payload payload;
    payload.entry(NameEntry{r.name, 0});
    payload.string(nameOf(r.name));
    payload.align();
    file.block(BlockType::Name, 1, payload);
  }
}

void Tables::writeThinned(FileWriter &file, const std::map<SiteIndex, uint64_t> &bySite) {
  Payload payload;
  uint32_t count = 0;
  for (auto [site, records] : bySite) {
    describeSite(file, site);
    if (isHidden(site))
      continue;
    payload.entry(ThinnedEntry{site, 0, records});
    ++count;
  }
  if (count)
    file.block(BlockType::Thinned, count, payload);
}

void Tables::describeThread(FileWriter &file, Buffer &buffer) {
  if (buffer.described)
    return;
  buffer.described = true;
  Payload payload;
  payload.entry(ThreadEntry{buffer.index, buffer.tid});
  payload.string(threadName(buffer.tid));
  payload.align();
  file.block(BlockType::Thread, 1, payload);
}

void Tables::describeDevices(FileWriter &file) {
  for (const DeviceInfo &device : seenDevices()) {
    if (std::find(Devices.begin(), Devices.end(), device.ordinal) != Devices.end())
      continue;
    Devices.push_back(device.ordinal);
    Payload payload;
    payload.entry(DeviceEntry{uint32_t(device.ordinal), 0, device.memory});
    payload.string(device.name);
    payload.align();
    file.block(BlockType::Device, 1, payload);
  }
}

bool Tables::anyHidden(const Record *records, uint32_t count) const {
  return SomeHidden &&
         std::any_of(records, records + count, [&](const Record &r) { return isHidden(r.site); });
}

} // namespace gpuinstr::trace
