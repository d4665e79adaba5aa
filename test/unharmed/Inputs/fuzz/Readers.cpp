// libFuzzer targets for everything that reads what somebody else wrote. See tools/fuzz.
// SPDX-License-Identifier: Apache-2.0
//
// FUZZ_profile, FUZZ_spool, FUZZ_trace, FUZZ_suppressions, FUZZ_options or FUZZ_elf chooses one.
// What a reader refuses by Failure is well; a crash, a sanitizer's line, a hang or much memory is
// not.
#include "base/system/SpoolFile.h"
#include "base/system/SpoolFormat.h"
#include "io/Failure.h"
#include "lookup/EmbeddedSites.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "options/Suppressions.h"
#include "profile/Json.h"
#include "report/TextReport.h"
#include "trace/TraceFile.h"
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace gpuinstr;

namespace {

[[maybe_unused]] void readProfile(const std::string &text) {
  profile::Profile read, again;
  std::string error;
  if (!profile::fromJson(text, read, error))
    return;
  (void)report::render(read, {});
  // What was read can be written, and read again.
  if (!profile::fromJson(profile::toJson(read), again, error))
    std::abort();
}

/// With checksums that fit: otherwise nothing gets past them.
[[maybe_unused]] void readTheSpool(std::string content) {
  if (content.size() < spool::PageBytes)
    content.resize(spool::PageBytes);
  std::memcpy(content.data(), spool::Magic, sizeof spool::Magic);
  auto &header = *reinterpret_cast<spool::Header *>(content.data());
  header.check = spool::checksumOf(header);
  for (unsigned i = 0; i < spool::Slots; ++i) {
    auto &slot = *reinterpret_cast<spool::SlotHeader *>(content.data() + spool::slotHeaderAt(i));
    uint64_t at = spool::slotAt(header.slotBytes, i);
    if (at <= content.size() && slot.length <= content.size() - at)
      slot.textCheck = spool::checksum(content.data() + at, slot.length);
    slot.check = spool::checksumOf(slot);
  }
  SpoolState state;
  std::string error;
  if (!readSpool(content, state, error) && error.empty())
    std::abort();
}

[[maybe_unused]] void readTrace(const std::string &content) {
  static int file = memfd_create("trace", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (ftruncate(file, 0) != 0 ||
      pwrite(file, content.data(), content.size(), 0) != ssize_t(content.size()))
    return;
  try {
    cli::TraceFile trace(path);
    for (cli::TraceEvent event; trace.next(event);)
      if (event.endNs < event.startNs)
        std::abort();
  } catch (const cli::Failure &) {
  }
}

[[maybe_unused]] void readSuppressions(const std::string &text) {
  options::Suppressions rules;
  std::vector<std::string> problems;
  rules.parse(text, "rules", problems);
  profile::Profile profile;
  profile::Site site;
  site.id = "1";
  site.file = "a/b.cu";
  site.function = "f<int>(float *)";
  profile.sites.push_back(site);
  profile::Finding finding;
  finding.pattern = profile::Pattern::Leak;
  finding.site = "1";
  finding.variable = "d_x";
  profile.findings.push_back(finding);
  rules.apply(profile);
  for (const std::string &problem : problems)
    if (problem.find('\n') != std::string::npos)
      std::abort();
}

[[maybe_unused]] void readOptions(const std::string &text) {
  options::OptionSet set;
  set.apply(text, options::Layer::Environment, "GPUINSTR_OPTIONS");
  (void)options::expandPath(set.values().json);
  for (const std::string &problem : set.problems())
    for (char c : problem)
      if (c == '\n' || c == '\x1b')
        std::abort();
}

[[maybe_unused]] void readSites(const std::string &elf) {
  try {
    (void)cli::embeddedModules(elf);
  } catch (const cli::Failure &) {
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
#if defined(FUZZ_profile)
  readProfile(text);
#elif defined(FUZZ_spool)
  readTheSpool(text);
#elif defined(FUZZ_trace)
  readTrace(text);
#elif defined(FUZZ_suppressions)
  readSuppressions(text);
#elif defined(FUZZ_options)
  readOptions(text);
#elif defined(FUZZ_elf)
  readSites(text);
#else
#error "which reader?"
#endif
  return 0;
}
