// Launch configurations against CUDA's own headers, and the one list of dependency attributes.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/operands/LaunchConfig.h"
#include <cuda.h>
#include <driver_types.h>
#include <gtest/gtest.h>

using namespace gpuinstr::cuda;

TEST(LaunchConfig, IsTheHeadersOwn) {
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, shared), offsetof(cudaLaunchConfig_t, dynamicSmemBytes));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, stream), offsetof(cudaLaunchConfig_t, stream));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, attributes), offsetof(cudaLaunchConfig_t, attrs));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, count), offsetof(cudaLaunchConfig_t, numAttrs));
  EXPECT_EQ(offsetof(DriverLaunchConfig, shared), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(DriverLaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(DriverLaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(DriverLaunchConfig, count), offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(cudaLaunchAttribute));
}

TEST(LaunchConfig, ThreeAttributesTieALaunchToItsNeighbours) {
  constexpr uint32_t Ours[] = {cudaLaunchAttributeProgrammaticStreamSerialization,
                               cudaLaunchAttributeProgrammaticEvent,
                               cudaLaunchAttributeLaunchCompletionEvent};
  uint32_t listed = 0;
  for (uint32_t id : Ours)
    listed |= 1u << id;
  EXPECT_EQ(listed, DependencyAttributes);
  EXPECT_EQ(listed, 1u << CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION |
                        1u << CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT |
                        1u << CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  LaunchAttribute attributes[2] = {};
  for (uint32_t id = 0; id < 64; ++id) {
    attributes[1].id = id;
    attributes[1].value[0] = 1;
    EXPECT_EQ(isDependentLaunch(attributes, 2), id < 32 && listed >> id & 1) << id;
    EXPECT_FALSE(isDependentLaunch(attributes, 1)) << id;
    attributes[1].value[0] = 0;
    EXPECT_FALSE(isDependentLaunch(attributes, 2)) << id << ": named, and not wanted";
  }
  EXPECT_FALSE(isDependentLaunch(nullptr, 1));
}

TEST(LaunchConfig, WhatAttributesAskForIsReadWhereTheHeadersHaveIt) {
  cudaLaunchAttribute attribute = {};
  auto isDependent = [&] {
    return isDependentLaunch(reinterpret_cast<const LaunchAttribute *>(&attribute), 1);
  };
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  EXPECT_FALSE(isDependent());
  attribute.val.programmaticStreamSerializationAllowed = 1;
  EXPECT_TRUE(isDependent());
  attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticEvent;
  attribute.val.programmaticEvent.triggerAtBlockStart = 1; // of no event
  EXPECT_FALSE(isDependent());
  attribute.val.programmaticEvent.event = reinterpret_cast<cudaEvent_t>(&attribute);
  EXPECT_TRUE(isDependent());
  attribute = {};
  attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
  EXPECT_FALSE(isDependent());
  attribute.val.launchCompletionEvent.event = reinterpret_cast<cudaEvent_t>(&attribute);
  EXPECT_TRUE(isDependent());
}
