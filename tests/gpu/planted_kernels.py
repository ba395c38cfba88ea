"""Kernels that break the rules of the gates, which their tests compile."""

# Spills with -maxrregcount=24, and not with 255.
SPILLS = '''
    __global__ void Spills(const float* in, float* out) {
      float x[96];
      for (int i = 0; i < 96; ++i) x[i] = in[i * blockDim.x + threadIdx.x];
      __syncthreads();
      for (int i = 0; i < 96; ++i) out[i * blockDim.x + threadIdx.x] = x[i] * x[95 - i];
    }'''
