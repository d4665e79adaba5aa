// Qualified names of C++ in columns that are too narrow for them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_CODENAME_H
#define GPUINSTR_BASE_TEXT_CODENAME_H

#include <string>
#include <string_view>

namespace gpuinstr {

/// At most `columns` wide: first template arguments go, then outer scopes, so that the name itself
/// stays: "...::sort::OnesweepKernel<...>". Other text loses its middle.
std::string shortenName(std::string_view name, std::size_t columns);

} // namespace gpuinstr

#endif
