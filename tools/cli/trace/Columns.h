// The columns of a trace as a flat table, for CSV and Parquet.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TRACE_COLUMNS_H
#define GPUINSTR_CLI_TRACE_COLUMNS_H

#include "trace/TraceTimeline.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// Exactly one of the getters is set.
struct TraceColumn {
  const char *name;
  int64_t (*integer)(const Slice &, const Timeline &) = nullptr;
  double (*real)(const Slice &, const Timeline &) = nullptr;
  std::string (*text)(const Slice &, const Timeline &) = nullptr;
};

/// One row for each slice; what does not apply is 0 or "". Documented in docs/Formats.md.
const std::vector<TraceColumn> &traceColumns();

} // namespace gpuinstr::cli

#endif
