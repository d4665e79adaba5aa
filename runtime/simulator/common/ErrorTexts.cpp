// Names and texts of the error codes.
// SPDX-License-Identifier: Apache-2.0
#include "common/ErrorTexts.h"

#include <algorithm>
#include <iterator>

namespace gpuinstr::sim {

namespace {
/// Sorted by value.
constexpr ErrorText Table[] = {
#define GPUINSTR_ERROR(Value, RuntimeName, DriverName, Text) {Value, RuntimeName, DriverName, Text},
#include "common/ErrorTexts.def"
#undef GPUINSTR_ERROR
};
} // namespace

const ErrorText *errorText(int Value) {
  auto Found = std::lower_bound(std::begin(Table), std::end(Table), Value,
                                [](const ErrorText &E, int V) { return E.Value < V; });
  return Found != std::end(Table) && Found->Value == Value ? Found : nullptr;
}

} // namespace gpuinstr::sim
