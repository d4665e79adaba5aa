// Reading graphs: lists of nodes and edges, attributes of nodes, DOT files.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/GraphQuery.h"

#include <algorithm>
#include <cstdio>

namespace gpuinstr::sim {

namespace {

CUresult give(const std::vector<CUgraphNode> &all, CUgraphNode *out, size_t *count) {
  if (!out) {
    *count = all.size();
    return CUDA_SUCCESS;
  }
  size_t written = std::min(*count, all.size());
  std::copy_n(all.begin(), written, out);
  std::fill(out + written, out + *count, nullptr);
  *count = written;
  return CUDA_SUCCESS;
}

bool isKernelNode(CUgraphNode node) {
  return isNode(node) && std::holds_alternative<KernelOp>(node->work);
}

} // namespace

CUresult listNodes(CUgraph graph, bool rootsOnly, CUgraphNode *out, size_t *count) {
  Lock l(state().m);
  if (!count || !isGraph(graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> all;
  for (auto &node : graph->nodes)
    if (!rootsOnly || node->deps.empty())
      all.push_back(node.get());
  return give(all, out, count);
}

CUresult listEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  Lock l(state().m);
  if (!count || !isGraph(graph) || !from != !to)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> starts, ends;
  for (auto &node : graph->nodes)
    for (CUgraphNode next : node->dependents) {
      starts.push_back(node.get());
      ends.push_back(next);
    }
  size_t room = *count;
  CUresult r = give(starts, from, count);
  return to ? give(ends, to, &room) : r;
}

CUresult listNeighbours(CUgraphNode node, bool before, CUgraphNode *out, size_t *count) {
  Lock l(state().m);
  if (!count || !isNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  return give(before ? node->deps : node->dependents, out, count);
}

CUresult checkExec(CUgraphExec exec) {
  Lock l(state().m);
  return isExec(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult trimGraphMemory(int ordinal) {
  return isDevice(state(), ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult copyNodeAttributes(CUgraphNode dst, CUgraphNode src) {
  Lock l(state().m);
  if (!isKernelNode(dst) || !isKernelNode(src))
    return CUDA_ERROR_INVALID_VALUE;
  dst->attributes = src->attributes;
  return CUDA_SUCCESS;
}

CUresult getNodeAttribute(CUgraphNode node, int attr, CUlaunchAttributeValue *out) {
  Lock l(state().m);
  if (!out || !isKernelNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  *out = node->attributes[attr];
  return CUDA_SUCCESS;
}

CUresult setNodeAttribute(CUgraphNode node, int attr, const CUlaunchAttributeValue *value) {
  Lock l(state().m);
  if (!value || !isKernelNode(node))
    return CUDA_ERROR_INVALID_VALUE;
  node->attributes[attr] = *value;
  return CUDA_SUCCESS;
}

CUresult printDot(CUgraph graph, const char *path) {
  Lock l(state().m);
  if (!path || !isGraph(graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::FILE *file = std::fopen(path, "w");
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(file, "digraph dot {\n");
  for (auto &node : graph->nodes) {
    std::fprintf(file, "\"node_%p\" [label=\"type %d\"];\n", static_cast<void *>(node.get()),
                 static_cast<int>(nodeType(*node)));
    for (CUgraphNode next : node->dependents)
      std::fprintf(file, "\"node_%p\" -> \"node_%p\";\n", static_cast<void *>(node.get()),
                   static_cast<void *>(next));
  }
  std::fprintf(file, "}\n");
  std::fclose(file);
  return CUDA_SUCCESS;
}

CUresult graphMemAttribute(int ordinal, CUgraphMem_attribute attr, void *out) {
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!out || attr < CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT ||
      attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t bytes = 0;
  for (auto &entry : s.allocations)
    if (entry.second.graph && entry.second.device == ordinal)
      bytes += entry.second.size;
  *static_cast<uint64_t *>(out) = bytes;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
