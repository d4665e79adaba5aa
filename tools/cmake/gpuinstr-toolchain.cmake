# Turns a whole project over: cmake -DCMAKE_TOOLCHAIN_FILE=.../gpuinstr-toolchain.cmake
# SPDX-License-Identifier: Apache-2.0
#
# GPUINSTR_CUDA_FRONTEND=clang|nvcc (clang): who compiles CUDA; under nvcc clang is its host compiler.
# Where CMAKE_CUDA_COMPILER names nvcc it is nvcc.
# GPUINSTR_CLANG=PATH: the clang++ to use; else the one of the newest plugin.
# GPUINSTR_SIMULATE=ON: for `gpuinstr run --simulate`: kernels carry code for the host (clang), and CUDA's runtime is the
# shared one.
# What the user chose (CMAKE_CUDA_ARCHITECTURES, CUDAARCHS) stands.

include("${CMAKE_CURRENT_LIST_DIR}/gpuinstrFunctions.cmake")

# find_package(gpuinstr) finds the package that this file is of.
if(NOT gpuinstr_DIR)
  set(gpuinstr_DIR "${CMAKE_CURRENT_LIST_DIR}" CACHE PATH "Folder of gpuinstrConfig.cmake" FORCE)
endif()
set(_gpuinstr_nvcc FALSE)
if("${CMAKE_CUDA_COMPILER}" MATCHES "(^|/)nvcc$")
  set(_gpuinstr_nvcc TRUE)
  if(NOT DEFINED GPUINSTR_CUDA_FRONTEND)
    set(GPUINSTR_CUDA_FRONTEND nvcc CACHE STRING "Who compiles CUDA: clang or nvcc")
  endif()
endif()
set(GPUINSTR_CUDA_FRONTEND clang CACHE STRING "Who compiles CUDA: clang or nvcc")
set(GPUINSTR_CLANG "" CACHE FILEPATH "The clang++ to use, \"\" the one of the newest plugin")
option(GPUINSTR_SIMULATE "Build for gpuinstr run --simulate" OFF)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPUINSTR_CUDA_FRONTEND GPUINSTR_CLANG GPUINSTR_SIMULATE)
if(NOT GPUINSTR_CUDA_FRONTEND MATCHES "^(clang|nvcc)$")
  message(FATAL_ERROR "GPUINSTR_CUDA_FRONTEND=${GPUINSTR_CUDA_FRONTEND}: expected clang or nvcc")
elseif(GPUINSTR_CUDA_FRONTEND STREQUAL clang AND _gpuinstr_nvcc)
  message(FATAL_ERROR "GPUINSTR_CUDA_FRONTEND=clang, but CMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}: give one of them")
endif()

set(_gpuinstr_clang "${GPUINSTR_CLANG}")
if(NOT _gpuinstr_clang)
  gpuinstr_plugin_versions(_gpuinstr_versions)
  if(NOT _gpuinstr_versions)
    message(FATAL_ERROR "gpuinstr: no plugin in ${gpuinstr_LIBRARY_DIR}: build or install gpuinstr for your LLVM")
  endif()
  foreach(_major IN LISTS _gpuinstr_versions)
    find_program(_gpuinstr_found NAMES clang++-${_major} PATHS /usr/lib/llvm-${_major}/bin
                 /usr/lib64/llvm${_major}/bin NO_CACHE)
    if(_gpuinstr_found)
      set(_gpuinstr_clang "${_gpuinstr_found}")
      break()
    endif()
  endforeach()
  if(NOT _gpuinstr_clang)
    message(FATAL_ERROR "gpuinstr: no clang++ for the plugins in ${gpuinstr_LIBRARY_DIR} "
                        "(LLVM ${_gpuinstr_versions}): install it or set GPUINSTR_CLANG")
  endif()
endif()
gpuinstr_clang_major(_gpuinstr_major "${_gpuinstr_clang}")
gpuinstr_plugin_for(_gpuinstr_plugin "${_gpuinstr_major}")
if(NOT _gpuinstr_plugin)
  message(FATAL_ERROR "gpuinstr: no plugin for ${_gpuinstr_clang} (clang ${_gpuinstr_major}) in "
                      "${gpuinstr_LIBRARY_DIR}")
endif()

# clang beside clang++, for plain C.
get_filename_component(_gpuinstr_real "${_gpuinstr_clang}" REALPATH)
get_filename_component(_gpuinstr_bin "${_gpuinstr_real}" DIRECTORY)
set(CMAKE_CXX_COMPILER "${_gpuinstr_clang}")
if(EXISTS "${_gpuinstr_bin}/clang")
  set(CMAKE_C_COMPILER "${_gpuinstr_bin}/clang")
endif()
set(CMAKE_C_FLAGS_INIT "-fplugin=${_gpuinstr_plugin}")
set(CMAKE_CXX_FLAGS_INIT "-fplugin=${_gpuinstr_plugin}")
if(GPUINSTR_CUDA_FRONTEND STREQUAL clang)
  set(CMAKE_CUDA_COMPILER "${_gpuinstr_clang}")
  set(CMAKE_CUDA_FLAGS_INIT "-fplugin=${_gpuinstr_plugin} -Wno-unknown-cuda-version")
  # CUDA 13 has Thrust and CUB in a folder that only nvcc searches by itself.
  gpuinstr_cccl_include(_gpuinstr_cccl)
  if(_gpuinstr_cccl)
    string(APPEND CMAKE_CUDA_FLAGS_INIT " -isystem ${_gpuinstr_cccl}")
  endif()
  if(GPUINSTR_SIMULATE)
    string(APPEND CMAKE_CUDA_FLAGS_INIT " -fplugin-arg-gpuinstr-simulate")
  endif()
  # CMake tries clang with sm_52 and older alone, which CUDA 13 refuses.
  set(CMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST "--cuda-gpu-arch=sm_75 -Wno-unknown-cuda-version")
else()
  set(CMAKE_CUDA_HOST_COMPILER "${_gpuinstr_clang}")
  set(CMAKE_CUDA_FLAGS_INIT "-allow-unsupported-compiler -Xcompiler=-fplugin=${_gpuinstr_plugin}")
endif()
if(GPUINSTR_SIMULATE)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
endif()
# clang's own default is older than what CUDA 13 takes.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 75 CACHE STRING "GPU architectures")
endif()
