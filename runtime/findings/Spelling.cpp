// What calls and types say by the way they are spelled.
// SPDX-License-Identifier: Apache-2.0
#include "findings/Spelling.h"
#include <cstring>
#include <unordered_map>

namespace gpuinstr {

std::string copySource(const gpuinstr_site *site) {
  // Where the entry points have their source: cudaMemcpyPeer names the device between.
  unsigned at = 0;
  if (site && site->op == GPUINSTR_OP_COPY)
    at = std::strstr(site->callee, "Peer") ? 2 : 1;
  else if (site && site->op == GPUINSTR_OP_COPY_2D)
    at = 2;
  else if (site && site->op == GPUINSTR_OP_COPY_SYMBOL)
    at = 1;
  return at && at < site->num_arguments && site->arguments ? site->arguments[at] : "";
}

uint64_t typeSize(const std::string &type) {
  static const std::unordered_map<std::string, uint64_t> *sizes =
      new std::unordered_map<std::string, uint64_t>{
          {"char", 1},           {"signed char", 1},   {"unsigned char", 1},
          {"bool", 1},           {"int8_t", 1},        {"uint8_t", 1},
          {"std::byte", 1},      {"short", 2},         {"int16_t", 2},
          {"unsigned short", 2}, {"uint16_t", 2},      {"__half", 2},
          {"half", 2},           {"__nv_bfloat16", 2}, {"int", 4},
          {"unsigned", 4},       {"float", 4},         {"unsigned int", 4},
          {"int32_t", 4},        {"uint32_t", 4},      {"long", 8},
          {"unsigned long", 8},  {"long long", 8},     {"int64_t", 8},
          {"uint64_t", 8},       {"double", 8},        {"unsigned long long", 8},
          {"size_t", 8},         {"std::size_t", 8},   {"float2", 8},
          {"float3", 12},        {"float4", 16},       {"double2", 16},
          {"double3", 24},       {"double4", 32},      {"int2", 8},
          {"int3", 12},          {"int4", 16},         {"uint2", 8},
          {"uint3", 12},         {"uint4", 16},        {"uchar4", 4},
          {"cufftComplex", 8},   {"cuComplex", 8},     {"cuDoubleComplex", 16}};
  auto it = sizes->find(type.compare(0, 6, "const ") == 0 ? type.substr(6) : type);
  return it == sizes->end() ? 0 : it->second;
}

} // namespace gpuinstr
