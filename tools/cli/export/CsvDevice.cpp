// Tables of device time and of what was moved as CSV, with the column names of nsys stats.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "export/Csv.h"
#include "lookup/SiteIndex.h"
#include "profile/DeviceRows.h"
#include <algorithm>

namespace gpuinstr::cli {

using profile::DeviceOperation;
using profile::DeviceRow;
using profile::Site;
using profile::SiteKind;

namespace {

using Row = profile::DeviceRowAt;

const std::vector<std::string> WhereColumns{"file", "line", "function", "id"};

std::vector<std::string> whereOf(const Site &site) {
  return {site.file, std::to_string(site.line), site.function, site.id};
}

/// Time (%) ... StdDev (ns). What only exact times have is empty elsewhere.
std::vector<std::string> timesOf(const Row &row, unsigned share) {
  const DeviceRow &d = *row.device;
  bool exact = row.site->device.method == profile::TimeMethod::Exact;
  double total = static_cast<double>(d.total_ns);
  return {percentText(share),
          std::to_string(d.total_ns),
          std::to_string(d.operations),
          csvDecimals(d.operations ? total / static_cast<double>(d.operations) : 0, 1),
          exact ? csvDecimals(static_cast<double>(d.median_ns), 1) : "",
          std::to_string(d.min_ns),
          std::to_string(d.max_ns),
          exact ? csvDecimals(d.stddev_ns, 1) : ""};
}

/// How sure the figures are.
const std::vector<std::string> MethodColumns{"method", "samples", "operations_estimated", "ci_ns"};

std::vector<std::string> methodOf(const Row &row) {
  return {row.site->device.method.text(), std::to_string(row.device->samples),
          row.device->operations_estimated ? "true" : "false", std::to_string(row.device->ci_ns)};
}

std::string kernelName(const Row &row) {
  if (!row.device->name.empty())
    return row.device->name;
  return row.device->operation == DeviceOperation::Graph ? "CUDA graph" : row.site->callee;
}

std::string timeTable(const profile::Profile &profile, bool transfers) {
  std::vector<std::string> head{"Time (%)", "Total Time (ns)", transfers ? "Count" : "Instances",
                                "Avg (ns)", "Med (ns)",        "Min (ns)",
                                "Max (ns)", "StdDev (ns)",     transfers ? "Operation" : "Name"};
  append(head, WhereColumns);
  append(head, MethodColumns);
  append(head, transfers ? std::vector<std::string>{"memory", "bytes"}
                         : std::vector<std::string>{"operation"});
  std::string out = csvRow(head);
  std::vector<Row> rows = profile::deviceRows(profile, transfers);
  std::vector<unsigned> shares = profile::timeShares(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    std::vector<std::string> fields = timesOf(row, shares[i]);
    fields.push_back(transfers ? row.device->operation.text() : kernelName(row));
    append(fields, whereOf(*row.site));
    append(fields, methodOf(row));
    append(fields, transfers ? std::vector<std::string>{row.device->memory.text(),
                                                        std::to_string(row.device->bytes)}
                             : std::vector<std::string>{row.device->operation.text()});
    out += csvRow(fields);
  }
  return out;
}

struct Moved {
  const Site *site;
  profile::Named<DeviceOperation> operation;
  profile::Named<profile::HostSide> memory;
  uint64_t count, bytes;
  bool estimated;
};

/// Where no time on the device tells: the direction that the call spells.
DeviceOperation spelledOperation(const Site &site) {
  if (site.kind == SiteKind::Set)
    return DeviceOperation::Set;
  for (const auto &[spelled, operation] :
       {std::pair{"HostToDevice", DeviceOperation::HostToDevice},
        std::pair{"DeviceToHost", DeviceOperation::DeviceToHost},
        std::pair{"DeviceToDevice", DeviceOperation::DeviceToDevice},
        std::pair{"HostToHost", DeviceOperation::HostToHost}})
    for (const std::string &argument : site.arguments)
      if (argument.find(spelled) != std::string::npos)
        return operation;
  return DeviceOperation::Copy;
}

void addMoved(std::vector<Moved> &to, const Site &site) {
  std::vector<const DeviceRow *> rows;
  for (const DeviceRow &row : site.device.rows)
    if (profile::isTransfer(row) && row.bytes)
      rows.push_back(&row);
  bool own = site.kind == SiteKind::Copy || site.kind == SiteKind::Set;
  if (own && rows.size() < 2) { // one kind: the calls themselves say it all
    uint64_t count = site.calls - std::min(site.calls, site.failed);
    if (site.bytes)
      to.push_back({&site, rows.empty() ? spelledOperation(site) : rows[0]->operation,
                    rows.empty() ? profile::HostSide::Unknown : rows[0]->memory, count, site.bytes,
                    false});
    return;
  }
  for (const DeviceRow *row : rows)
    to.push_back({&site, row->operation, row->memory, row->operations, row->bytes,
                  row->samples < row->operations});
}

} // namespace

std::string csvKernels(const profile::Profile &profile) { return timeTable(profile, false); }
std::string csvTransfers(const profile::Profile &profile) { return timeTable(profile, true); }

std::string csvMemory(const profile::Profile &profile) {
  std::vector<std::string> head{"Total (MB)", "Count",    "Avg (MB)",    "Med (MB)",
                                "Min (MB)",   "Max (MB)", "StdDev (MB)", "Operation"};
  append(head, WhereColumns);
  append(head, {"variable", "memory", "bytes", "estimated"});
  std::string out = csvRow(head);
  std::vector<Moved> rows;
  for (const Site &site : profile.sites)
    addMoved(rows, site);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Moved &a, const Moved &b) { return a.bytes > b.bytes; });
  for (const Moved &row : rows) {
    double megabytes = static_cast<double>(row.bytes) / 1e6;
    std::string total = csvDecimals(megabytes, 3), one = row.count == 1 ? total : "";
    std::vector<std::string> fields{
        total, std::to_string(row.count),
        csvDecimals(megabytes / static_cast<double>(std::max<uint64_t>(1, row.count)), 3)};
    append(fields, {one, one, one, row.count == 1 ? "0.000" : "", row.operation.text()});
    append(fields, whereOf(*row.site));
    append(fields, {row.site->variable, row.memory.text(), std::to_string(row.bytes),
                    row.estimated ? "true" : "false"});
    out += csvRow(fields);
  }
  return out;
}

} // namespace gpuinstr::cli
