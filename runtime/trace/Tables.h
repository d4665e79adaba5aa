// Which sites, names, threads and devices a trace file has described already.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TRACE_TABLES_H
#define GPUINSTR_TRACE_TABLES_H

#include "trace/Buffer.h"
#include "trace/FileWriter.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpuinstr::trace {

void writeProcess(FileWriter &file);
/// The moment at which the runtime started: before every record.
void writeStartClock(FileWriter &file);

class Tables {
public:
  /// Writes what these records mention for the first time.
  void describe(FileWriter &file, const Record *records, uint32_t count,
                const std::function<std::string(uint32_t)> &nameOf);
  void describeThread(FileWriter &file, Buffer &buffer);
  void describeDevices(FileWriter &file);
  void writeThinned(FileWriter &file, const std::map<SiteIndex, uint64_t> &bySite);

  /// Sites that only= and exclude= leave out.
  bool isHidden(uint32_t site) const { return site < Sites.size() && Sites[site] == Hidden; }
  bool anyHidden(const Record *records, uint32_t count) const;

private:
  enum : char { Unknown, Shown, Hidden };
  void describeSite(FileWriter &file, uint32_t index);

  std::vector<char> Sites, Names; ///< by index
  std::vector<int> Devices;       ///< ordinals
  bool SomeHidden = false;
};

} // namespace gpuinstr::trace

#endif
