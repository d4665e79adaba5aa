// Files of /proc and the like, read without the C library's streams: those take memory from the
// program's allocator, whose lock a dying process may hold.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_SYSTEMFILE_H
#define GPUINSTR_BASE_SYSTEM_SYSTEMFILE_H

#include <string>

namespace gpuinstr {

/// At most `most` bytes of it; "" where it cannot be read.
std::string readSystemFile(const char *path, std::size_t most = 1 << 20);

} // namespace gpuinstr

#endif
