# kernels/cuda/types.cmake — type.cu, compiled once for each type that a matrix may have on a card.
#
# The types are the rows of kernels/dtype_table.h.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/../dtype_table.h)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../dtype_table.h TYPE_ROWS)
string(REGEX MATCHALL "\n +X\\([A-Z0-9_]+, " TYPE_ROWS "${TYPE_ROWS}")
if(NOT TYPE_ROWS)
  message(FATAL_ERROR "kernels/dtype_table.h has no row that could be read")
endif()
set(TYPE_OBJECTS)
foreach(row ${TYPE_ROWS})
  string(REGEX REPLACE ".*X\\(([A-Z0-9_]+), " "\\1" type ${row})
  if(NOT type STREQUAL "BF16") # fp16 on the card
    add_library(kernels_${type} OBJECT ${CMAKE_CURRENT_LIST_DIR}/type.cu)
    target_compile_definitions(kernels_${type} PRIVATE TYPE_ID=${type} _GNU_SOURCE)
    target_include_directories(kernels_${type} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/../..)
    target_link_libraries(kernels_${type} PRIVATE CUDA::cudart_static CUDA::cublasLt)
    list(APPEND TYPE_OBJECTS $<TARGET_OBJECTS:kernels_${type}>)
  endif()
endforeach()
