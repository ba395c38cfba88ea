// DRAGOMAN_HD marks a function that is compiled for the host and, under nvcc, also for the device.
#pragma once

#if defined(__CUDACC__)
#define DRAGOMAN_HD __host__ __device__
#else
#define DRAGOMAN_HD
#endif
