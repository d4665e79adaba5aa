// Defines the _ptds and _ptsz twins of entry points: the same call with stream 0 meaning the
// thread's own default stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/Call.h"

#include <tuple>

namespace gpuinstr::sim {

template <typename F> struct Signature;
template <typename R, typename... A> struct Signature<R(A...)> {
  using Result = R;
  template <size_t N> using Arg = std::tuple_element_t<N, std::tuple<A...>>;
};

} // namespace gpuinstr::sim

#define SIM_RESULT(F) gpuinstr::sim::Signature<decltype(F)>::Result
#define SIM_ARG(F, N) gpuinstr::sim::Signature<decltype(F)>::Arg<N> A##N
#define SIM_PARAMS_1(F) SIM_ARG(F, 0)
#define SIM_PARAMS_2(F) SIM_PARAMS_1(F), SIM_ARG(F, 1)
#define SIM_PARAMS_3(F) SIM_PARAMS_2(F), SIM_ARG(F, 2)
#define SIM_PARAMS_4(F) SIM_PARAMS_3(F), SIM_ARG(F, 3)
#define SIM_PARAMS_5(F) SIM_PARAMS_4(F), SIM_ARG(F, 4)
#define SIM_PARAMS_6(F) SIM_PARAMS_5(F), SIM_ARG(F, 5)
#define SIM_PARAMS_7(F) SIM_PARAMS_6(F), SIM_ARG(F, 6)
#define SIM_PARAMS_8(F) SIM_PARAMS_7(F), SIM_ARG(F, 7)
#define SIM_PARAMS_9(F) SIM_PARAMS_8(F), SIM_ARG(F, 8)
#define SIM_PARAMS_10(F) SIM_PARAMS_9(F), SIM_ARG(F, 9)
#define SIM_PARAMS_11(F) SIM_PARAMS_10(F), SIM_ARG(F, 10)
#define SIM_VALUES_1 A0
#define SIM_VALUES_2 SIM_VALUES_1, A1
#define SIM_VALUES_3 SIM_VALUES_2, A2
#define SIM_VALUES_4 SIM_VALUES_3, A3
#define SIM_VALUES_5 SIM_VALUES_4, A4
#define SIM_VALUES_6 SIM_VALUES_5, A5
#define SIM_VALUES_7 SIM_VALUES_6, A6
#define SIM_VALUES_8 SIM_VALUES_7, A7
#define SIM_VALUES_9 SIM_VALUES_8, A8
#define SIM_VALUES_10 SIM_VALUES_9, A9
#define SIM_VALUES_11 SIM_VALUES_10, A10

/// Defines \p twin, which calls \p f (of \p count parameters) for the per-thread default stream.
#define SIM_PER_THREAD(Twin, F, Count)                                                             \
  extern "C" SIM_RESULT(F) Twin(SIM_PARAMS_##Count(F)) {                                           \
    gpuinstr::sim::PerThreadDefault Scope;                                                         \
    return F(SIM_VALUES_##Count);                                                                  \
  }
