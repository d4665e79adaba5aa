// The profile's sites: descriptors of all modules, merged by place.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_SITELIST_H
#define GPUINSTR_PROCESS_PROFILE_SITELIST_H

#include "calls/sites/ListedSites.h"
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
class SiteList : public ListedSites {
public:
  /// `counters` must live as long as the list.
  void addCounters(SiteIndex index, const SiteCounters &counters);
  std::string idOf(SiteIndex index) override;
  void eachCalled(const Visit &visit) override;
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
  /// A descriptor that was called.
  struct Called {
    SiteIndex index;
    Entry *entry;
    const SiteCounters *counters;
  };
  Entry *entryOf(SiteIndex index);

  std::vector<std::unique_ptr<Entry>> Entries;
  std::vector<Called> AllCalled;
  std::unordered_map<uint64_t, Entry *> ByPlace;
  std::unordered_map<std::string, Entry *> ById;
};

} // namespace gpuinstr

#endif
