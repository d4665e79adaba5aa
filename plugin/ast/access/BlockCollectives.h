// Cooperative groups of a block and below, CUB's collectives of a block or a warp.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_BLOCKCOLLECTIVES_H
#define GPUINSTR_PLUGIN_AST_ACCESS_BLOCKCOLLECTIVES_H

#include <cstdint>

namespace clang {
class FunctionDecl;
class ParmVarDecl;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// Such a function waits for threads of its own block alone, calls no code of the program but
/// operators that do nothing but compute, and touches no memory but that of its arguments and of
/// the block. By allow-list: groups that may span blocks (grid_group, cluster_group, thread_group)
/// are not in it, nor is what waits for asynchronous copies.
bool isBlockCollective(const clang::FunctionDecl &F, KernelAccess &Whole);

/// Whether such a function leaves what it gets for a parameter by reference as it is. Cooperative
/// groups do, whatever the type says: `reduce(tile, x[i], …)` deduces `float &`.
bool collectiveOnlyReads(const clang::ParmVarDecl &P, const clang::FunctionDecl &F);

/// What CUB's functions that load and store do through the pointer that they get: gpuinstr_access,
/// 0 for every other parameter.
uint8_t collectiveAccess(const clang::ParmVarDecl &P, const clang::FunctionDecl &F);

/// Memory of the program, shared or global, in which a group's later exchanges take place
/// (block_tile_memory).
bool isScratch(const clang::ParmVarDecl &P);

/// `tile.thread_rank()`, `block.num_threads()`: the same whenever a thread asks a group of that
/// type. Who is in a coalesced_group memory may decide.
bool isGroupShape(const clang::FunctionDecl &F, KernelAccess &Whole);
/// Above zero, and the same whenever a thread asks that group.
bool isGroupSize(const clang::FunctionDecl &F, KernelAccess &Whole);

} // namespace gpuinstr

#endif
