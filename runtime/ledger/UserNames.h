// Texts given by gpuinstr_name.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_USERNAMES_H
#define GPUINSTR_LEDGER_USERNAMES_H

#include <cstdint>
#include <string>

namespace gpuinstr {

/// Equal texts share a number; 0 is no text.
uint32_t userNameNumber(const char *text);
std::string userNameText(uint32_t number);

} // namespace gpuinstr

#endif
