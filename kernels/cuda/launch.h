// Streams and errors as CUDA has them, without its headers: so that contract headers and the engine
// compile where there is no CUDA. What is declared in namespace cuda is defined only in builds with
// it (DRAGOMAN_HAVE_CUDA).
//
// A launcher puts its kernels on a stream and returns; it checks the launch, not what becomes of
// it. Pointers are device pointers unless their comment says otherwise. No launcher allocates or
// waits, so that each can be captured into a graph.
#pragma once

struct CUstream_st;

namespace dragoman::cuda {

using Stream = CUstream_st*;  // cudaStream_t

// The value of a cudaError_t; 0 is success.
enum class [[nodiscard]] Error : int{kNone = 0};

// CUDA's name and text of an error.
const char* ErrorText(Error error);

}  // namespace dragoman::cuda
