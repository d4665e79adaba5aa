// `// gpuinstr-ignore: <ids> reason` in the program's source.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_IGNORECOMMENT_H
#define GPUINSTR_PROCESS_PROFILE_IGNORECOMMENT_H

#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr {

/// Whether the comment's text accepts findings of an id: "leak why", "leak, dead-copy why".
bool ignoresFinding(std::string_view comment, std::string_view id);

/// A line for each comment of the registered code that begins with no finding's id.
std::vector<std::string> mistakenIgnores();

} // namespace gpuinstr

#endif
