// Which copies of a graph come before all that it calls of the host, captured or added by hand.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/ordering/GraphWork.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr int Detach = -1000000; ///< what is captured next comes behind other nodes

/// What is captured: copies and host functions, by their streams, the latter below zero.
std::vector<bool> beforeHost(const std::vector<int> &captured) {
  audit::GraphWork work;
  gpuinstr_site site = {};
  gpuinstr_frame frame = {};
  cuda::CallOperands operands;
  operands.frame = &frame;
  Call call{operands, site, *thisThread(), 0, 0, 0, false};
  for (int stream : captured) {
    if (stream == Detach) {
      work.noteEdgesRemoved();
    } else if (stream < 0) {
      work.noteHostFunction(uint64_t(-stream));
    } else {
      operands.stream = uint64_t(stream);
      work.copies.emplace_back(call, operands);
    }
  }
  std::vector<bool> answers;
  for (const audit::GraphCopy &copy : work.copies)
    answers.push_back(work.isBeforeHost(copy));
  return answers;
}

TEST(GraphNodes, CopiesBeforeHostFunctionsOfTheirStream) {
  using Answers = std::vector<bool>;
  EXPECT_EQ(beforeHost({100, 200}), (Answers{true, true})) << "no host function";
  EXPECT_EQ(beforeHost({100, -100, 100}), (Answers{true, false}));
  EXPECT_EQ(beforeHost({100, 100, -100, -100, 100}), (Answers{true, true, false}));
  EXPECT_EQ(beforeHost({200, 100, -100}), (Answers{false, true})) << "beside it";
  EXPECT_EQ(beforeHost({100, -200, 100}), (Answers{false, false}));
  EXPECT_EQ(beforeHost({100, -100, -200}), (Answers{false})) << "nor before the other one";
  EXPECT_EQ(beforeHost({100, -200, -100}), (Answers{false}));
  EXPECT_EQ(beforeHost({2, -2}), (Answers{false})) << "a stream of each thread";
  EXPECT_EQ(beforeHost({0, -0x7ff0}), (Answers{false}));
  audit::GraphWork work;
  work.noteHostFunction(0); // added by hand
  work.noteHostFunction(100);
  EXPECT_TRUE(work.beforeHost.none());
}

/// Nodes that are added by hand, each behind others; a copy's number is its node's.
struct ByHand {
  audit::GraphWork work;
  using Nodes = std::vector<uint64_t>;
  audit::GraphWork::CopySet behind(const Nodes &nodes) const {
    return work.copiesBehind(nodes.data(), nodes.size());
  }
  void copy(uint64_t node, const Nodes &nodes = {}) {
    gpuinstr_site site = {};
    gpuinstr_frame frame = {};
    cuda::CallOperands operands;
    operands.frame = &frame;
    auto ended = behind(nodes);
    ended.set(work.copies.size());
    work.copies.emplace_back(Call{operands, site, *thisThread(), 0, 0, 0, false}, operands);
    work.noteNode(node, ended);
  }
  void kernel(uint64_t node, const Nodes &nodes) { work.noteNode(node, behind(nodes)); }
  void host(const Nodes &nodes) { work.noteHost(behind(nodes)); }
  std::string before() const {
    std::string answers;
    for (const audit::GraphCopy &copy : work.copies)
      answers += work.isBeforeHost(copy) ? 'y' : 'n';
    return answers;
  }
};

TEST(GraphNodes, CopiesThatNodesOfTheHostComeBehind) {
  ByHand graph;
  graph.copy(10);
  graph.copy(11);
  graph.kernel(20, {10, 11});
  graph.copy(12, {20});
  EXPECT_EQ(graph.before(), "yyy") << "no host function";
  graph.host({20});
  EXPECT_EQ(graph.before(), "yyn");
  graph.host({11, 999}); // of which nothing is known
  EXPECT_EQ(graph.before(), "nyn");
  graph.host({});
  EXPECT_EQ(graph.before(), "nnn");
}

TEST(GraphNodes, OfEdgesThatAreTakenAwayNothingIsKnown) {
  ByHand graph;
  graph.copy(10);
  graph.host({10});
  EXPECT_EQ(graph.before(), "y");
  graph.work.noteEdgesRemoved();
  EXPECT_EQ(graph.before(), "n");
  ByHand later;
  later.copy(10);
  later.work.noteEdgesRemoved();
  EXPECT_EQ(later.before(), "y") << "there is no host function yet";
  later.copy(11);
  later.host({10, 11});
  EXPECT_EQ(later.before(), "nn");
  EXPECT_EQ(beforeHost({100, -100}), std::vector<bool>{true});
  EXPECT_EQ(beforeHost({100, Detach, -100}), std::vector<bool>{false}) << "of a capture";
}

TEST(GraphNodes, GraphsWithinGraphsBringTheirCopies) {
  ByHand inner, outer;
  inner.copy(10);
  inner.host({10});
  inner.copy(11);
  outer.copy(20);
  outer.copy(21);
  outer.work.noteNode(30, outer.work.addGraph(inner.work, outer.behind({21})));
  EXPECT_EQ(outer.before(), "nyyn");
  outer.host({30});
  EXPECT_EQ(outer.before(), "nyyn");
}

TEST(GraphNodes, WhatIsChangedInAGraphThatNobodySawMayBeWithinOne) {
  audit::GraphWorks works;
  works.created(100);
  works.created(101);
  ByHand inner;
  inner.copy(10);
  works.graph(100)->addGraph(inner.work, {});
  works.heldChanged();
  EXPECT_TRUE(works.graph(100)->hostRuns);
  EXPECT_FALSE(works.graph(100)->isBeforeHost(works.graph(100)->copies[0]));
  EXPECT_FALSE(works.graph(101)->hostRuns) << "it holds none";
}

TEST(GraphNodes, NodesAreBounded) {
  ByHand graph;
  graph.copy(1);
  for (uint64_t node = 2; node < 5000; ++node)
    graph.kernel(node, {1});
  EXPECT_LE(graph.work.nodes.size(), 1024u);
  graph.host({4999});
  EXPECT_EQ(graph.before(), "n");
  for (uint64_t node = 5000; node < 5400; ++node)
    if (graph.work.copies.size() < audit::GraphWork::MostCopies)
      graph.copy(node);
  ByHand outer;
  outer.copy(1);
  outer.work.addGraph(graph.work, {});
  EXPECT_EQ(outer.work.copies.size(), audit::GraphWork::MostCopies);
}

TEST(GraphNodes, AClonesNodesAreOthers) {
  audit::GraphWorks works;
  works.created(100);
  works.graph(100)->noteNode(7, 1);
  works.cloned(101, 100);
  EXPECT_TRUE(works.graph(101)->nodes.empty());
  EXPECT_EQ(works.graph(100)->nodes.size(), 1u);
}

} // namespace
