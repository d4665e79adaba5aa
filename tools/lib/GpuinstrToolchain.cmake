# What the parts share: the compiler cache, the optimisation level, and where CUDA and LLVM are.
# SPDX-License-Identifier: Apache-2.0
#
# Sets GPUINSTR_CUDA_ROOT (empty when there is no toolkit), GPUINSTR_CUDA_INCLUDE and
# GPUINSTR_CUDA_LIBRARIES (folders), and LLVM_DIR with the variables of LLVMConfig.cmake.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(GPUINSTR_CCACHE ccache)
  mark_as_advanced(GPUINSTR_CCACHE)
  if(GPUINSTR_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${GPUINSTR_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${GPUINSTR_CCACHE}")
  endif()
endif()

# -O3 buys nothing measurable here and costs compile time.
foreach(language C CXX)
  string(REPLACE "-O3" "-O2" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

# Of the tests' own code; what they test is built as ever. Three quarters of a test's compile were
# optimising it.
set(GPUINSTR_TEST_OPTIONS "$<$<CONFIG:Release>:-O0>")

set(GPUINSTR_TEST_TIMEOUT 60 CACHE STRING "Seconds that a unit test may take; more under a sanitizer")

# Headers that are parsed once for each target: the standard library's take more than half of a compile
# of the runtime, GoogleTest's half of a unit test's.
function(gpuinstr_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$") # it asks for both before it caches such a compile
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CMAKE_CXX_COMPILER_LAUNCHER}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    endif()
  endif()
endfunction()

# Of tests, some sources are compiled as one, too.
function(gpuinstr_speed_up_tests target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GPUINSTR_UNITY} UNITY_BUILD_BATCH_SIZE 4)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>) # fixtures of sources that are compiled as one
  gpuinstr_precompile(${target} <gtest/gtest.h> <string> <vector> ${ARGN})
endfunction()

# CUDA: the variable, the environment, nvcc on PATH, the usual folder; the first that has cuda.h.
set(GPUINSTR_CUDA_ROOT "" CACHE PATH "CUDA toolkit, the folder that holds include/cuda.h")
if(NOT GPUINSTR_CUDA_ROOT)
  set(candidates "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
  find_program(GPUINSTR_NVCC_ON_PATH nvcc)
  mark_as_advanced(GPUINSTR_NVCC_ON_PATH)
  if(GPUINSTR_NVCC_ON_PATH)
    file(REAL_PATH "${GPUINSTR_NVCC_ON_PATH}" nvcc)
    get_filename_component(nvcc "${nvcc}" DIRECTORY)
    get_filename_component(nvcc "${nvcc}" DIRECTORY)
    list(APPEND candidates "${nvcc}")
  endif()
  list(APPEND candidates /usr/local/cuda)
  foreach(candidate IN LISTS candidates)
    if(candidate AND EXISTS "${candidate}/include/cuda.h")
      set(GPUINSTR_CUDA_ROOT "${candidate}" CACHE PATH
          "CUDA toolkit, the folder that holds include/cuda.h" FORCE)
      break()
    endif()
  endforeach()
endif()
if(GPUINSTR_CUDA_ROOT AND NOT EXISTS "${GPUINSTR_CUDA_ROOT}/include/cuda.h")
  message(FATAL_ERROR "GPUINSTR_CUDA_ROOT=${GPUINSTR_CUDA_ROOT} holds no include/cuda.h")
endif()
if(NOT GPUINSTR_CUDA_ROOT)
  message(FATAL_ERROR "No CUDA toolkit found (GPUINSTR_CUDA_ROOT, CUDA_HOME, CUDA_PATH, nvcc on "
                      "PATH, /usr/local/cuda): get one from NVIDIA's developer site")
endif()
set(GPUINSTR_CUDA_INCLUDE "${GPUINSTR_CUDA_ROOT}/include")
if(EXISTS "${GPUINSTR_CUDA_ROOT}/lib64")
  set(GPUINSTR_CUDA_LIBRARIES "${GPUINSTR_CUDA_ROOT}/lib64")
else()
  set(GPUINSTR_CUDA_LIBRARIES "${GPUINSTR_CUDA_ROOT}/lib")
endif()

# LLVM: LLVM_DIR, else the folder where distributions put this major version.
if(NOT LLVM_DIR)
  foreach(prefix /usr/lib/llvm-${GPUINSTR_LLVM_MAJOR} /usr/lib64/llvm${GPUINSTR_LLVM_MAJOR}
          /usr/lib/llvm/${GPUINSTR_LLVM_MAJOR} /opt/llvm-${GPUINSTR_LLVM_MAJOR})
    foreach(lib lib lib64)
      if(NOT LLVM_DIR AND EXISTS "${prefix}/${lib}/cmake/llvm/LLVMConfig.cmake")
        set(LLVM_DIR "${prefix}/${lib}/cmake/llvm" CACHE PATH "Folder of LLVMConfig.cmake" FORCE)
      endif()
    endforeach()
  endforeach()
endif()
find_package(LLVM REQUIRED CONFIG)
if(LLVM_VERSION_MAJOR LESS 19 OR LLVM_VERSION_MAJOR GREATER 22)
  message(FATAL_ERROR "LLVM ${LLVM_PACKAGE_VERSION} found in ${LLVM_DIR}: 19 to 22 are supported")
endif()

message(STATUS "gpuinstr: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
message(STATUS "gpuinstr: CUDA in ${GPUINSTR_CUDA_ROOT}")
