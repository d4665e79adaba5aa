// The rank of this process under an MPI or batch launcher.
// SPDX-License-Identifier: Apache-2.0
#include "base/Rank.h"
#include <cstdlib>
#include <cstring>

namespace gpuinstr {

/// -1 unless the text is a decimal number of at most nine digits.
static int parseRank(const char *text) {
  std::size_t length = std::strlen(text);
  if (length == 0 || length > 9 || std::strspn(text, "0123456789") != length)
    return -1;
  return std::atoi(text);
}

Rank currentRank() {
  static const char *const variables[] = {
      "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK", "MV2_COMM_WORLD_RANK",
      "FLUX_TASK_RANK",       "PALS_RANKID", "RANK",     "SLURM_PROCID"};
  for (const char *variable : variables)
    if (const char *text = std::getenv(variable))
      if (int rank = parseRank(text); rank >= 0)
        return {rank, variable};
  return {};
}

} // namespace gpuinstr
