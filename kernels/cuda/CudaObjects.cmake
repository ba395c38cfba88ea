# Objects of .cu files. By commands of their own: CMake 3.25 knows no C++20 for nvcc 13, and needs
# no link step for devices, for every file is whole in itself.
#
#   dragoman_cuda_objects(OUT SOURCES a.cu ... [ARCHS 90a] [FLAGS ...])
#
# Without ARCHS those of DRAGOMAN_CUDA_ARCHS: "90a" is code for sm_90a, "120-virtual" PTX, which a
# driver compiles for later cards. OUT becomes the list of objects, to be named among the
# sources of a target. Beside each object lies what ptxas said of its kernels (OBJECT.ptxas, all of
# them in the global property DRAGOMAN_PTXAS_REPORTS), which tests/gpu reads against its budgets.
# The machine code is packed small, where the compiler can (12.8): every program of the tests has all
# of it.
# Multiply-add is fused in arithmetic; the code of the search says FLAGS -fmad=false.
function(dragoman_cuda_objects out)
  cmake_parse_arguments(PARSE_ARGV 1 CUDA "" "" "SOURCES;ARCHS;FLAGS")
  if(NOT CUDA_ARCHS)
    set(CUDA_ARCHS ${DRAGOMAN_CUDA_ARCHS})
  endif()
  set(targets)
  foreach(arch ${CUDA_ARCHS})
    if(arch MATCHES "^([0-9]+)-virtual$")
      list(APPEND targets -gencode=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1})
    elseif(arch MATCHES "^[0-9]+[af]?$")
      list(APPEND targets -gencode=arch=compute_${arch},code=sm_${arch})
    else()
      message(FATAL_ERROR "DRAGOMAN_CUDA_ARCHS: found '${arch}', expected numbers such as 80, 90a or 120-virtual")
    endif()
  endforeach()
  # What a host compiler of these files must know as well: a debug build's assertions stay out.
  set(host_flags -Xcompiler=-Wall,-Wextra,-ffp-contract=off)
  set(compression)
  if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
    set(compression --compress-mode=size)
  endif()
  # Of another kind of machine (deploy/cross/arm64.cmake).
  set(cross)
  if(CMAKE_CROSSCOMPILING)
    set(cross -ccbin ${CMAKE_CXX_COMPILER} -target-dir sbsa-linux)
  endif()
  set(objects)
  foreach(source ${CUDA_SOURCES})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      BYPRODUCTS ${object}.ptxas
      COMMAND ${PROJECT_SOURCE_DIR}/kernels/cuda/compile.sh ${object}.ptxas
              ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CUDA_COMPILER} -std=c++20 -O3 ${compression}
              --expt-relaxed-constexpr -Werror all-warnings -Xptxas -v ${host_flags} ${cross} ${CUDA_FLAGS}
              ${targets} -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d
              -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/kernels/cuda/compile.sh
      DEPFILE ${object}.d
      COMMENT "Building CUDA object ${source}"
      VERBATIM)
    list(APPEND objects ${object})
    set_property(GLOBAL APPEND PROPERTY DRAGOMAN_PTXAS_REPORTS ${object}.ptxas)
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
