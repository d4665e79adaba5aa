// Reading graphs: lists of nodes and edges, attributes of nodes, DOT files.
// SPDX-License-Identifier: Apache-2.0
#include "device/graph/GraphQuery.h"

#include <algorithm>
#include <cstdio>

namespace gpuinstr::sim {

namespace {

CUresult give(const std::vector<CUgraphNode> &All, CUgraphNode *Out, size_t *Count) {
  if (!Out) {
    *Count = All.size();
    return CUDA_SUCCESS;
  }
  size_t Written = std::min(*Count, All.size());
  std::copy_n(All.begin(), Written, Out);
  std::fill(Out + Written, Out + *Count, nullptr);
  *Count = Written;
  return CUDA_SUCCESS;
}

bool isKernelNode(CUgraphNode Node) {
  return isNode(Node) && std::holds_alternative<KernelOp>(Node->Work);
}

} // namespace

CUresult listNodes(CUgraph Graph, bool RootsOnly, CUgraphNode *Out, size_t *Count) {
  Lock L(state().M);
  if (!Count || !isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> All;
  for (auto &Node : Graph->Nodes)
    if (!RootsOnly || Node->Deps.empty())
      All.push_back(Node.get());
  return give(All, Out, Count);
}

CUresult listEdges(CUgraph Graph, CUgraphNode *From, CUgraphNode *To, size_t *Count) {
  Lock L(state().M);
  if (!Count || !isGraph(Graph) || !From != !To)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<CUgraphNode> Starts, Ends;
  for (auto &Node : Graph->Nodes)
    for (CUgraphNode Next : Node->Dependents) {
      Starts.push_back(Node.get());
      Ends.push_back(Next);
    }
  size_t Room = *Count;
  CUresult R = give(Starts, From, Count);
  return To ? give(Ends, To, &Room) : R;
}

CUresult listNeighbours(CUgraphNode Node, bool Before, CUgraphNode *Out, size_t *Count) {
  Lock L(state().M);
  if (!Count || !isNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  return give(Before ? Node->Deps : Node->Dependents, Out, Count);
}

CUresult checkExec(CUgraphExec Exec) {
  Lock L(state().M);
  return isExec(Exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult trimGraphMemory(int Ordinal) {
  return isDevice(state(), Ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult copyNodeAttributes(CUgraphNode Dst, CUgraphNode Src) {
  Lock L(state().M);
  if (!isKernelNode(Dst) || !isKernelNode(Src))
    return CUDA_ERROR_INVALID_VALUE;
  Dst->Attributes = Src->Attributes;
  return CUDA_SUCCESS;
}

CUresult getNodeAttribute(CUgraphNode Node, int Attr, CUlaunchAttributeValue *Out) {
  Lock L(state().M);
  if (!Out || !isKernelNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Node->Attributes[Attr];
  return CUDA_SUCCESS;
}

CUresult setNodeAttribute(CUgraphNode Node, int Attr, const CUlaunchAttributeValue *Value) {
  Lock L(state().M);
  if (!Value || !isKernelNode(Node))
    return CUDA_ERROR_INVALID_VALUE;
  Node->Attributes[Attr] = *Value;
  return CUDA_SUCCESS;
}

CUresult printDot(CUgraph Graph, const char *Path) {
  Lock L(state().M);
  if (!Path || !isGraph(Graph))
    return CUDA_ERROR_INVALID_VALUE;
  std::FILE *File = std::fopen(Path, "w");
  if (!File)
    return CUDA_ERROR_OPERATING_SYSTEM;
  std::fprintf(File, "digraph dot {\n");
  for (auto &Node : Graph->Nodes) {
    std::fprintf(File, "\"node_%p\" [label=\"type %d\"];\n", static_cast<void *>(Node.get()),
                 static_cast<int>(nodeType(*Node)));
    for (CUgraphNode Next : Node->Dependents)
      std::fprintf(File, "\"node_%p\" -> \"node_%p\";\n", static_cast<void *>(Node.get()),
                   static_cast<void *>(Next));
  }
  std::fprintf(File, "}\n");
  std::fclose(File);
  return CUDA_SUCCESS;
}

CUresult graphMemAttribute(int Ordinal, CUgraphMem_attribute Attr, void *Out) {
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!Out || Attr < CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT ||
      Attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t Bytes = 0;
  for (auto &Entry : S.Allocations)
    if (Entry.second.Graph && Entry.second.Device == Ordinal)
      Bytes += Entry.second.Size;
  *static_cast<uint64_t *>(Out) = Bytes;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
