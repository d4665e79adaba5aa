// Tables of a profile as CSV (RFC 4180), with the column names of nsys stats.
// SPDX-License-Identifier: Apache-2.0
#include "export/Csv.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "profile/CallFigures.h"
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

using profile::CallFigures;

/// Time (%) ... StdDev (ns).
std::vector<std::string> fieldsOf(const CallFigures &figures, unsigned share) {
  return {percentText(share),
          std::to_string(figures.total_ns),
          std::to_string(figures.calls),
          csvDecimals(figures.mean_ns, 1),
          csvDecimals(static_cast<double>(figures.median_ns), 1),
          std::to_string(figures.min_ns),
          std::to_string(figures.max_ns),
          csvDecimals(figures.stddev_ns, 1)};
}

const std::vector<std::string> TimeColumns{"Time (%)", "Total Time (ns)", "Num Calls",
                                           "Avg (ns)", "Med (ns)",        "Min (ns)",
                                           "Max (ns)", "StdDev (ns)",     "Name"};

std::vector<CallFigures> figuresOf(const std::vector<const Site *> &sites) {
  std::vector<CallFigures> out;
  for (const Site *site : sites)
    out.push_back(profile::callFigures(*site));
  return out;
}

} // namespace

std::string csvApi(const profile::Profile &profile) {
  std::map<std::string, std::vector<const Site *>> byName;
  for (const Site *site : profile::timedSites(profile))
    byName[profile::functionName(site->callee, site->kind == profile::SiteKind::Launch)].push_back(
        site);
  std::vector<std::pair<std::string, CallFigures>> rows;
  for (const auto &[name, sites] : byName)
    rows.emplace_back(name, profile::callFigures(sites));
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return a.second.total_ns > b.second.total_ns;
  });
  std::vector<CallFigures> figures;
  for (const auto &row : rows)
    figures.push_back(row.second);
  std::vector<unsigned> shares = profile::timeShares(figures);
  std::string out = csvRow(TimeColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> fields = fieldsOf(figures[i], shares[i]);
    fields.push_back(rows[i].first);
    out += csvRow(fields);
  }
  return out;
}

std::string csvSites(const profile::Profile &profile) {
  std::vector<std::string> head = TimeColumns;
  append(head, {"id", "kind", "file", "line", "column", "function", "variable", "type", "memory",
                "failed", "bytes"});
  std::string out = csvRow(head);
  std::vector<const Site *> sites = sitesByTime(profile);
  std::vector<CallFigures> figures = figuresOf(sites);
  std::vector<unsigned> shares = profile::timeShares(figures);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site *site = sites[i];
    std::vector<std::string> fields = fieldsOf(figures[i], shares[i]);
    append(fields,
           {site->callee, site->id, site->kind.text(), site->file, std::to_string(site->line),
            std::to_string(site->column), site->function, site->variable, site->type,
            site->memory.text(), std::to_string(site->failed), std::to_string(site->bytes)});
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
                   std::to_string(row.live_bytes), row.memory.text(), std::to_string(row.device),
                   row.variable, site ? site->file : "", std::to_string(site ? site->line : 0),
                   site ? site->function : "", row.site, row.caller});
  }
  return out;
}

std::string csvPhases(const profile::Profile &profile) {
  std::string out = csvRow({"Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Range",
                            "calls_ns", "device_ns", "idle_ns", "looked_at"});
  uint64_t wall = profile::recordedNs(profile.process);
  for (const profile::Phase &phase : profile.phases) {
    double total = static_cast<double>(phase.total_ns);
    out += csvRow(
        {csvDecimals(wall ? 100 * total / static_cast<double>(wall) : 0, 1),
         std::to_string(phase.total_ns), std::to_string(phase.instances),
         csvDecimals(phase.instances ? total / static_cast<double>(phase.instances) : 0, 1),
         phase.name, std::to_string(phase.calls_ns),
         phase.device_known ? std::to_string(phase.device_ns) : "",
         phase.idle_known ? std::to_string(phase.idle_ns) : "", std::to_string(phase.looked_at)});
  }
  return out;
}

std::string csvFindings(const profile::Profile &profile) {
  SiteIndex sites(profile);
  std::string out = csvRow({"pattern", "grade", "file", "line", "function", "variable", "type",
                            "memory", "count", "bytes", "cost_ns", "error", "message", "fix",
                            "suppressed", "suppression", "site", "caller", "estimated"});
  for (const profile::Finding &finding : profile.findings) {
    const Site *site = sites.shown(finding);
    out += csvRow({finding.pattern.text(), finding.grade.text(), site ? site->file : "",
                   std::to_string(site ? site->line : 0), site ? site->function : "",
                   finding.variable, finding.type, finding.memory.text(),
                   std::to_string(finding.count), std::to_string(finding.bytes),
                   std::to_string(finding.cost_ns), finding.error, finding.message, finding.fix,
                   finding.suppressed ? "true" : "false", finding.suppression, finding.site,
                   finding.caller, finding.counted ? "true" : "false"});
  }
  return out;
}

std::string csvOfProcess(const std::string &table, const profile::Profile &profile, bool header) {
  const profile::Process &process = profile.process;
  bool merged = profile.merged.processes != 0; // of many processes
  std::string who = csvRow({process.rank < 0 || merged ? "" : std::to_string(process.rank),
                            merged ? "" : process.host, merged ? "" : std::to_string(process.pid)});
  std::string out, row;
  bool quoted = false, first = true;
  for (char c : table) {
    quoted ^= c == '"';
    row += c;
    if (c != '\n' || quoted)
      continue;
    row.resize(row.size() - 2); // the line's end
    if (!first || header)
      out += row + "," + (first ? std::string("rank,host,pid\r\n") : who);
    row.clear();
    first = false;
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
                                            {"phases", "", csvPhases},
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
