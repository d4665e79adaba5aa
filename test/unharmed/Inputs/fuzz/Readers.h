// Everything that reads what somebody else wrote, as libFuzzer and the tests of kept inputs call
// it. SPDX-License-Identifier: Apache-2.0
//
// What a reader refuses by Failure is well; a crash, a sanitizer's line, a hang or much memory is
// not. See tools/fuzz.
#ifndef GPUINSTR_TEST_FUZZ_READERS_H
#define GPUINSTR_TEST_FUZZ_READERS_H

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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gpuinstr::fuzz {

inline void readProfile(std::string_view text) {
  profile::Profile read, again;
  std::string error;
  if (!profile::fromJson(text, read, error))
    return;
  report::ReportStyle style;
  style.verbose = text.size() % 2;
  style.color = text.size() % 3 == 0;
  (void)report::render(read, style);
  // What was read can be written, and read again.
  if (!profile::fromJson(profile::toJson(read), again, error))
    std::abort();
}

/// With checksums that fit: otherwise nothing gets past them.
inline void readSpool(std::string_view given) {
  std::string content(given);
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
  if (!gpuinstr::readSpool(content, state, error) && error.empty())
    std::abort();
}

/// Checksums that fit, as for spools, but for blocks whose checksum is odd.
inline void fitChecksums(std::string &content) {
  trace::FileHeader file;
  if (content.size() < sizeof file)
    return;
  std::memcpy(&file, content.data(), sizeof file);
  trace::BlockHeader block;
  for (std::size_t at = file.headerBytes; at <= content.size() - sizeof block;
       at += sizeof block + block.bytes) {
    std::memcpy(&block, content.data() + at, sizeof block);
    if (block.bytes > content.size() - sizeof block - at)
      return;
    if (block.checksum % 2)
      continue;
    block.checksum = trace::checksum(block, content.data() + at + sizeof block);
    std::memcpy(content.data() + at, &block, sizeof block);
  }
}

inline void readTrace(std::string_view given) {
  std::string content(given);
  fitChecksums(content);
  std::FILE *file = fmemopen(content.data(), content.size(), "rb");
  if (!file)
    std::abort();
  try {
    cli::TraceFile trace("trace", file);
    for (cli::TraceEvent event; trace.next(event);)
      if (event.endNs < event.startNs)
        std::abort();
  } catch (const cli::Failure &) {
  }
}

inline void readSuppressions(std::string_view text) {
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

inline void readOptions(std::string_view text) {
  options::OptionSet set;
  set.apply(text, options::Layer::Environment, "GPUINSTR_OPTIONS");
  (void)options::expandPath(set.values().json);
  for (const std::string &problem : set.problems())
    for (char c : problem)
      if (c == '\n' || c == '\x1b')
        std::abort();
}

inline void readElf(std::string_view elf) {
  try {
    (void)cli::embeddedModules(elf);
  } catch (const cli::Failure &) {
  }
}

} // namespace gpuinstr::fuzz

#endif
