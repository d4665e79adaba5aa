# What the package and the toolchain file share: where the parts lie, and which plugin fits a clang.
# SPDX-License-Identifier: Apache-2.0
#
# Relocatable: everything is found from this file's own place, LIB/cmake/gpuinstr.

get_filename_component(gpuinstr_LIBRARY_DIR "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(gpuinstr_RUNTIME "${gpuinstr_LIBRARY_DIR}/libgpuinstr_rt.so")

# gpuinstr_plugin_for(VARIABLE MAJOR): the plugin of that LLVM, "" when none was built.
function(gpuinstr_plugin_for variable major)
  set(path "${gpuinstr_LIBRARY_DIR}/libgpuinstr-${major}.so")
  if(NOT EXISTS "${path}")
    set(path "")
  endif()
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()

# gpuinstr_plugin_versions(VARIABLE): the LLVM versions that there are plugins for, newest first.
function(gpuinstr_plugin_versions variable)
  file(GLOB plugins "${gpuinstr_LIBRARY_DIR}/libgpuinstr-*.so")
  set(versions "")
  foreach(plugin IN LISTS plugins)
    if(plugin MATCHES "libgpuinstr-([0-9]+)\\.so$")
      list(APPEND versions ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  set(${variable} "${versions}" PARENT_SCOPE)
endfunction()

# gpuinstr_cccl_include(VARIABLE): where CUDA 13 keeps Thrust and CUB, "" with older toolkits.
function(gpuinstr_cccl_include variable)
  set(${variable} "" PARENT_SCOPE)
  set(roots "${CUDAToolkit_ROOT}" "$ENV{CUDAToolkit_ROOT}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
  find_program(nvcc nvcc NO_CACHE)
  if(nvcc)
    # It may be a script that starts the one of the toolkit, which says where it is.
    execute_process(COMMAND "${nvcc}" --dryrun -E -x cu /dev/null ERROR_VARIABLE said OUTPUT_QUIET)
    if(said MATCHES "#\\$ TOP=([^\r\n]+)")
      list(APPEND roots "${CMAKE_MATCH_1}")
    endif()
  endif()
  foreach(root IN LISTS roots ITEMS /usr/local/cuda)
    if(root AND EXISTS "${root}/include/cccl/thrust")
      get_filename_component(include "${root}/include/cccl" REALPATH)
      set(${variable} "${include}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# gpuinstr_clang_major(VARIABLE COMPILER): the major version of a clang, "" for any other compiler.
function(gpuinstr_clang_major variable compiler)
  set(${variable} "" PARENT_SCOPE)
  execute_process(COMMAND "${compiler}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "clang version ([0-9]+)")
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()
