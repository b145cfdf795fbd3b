# kernels/cuda/code_of_80.cmake — for tests under the limits of another card: kernels as compute
# capability 8.0 has them, without dependent launches, as machine code for CMAKE_CUDA_ARCHITECTURES.
#
# flash_hopper.cu keeps its own architecture: it is launched on cards of 9.0 only.
option(QUIRE_CUDA_AS_80 "Tests: compile the kernels as for compute capability 8.0" OFF)
if(QUIRE_CUDA_AS_80)
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL native)
    set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
  endif()
  set(CODES)
  foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
    string(REGEX MATCH "^[0-9]+" number ${architecture})
    list(APPEND CODES -gencode=arch=compute_80,code=sm_${number})
  endforeach()
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  set(IS_HOPPER $<STREQUAL:$<TARGET_PROPERTY:CUDA_ARCHITECTURES>,90a>)
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:${IS_HOPPER}>>:${CODES}>")
endif()
