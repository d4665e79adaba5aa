// The figures of calls as every reader of a profile shows them: one definition of each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/CallFigures.h"
#include "base/text/Printable.h"
#include "profile/Histogram.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::profile {

namespace {

/// Sums of durations.
struct Sums {
  uint64_t timed = 0, min = UINT64_MAX, max = 0;
  double total = 0, squares = 0;
  Histogram medians;

  void add(uint64_t count, double mean, double stddev, uint64_t least, uint64_t most,
           uint64_t median) {
    double n = static_cast<double>(count);
    timed += count;
    total += n * mean;
    squares += n * mean * mean + (n - 1) * stddev * stddev;
    min = std::min(min, least);
    max = std::max(max, most);
    medians.add(median, count);
  }
  void fill(CallFigures &out) const {
    double n = static_cast<double>(timed);
    out.timed = timed;
    out.mean_ns = total / n;
    out.min_ns = min;
    out.max_ns = max;
    out.median_ns = medians.percentile(0.5);
    double variance = timed > 1 ? (squares - n * out.mean_ns * out.mean_ns) / (n - 1) : 0;
    out.stddev_ns = std::sqrt(std::max(0.0, variance));
  }
};

} // namespace

CallFigures callFigures(const Site &site) {
  const Duration &host = site.host;
  CallFigures out;
  out.calls = site.calls;
  out.total_ns = host.total_ns + host.first_ns;
  out.estimated = host.estimated();
  out.callsEstimated = site.calls_estimated;
  if (host.count) {
    out.timed = host.count;
    out.mean_ns = host.mean_ns;
    out.stddev_ns = host.count > 1 ? host.stddev_ns : 0;
    out.min_ns = host.min_ns;
    out.max_ns = host.max_ns;
    out.median_ns = host.median_ns;
  } else if (host.first_ns) {
    out.timed = 1;
    out.mean_ns = static_cast<double>(host.first_ns);
    out.min_ns = out.max_ns = out.median_ns = host.first_ns;
  }
  return out;
}

CallFigures callFigures(const std::vector<const Site *> &sites) {
  if (sites.size() == 1)
    return callFigures(*sites[0]);
  CallFigures out;
  Sums later, first;
  for (const Site *site : sites) {
    CallFigures one = callFigures(*site);
    out.calls += one.calls;
    out.total_ns += one.total_ns;
    out.estimated |= one.estimated;
    out.callsEstimated |= one.callsEstimated;
    if (one.timed)
      (site->host.count ? later : first)
          .add(one.timed, one.mean_ns, one.stddev_ns, one.min_ns, one.max_ns, one.median_ns);
  }
  if (later.timed)
    later.fill(out);
  else if (first.timed)
    first.fill(out);
  return out;
}

std::string functionName(const std::string &callee, bool launch) {
  // A kernel's name may begin with "cu" as well.
  if (launch && callee.rfind("cudaLaunch", 0) != 0 && callee.rfind("cuLaunch", 0) != 0)
    return "cudaLaunchKernel";
  return launch && callee == "cudaLaunchKernelEx" ? "cudaLaunchKernelExC" : callee;
}

std::vector<const Site *> timedSites(const Profile &profile) {
  std::vector<const Site *> sites;
  for (const Site &site : profile.sites)
    if (site.calls &&
        site.host.total_ns + site.host.first_ns) // a caller's too: calls are charged to it
      sites.push_back(&site);
  return sites;
}

std::vector<unsigned> timeShares(const std::vector<CallFigures> &rows) {
  std::vector<double> totals;
  for (const CallFigures &row : rows)
    totals.push_back(static_cast<double>(row.total_ns));
  return perMille(totals);
}

} // namespace gpuinstr::profile
