// Tables of a profile as CSV (RFC 4180), with the column names of nsys stats.
// SPDX-License-Identifier: Apache-2.0
#include "export/Csv.h"
#include "lookup/SiteIndex.h"
#include "profile/Histogram.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace gpuinstr::cli {

using profile::Site;

std::string csvRow(const std::vector<std::string> &fields) {
  std::string row;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string &field = fields[i];
    row += i ? "," : "";
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      row += field;
      continue;
    }
    row += '"';
    for (char c : field)
      row += c == '"' ? std::string("\"\"") : std::string(1, c);
    row += '"';
  }
  return row + "\r\n";
}

std::string csvDecimals(double value, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, std::isfinite(value) ? value : 0.0);
  return text;
}

namespace {

/// What nsys counts over all calls; here a site's first call stands apart in the profile. Not all
/// calls have a time of their own: the figures are those of the timed ones.
struct Figures {
  uint64_t calls = 0, timed = 0, total = 0, min = UINT64_MAX, max = 0;
  double squares = 0;
  profile::Histogram medians;

  void one(uint64_t ns) {
    ++timed;
    total += ns;
    min = std::min(min, ns);
    max = std::max(max, ns);
    squares += static_cast<double>(ns) * static_cast<double>(ns);
    medians.add(ns);
  }
  void add(const Site &site) {
    const profile::Duration &host = site.host;
    calls += site.calls;
    if (host.first_ns)
      one(host.first_ns);
    if (!host.count)
      return;
    double count = static_cast<double>(host.count);
    timed += host.count;
    total += host.total_ns;
    min = std::min(min, host.min_ns);
    max = std::max(max, host.max_ns);
    squares += count * host.mean_ns * host.mean_ns + (count - 1) * host.stddev_ns * host.stddev_ns;
    medians.add(host.median_ns, host.count);
  }
  /// Time (%) ... StdDev (ns).
  std::vector<std::string> fields(double all) const {
    double n = static_cast<double>(timed), mean = timed ? static_cast<double>(total) / n : 0;
    double variance = timed > 1 ? (squares - n * mean * mean) / (n - 1) : 0;
    return {csvDecimals(all > 0 ? 100 * static_cast<double>(total) / all : 0, 1),
            std::to_string(total),
            std::to_string(calls),
            csvDecimals(mean, 1),
            csvDecimals(static_cast<double>(medians.percentile(0.5)), 1),
            std::to_string(timed ? min : 0),
            std::to_string(max),
            csvDecimals(std::sqrt(std::max(0.0, variance)), 1)};
  }
};

const std::vector<std::string> TimeColumns{"Time (%)", "Total Time (ns)", "Num Calls",
                                           "Avg (ns)", "Med (ns)",        "Min (ns)",
                                           "Max (ns)", "StdDev (ns)",     "Name"};

double timeOfAll(const profile::Profile &profile) {
  double all = 0;
  for (const Site &site : profile.sites)
    all += static_cast<double>(totalNs(site));
  return all;
}

} // namespace

std::string csvApi(const profile::Profile &profile) {
  std::map<std::string, Figures> byName;
  for (const Site &site : profile.sites)
    if (site.calls && totalNs(site))
      byName[site.callee].add(site);
  std::vector<std::pair<const std::string, Figures> *> rows;
  for (auto &row : byName)
    rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](auto *a, auto *b) { return a->second.total > b->second.total; });
  std::string out = csvRow(TimeColumns);
  double all = timeOfAll(profile);
  for (auto *row : rows) {
    std::vector<std::string> fields = row->second.fields(all);
    fields.push_back(row->first);
    out += csvRow(fields);
  }
  return out;
}

std::string csvSites(const profile::Profile &profile) {
  std::vector<std::string> head = TimeColumns;
  append(head, {"id", "kind", "file", "line", "column", "function", "variable", "type", "memory",
                "failed", "bytes"});
  std::string out = csvRow(head);
  double all = timeOfAll(profile);
  for (const Site *site : sitesByTime(profile)) {
    Figures figures;
    figures.add(*site);
    std::vector<std::string> fields = figures.fields(all);
    append(fields, {site->callee, site->id, site->kind, site->file, std::to_string(site->line),
                    std::to_string(site->column), site->function, site->variable, site->type,
                    site->memory, std::to_string(site->failed), std::to_string(site->bytes)});
    out += csvRow(fields);
  }
  return out;
}

std::string csvAllocations(const profile::Profile &profile) {
  SiteIndex sites(profile);
  std::string out = csvRow({"Total (MB)", "Count", "Avg (MB)", "Peak (MB)", "bytes", "peak_bytes",
                            "live_count", "live_bytes", "memory", "device", "variable", "file",
                            "line", "function", "site", "caller"});
  auto megabytes = [](double bytes) { return csvDecimals(bytes / 1e6, 3); };
  for (const profile::Allocations &row : profile.allocations) {
    profile::Finding named; // shown where a finding about it would be
    named.site = row.site;
    named.caller = row.caller;
    named.variable = row.variable;
    const Site *site = sites.shown(named);
    double bytes = static_cast<double>(row.bytes);
    out += csvRow({megabytes(bytes), std::to_string(row.count),
                   megabytes(bytes / static_cast<double>(std::max<uint64_t>(1, row.count))),
                   megabytes(static_cast<double>(row.peak_bytes)), std::to_string(row.bytes),
                   std::to_string(row.peak_bytes), std::to_string(row.live_count),
                   std::to_string(row.live_bytes), row.memory, std::to_string(row.device),
                   row.variable, site ? site->file : "", std::to_string(site ? site->line : 0),
                   site ? site->function : "", row.site, row.caller});
  }
  return out;
}

std::string csvFindings(const profile::Profile &profile) {
  SiteIndex sites(profile);
  std::string out = csvRow({"pattern", "grade", "file", "line", "function", "variable", "type",
                            "memory", "count", "bytes", "cost_ns", "error", "message", "fix",
                            "suppressed", "suppression", "site", "caller"});
  for (const profile::Finding &finding : profile.findings) {
    const Site *site = sites.shown(finding);
    out += csvRow({finding.pattern, finding.grade, site ? site->file : "",
                   std::to_string(site ? site->line : 0), site ? site->function : "",
                   finding.variable, finding.type, finding.memory, std::to_string(finding.count),
                   std::to_string(finding.bytes), std::to_string(finding.cost_ns), finding.error,
                   finding.message, finding.fix, finding.suppressed ? "true" : "false",
                   finding.suppression, finding.site, finding.caller});
  }
  return out;
}

const std::vector<CsvTable> &csvTables() {
  static const std::vector<CsvTable> tables{{"api", "cuda_api_sum", csvApi},
                                            {"sites", "", csvSites},
                                            {"kernels", "cuda_gpu_kern_sum", csvKernels},
                                            {"transfers", "cuda_gpu_mem_time_sum", csvTransfers},
                                            {"memory", "cuda_gpu_mem_size_sum", csvMemory},
                                            {"allocations", "", csvAllocations},
                                            {"findings", "", csvFindings}};
  return tables;
}

std::string csvTable(const profile::Profile &profile, std::string_view name) {
  for (const CsvTable &table : csvTables())
    if (!name.empty() && (name == table.name || name == table.nsys))
      return table.make(profile);
  return "";
}

} // namespace gpuinstr::cli
