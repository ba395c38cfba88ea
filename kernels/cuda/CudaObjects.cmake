# Objects of .cu files. By commands of their own: CMake 3.25 knows no C++20 for nvcc 13, and needs
# no link step for devices, for every file is whole in itself.
#
#   dragoman_cuda_objects(OUT SOURCES a.cu ... [ARCHS 90a] [FLAGS ...])
#
# Without ARCHS those of DRAGOMAN_CUDA_ARCHS. OUT becomes the list of objects, to be named among the
# sources of a target. Beside each object lies what ptxas said of its kernels (OBJECT.ptxas, all of
# them in the global property DRAGOMAN_PTXAS_REPORTS), which tests/gpu reads against its budgets.
# Multiply-add is fused in arithmetic; the code of the search says FLAGS -fmad=false.
function(dragoman_cuda_objects out)
  cmake_parse_arguments(PARSE_ARGV 1 CUDA "" "" "SOURCES;ARCHS;FLAGS")
  if(NOT CUDA_ARCHS)
    set(CUDA_ARCHS ${DRAGOMAN_CUDA_ARCHS})
  endif()
  set(targets)
  foreach(arch ${CUDA_ARCHS})
    list(APPEND targets -gencode=arch=compute_${arch},code=sm_${arch})
  endforeach()
  # What a host compiler of these files must know as well: a debug build's assertions stay out.
  set(host_flags -Xcompiler=-Wall,-Wextra,-ffp-contract=off)
  set(objects)
  foreach(source ${CUDA_SOURCES})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      BYPRODUCTS ${object}.ptxas
      COMMAND ${CMAKE_SOURCE_DIR}/kernels/cuda/compile.sh ${object}.ptxas
              ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CUDA_COMPILER} -std=c++20 -O3
              --expt-relaxed-constexpr -Werror all-warnings -Xptxas -v ${host_flags} ${CUDA_FLAGS}
              ${targets} -I${CMAKE_SOURCE_DIR} -MD -MF ${object}.d
              -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} ${CMAKE_SOURCE_DIR}/kernels/cuda/compile.sh
      DEPFILE ${object}.d
      COMMENT "Building CUDA object ${source}"
      VERBATIM)
    list(APPEND objects ${object})
    set_property(GLOBAL APPEND PROPERTY DRAGOMAN_PTXAS_REPORTS ${object}.ptxas)
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
