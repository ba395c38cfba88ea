# A CMake toolchain: compiles for 64-bit ARM on a machine of another kind, with Debian's cross compiler
# and the libraries of a sysroot that deploy/cross/sysroot.sh makes. What runs on the way (protoc and
# gRPC's plugin) is the host's; what is built runs under qemu-user, in ctest too.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(build "${CMAKE_CURRENT_LIST_DIR}/../../build" ABSOLUTE)
set(CMAKE_SYSROOT "${build}/arm64-sysroot")
if(NOT EXISTS "${CMAKE_SYSROOT}/usr/include")
  message(FATAL_ERROR "${CMAKE_SYSROOT} is not there: make it with deploy/cross/sysroot.sh")
endif()

set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
# With DRAGOMAN_CUDA=ON CUDACXX is the nvcc of a toolkit for this machine that has NVIDIA's libraries for ARM servers
# (its package cuda-cross-sbsa). CMake 3.25 does not know their place.
if(DEFINED ENV{CUDACXX})
  get_filename_component(cuda "$ENV{CUDACXX}/../.." ABSOLUTE)
  list(APPEND CMAKE_FIND_ROOT_PATH "${cuda}/targets/sbsa-linux")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${CMAKE_SYSROOT}")
