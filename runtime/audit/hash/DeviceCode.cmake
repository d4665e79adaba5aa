# The hash kernels as the runtime carries them: machine code where a CUDA toolkit can make it, so that
# the driver has nothing to compile at a program's first verification; PTX where there is none.
# SPDX-License-Identifier: Apache-2.0
set(_ptx "${CMAKE_CURRENT_LIST_DIR}/DeviceHash.ptx") # DeviceHash.sh makes it; a test compares
set(_code "${_ptx}")

set(_hints "${GPUINSTR_CUDA_ROOT}/bin" /usr/local/cuda/bin)
find_program(GPUINSTR_PTXAS ptxas HINTS ${_hints})
find_program(GPUINSTR_FATBINARY fatbinary HINTS ${_hints})
if(GPUINSTR_PTXAS AND GPUINSTR_FATBINARY)
  # What this ptxas knows: CUDA 13 has no sm_70, CUDA 11 no sm_90.
  execute_process(COMMAND ${GPUINSTR_PTXAS} --help OUTPUT_VARIABLE _help ERROR_QUIET)
  set(_commands "")
  set(_images "")
  foreach(_sm 75 80 86 89 90 100 120)
    if(_help MATCHES "'sm_${_sm}'")
      set(_cubin "${CMAKE_CURRENT_BINARY_DIR}/DeviceHash.sm_${_sm}.cubin")
      list(APPEND _commands COMMAND ${GPUINSTR_PTXAS} -arch=sm_${_sm} -o ${_cubin} ${_ptx})
      list(APPEND _images "--image3=kind=elf,sm=${_sm},file=${_cubin}")
    endif()
  endforeach()
  if(_images)
    set(_code "${CMAKE_CURRENT_BINARY_DIR}/DeviceHash.fatbin")
    # Machine code not compressed: half a megabyte more, and the driver loads the kernels 0.3 ms sooner (H200).
    add_custom_command(OUTPUT ${_code} ${_commands}
      COMMAND ${GPUINSTR_FATBINARY} -64 --create=${_code} ${_images}
              "--image3=kind=ptx,sm=75,file=${_ptx}"
      DEPENDS ${_ptx} COMMENT "Assembling the hash kernels" VERBATIM)
  endif()
endif()

set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/DeviceCode.cpp PROPERTIES
  COMPILE_DEFINITIONS "GPUINSTR_DEVICE_CODE=\"${_code}\""
  OBJECT_DEPENDS "${_code}")
