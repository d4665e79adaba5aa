// The rank of this process under an MPI or batch launcher.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_RANK_H
#define GPUINSTR_BASE_RANK_H

#include <string>

namespace gpuinstr {

struct Rank {
  int rank = -1;      ///< -1: no launcher
  std::string source; ///< the variable it came from, "" none
};

/// Reads OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, MV2_COMM_WORLD_RANK, FLUX_TASK_RANK,
/// PALS_RANKID, RANK, SLURM_PROCID, in that order; one that holds no number is passed over. A plain
/// shell in a Slurm job has SLURM_PROCID=0 and so rank 0, which prints.
Rank currentRank();

/// Only rank 0, or a process without a launcher, prints to stderr; every rank writes its files.
inline bool printsToStderr(const Rank &rank) { return rank.rank <= 0; }

} // namespace gpuinstr

#endif
