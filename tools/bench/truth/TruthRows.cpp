// Joins the rows of profiles with CUPTI's sums.
// SPDX-License-Identifier: Apache-2.0
#include "truth/TruthRows.h"
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gpuinstr::bench {

bool readSums(const std::string &text, TruthRows &rows) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.rfind(": ");
    unsigned long long count, total;
    char end;
    if (colon != std::string::npos &&
        std::sscanf(line.c_str() + colon + 2, "%llu %llu%c", &count, &total, &end) == 2)
      rows[line.substr(0, colon)] = {count, double(total), 0};
  }
  return !rows.empty();
}

namespace {

std::string nameOf(const nlohmann::json &row) {
  if (row.at("operation") == "kernel")
    return row.at("name");
  const uint64_t operations = row.at("operations"), bytes = row.at("bytes");
  return row.at("operation").get<std::string>() + " " +
         std::to_string(operations ? bytes / operations : 0);
}

} // namespace

bool readProfile(const std::string &json, TruthRows &rows) {
  const auto profile = nlohmann::json::parse(json, nullptr, false);
  if (!profile.is_object() || !profile.contains("sites"))
    return false;
  for (const auto &site : profile["sites"]) {
    if (!site.contains("device"))
      continue;
    for (const auto &row : site["device"].at("rows")) {
      TruthTotal &total = rows[nameOf(row)];
      total.count += row.at("operations").get<uint64_t>();
      total.totalNs += row.at("total_ns").get<double>();
      total.intervalNs += row.at("ci_ns").get<double>();
    }
  }
  return !rows.empty();
}

bool Truth::meanOf(const std::string &name, const TruthTotal &first, TruthTotal &mean) const {
  mean = {first.count, 0, 0};
  for (const TruthRows &run : Truths) {
    const auto row = run.find(name);
    if (row == run.end() || row->second.count != first.count)
      return false;
    mean.totalNs += row->second.totalNs / double(Truths.size());
  }
  return true;
}

std::vector<TruthRow> Truth::rows() const {
  std::vector<TruthRow> all;
  for (const auto &[name, first] : Truths.front()) {
    TruthTotal truth;
    if (!meanOf(name, first, truth))
      continue;
    const double count = double(truth.count);
    TruthRow row;
    row.name = name;
    row.count = truth.count;
    row.truthNs = truth.totalNs / count;
    for (const TruthRows &run : Exacts)
      if (const auto exact = run.find(name); exact != run.end())
        row.exactNs += (exact->second.totalNs - truth.totalNs) / count / double(Exacts.size());
    for (const TruthRows &run : Sampled) {
      const auto sampled = run.find(name);
      if (sampled == run.end()) {
        ++row.absent;
        continue;
      }
      const double error = sampled->second.totalNs - truth.totalNs;
      row.errorsNs.push_back(error / count);
      row.halvesNs.push_back(sampled->second.intervalNs / count);
      row.covered += std::abs(error) <= sampled->second.intervalNs;
    }
    all.push_back(std::move(row));
  }
  return all;
}

std::vector<std::string> Truth::others() const {
  std::vector<std::string> names;
  TruthTotal mean;
  for (const auto &[name, first] : Truths.front())
    if (!meanOf(name, first, mean))
      names.push_back(name);
  return names;
}

std::vector<double> Truth::sumRatios(const std::string &prefix) const {
  double truth = 0;
  TruthTotal mean;
  for (const auto &[name, first] : Truths.front())
    if (name.compare(0, prefix.size(), prefix) == 0 && meanOf(name, first, mean))
      truth += mean.totalNs;
  std::vector<double> ratios;
  for (const TruthRows &run : Sampled) {
    double sampled = 0;
    for (const auto &[name, total] : run)
      if (name.compare(0, prefix.size(), prefix) == 0)
        sampled += total.totalNs;
    if (truth > 0)
      ratios.push_back(sampled / truth);
  }
  return ratios;
}

} // namespace gpuinstr::bench
