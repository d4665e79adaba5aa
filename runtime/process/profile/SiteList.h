// The profile's sites: descriptors of all modules, merged by place.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_SITELIST_H
#define GPUINSTR_PROCESS_PROFILE_SITELIST_H

#include "calls/threads/Counters.h"
#include "profile/Profile.h"
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpuinstr {

/// An inline function or template has a descriptor in each unit that uses it: one site here. Two
/// functions of the same name in different files share the id that the plugin gave: the second gets
/// another, always the same.
class SiteList {
public:
  /// Which sites are not to be shown: EXCLUDED, and those that option only= leaves out.
  static bool isHidden(SiteIndex index);

  void addCounters(SiteIndex index, const SiteCounters &counters);
  /// Makes sure that the site is listed. Its id, "" for no site.
  std::string idOf(SiteIndex index);
  /// The sites, by file and place; times scaled to ns.
  std::vector<profile::Site> finish(double nsPerTick);

private:
  struct Entry {
    SiteIndex first; ///< gives the texts
    std::vector<SiteIndex> members;
    std::string id;
    SiteCounters counters;
    profile::DeviceTime device;
  };
  Entry *entryOf(SiteIndex index);

  std::vector<std::unique_ptr<Entry>> Entries;
  std::unordered_map<uint64_t, Entry *> ByPlace;
  std::unordered_map<std::string, Entry *> ById;
};

} // namespace gpuinstr

#endif
