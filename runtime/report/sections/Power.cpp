// What the driver says of whole devices: energy, power, load, clocks.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <cstdio>

namespace gpuinstr::report {

using profile::Power;

namespace {

std::string formatted(const char *format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// "0.53 J", "87.5 J", "1.23 kJ".
std::string energyText(uint64_t mj) {
  double joules = static_cast<double>(mj) / 1e3;
  if (joules >= 1000)
    return formatted("%.2f kJ", joules / 1e3);
  return formatted(joules < 10 ? "%.2f J" : "%.1f J", joules);
}

std::string wattsText(uint64_t mw) { return formatted("%.0f W", static_cast<double>(mw) / 1e3); }

/// "SM clock 1755 MHz (1200 to 1980), held back by power cap in 40 % of readings".
std::string clockText(const Power &p) {
  std::string text = "SM clock " + std::to_string(p.sm_mhz) + " MHz";
  if (p.sm_mhz_min != p.sm_mhz_max)
    text += " (" + std::to_string(p.sm_mhz_min) + " to " + std::to_string(p.sm_mhz_max) + ")";
  const char *before = ", held back by ";
  for (const profile::ClockReasonCount &held : p.held_back) {
    double percent = 100 * static_cast<double>(held.readings) / static_cast<double>(p.readings);
    text += before + printable(held.reason.text()) +
            formatted(" in %.0f %% of readings", percent < 1 ? 1 : percent);
    before = ", by ";
  }
  return text;
}

std::string deviceText(const Power &p) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : "; ") + part; };
  if (p.energy_mj)
    add(energyText(p.energy_mj) + " in " + timeText(static_cast<double>(p.covered_ns)));
  if (p.average_mw)
    add(wattsText(p.average_mw) + " on average, " + wattsText(p.peak_mw) + " at most");
  if (p.sm_mhz) {
    add(formatted("utilisation %.0f %%", p.utilisation_percent));
    add(clockText(p));
  }
  return text.empty() ? "" : text + " (whole device)";
}

} // namespace

Lines powerLines(const View &view) {
  Lines lines;
  for (const Power &p : view.profile.power) {
    std::string text = deviceText(p);
    if (text.empty())
      continue;
    Lines more = wrappedLines(view, 9, text);
    more[0] = headed(padRight("POWER " + std::to_string(p.device), 9) + more[0].text.substr(9));
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

} // namespace gpuinstr::report
