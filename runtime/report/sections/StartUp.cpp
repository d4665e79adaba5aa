// What the program paid once: CUDA's contexts, and loading and compiling device code.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "report/Sections.h"
#include <algorithm>

namespace gpuinstr::report {

/// Below it nobody would gain anything by knowing.
static constexpr uint64_t LeastNs = 1000000;

Lines startUpLine(const View &view) {
  const profile::StartUp &s = view.profile.process.startup;
  if (s.total_ns < LeastNs)
    return {};
  auto time = [](uint64_t ns) { return timeText(static_cast<double>(ns)); };
  uint64_t loading = s.total_ns - std::min(s.total_ns, s.context_ns);
  std::string line = "START-UP  ";
  if (s.context_ns)
    line += "context " + time(s.context_ns) + (loading ? ", " : "");
  if (loading)
    line += "modules and first launches " + time(loading) +
            (s.method == profile::StartUpMethod::Host && s.kernels ? " at most" : "");
  if (s.jit_ns)
    line += s.jit_ns <= loading ? " (JIT " + time(s.jit_ns) + ")"
                                : ", JIT " + time(s.jit_ns) + " of all that";
  if (const profile::Site *first = view.site(view.profile.process.first_site)) {
    std::string place = ", first call at " + view.place(first);
    if (displayWidth(line + place) <= view.style.columns)
      line += place;
  }
  return {{shorten(line, view.style.columns), 8, Paint::Bold}};
}

} // namespace gpuinstr::report
