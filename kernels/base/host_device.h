// Marks code of the search that is compiled for the host and, under nvcc, for the device too.
#pragma once

#if defined(__CUDACC__)
#define DRAGOMAN_HD __host__ __device__
#else
#define DRAGOMAN_HD
#endif
