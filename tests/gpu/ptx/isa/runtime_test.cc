// Tests the forms whose cases need the runtime: copies of tensors, which complete an mbarrier's
// phase, and grids that depend on each other.
#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "tests/gpu/ptx/isa/forms.h"
#include "tests/gpu/ptx/isa/runtime_cases.h"

namespace dragoman::ptx::isa {
namespace {

// Device memory with a copy of a host vector.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(&data_, size_ * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* get() const { return static_cast<T*>(data_); }
  std::vector<T> Read() const {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  size_t size_;
  void* data_ = nullptr;
};

constexpr int kColumns = 70;
constexpr int kRows = 21;
constexpr int kPitch = 72;  // distance of rows in elements; a multiple of 16 bytes

CUtensorMap MapOf(uint16_t* tensor) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                             cudaEnableDefault, &found),
            cudaSuccess);
  const cuuint64_t size[] = {kColumns, kRows};
  const cuuint64_t pitch[] = {kPitch * 2};
  const cuuint32_t box[] = {kBoxElements, kBoxRows};
  const cuuint32_t step[] = {1, 1};
  CUtensorMap map{};
  EXPECT_EQ(reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
                &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, size, pitch, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_SUCCESS);
  return map;
}

// 9.7.9.27 and 5.5.3: the first coordinate belongs to the innermost dimension. Elements outside of
// the tensor, also before its beginning, arrive as zeros, and their bytes count. Rows of 128 bytes
// are adjacent. The 128-byte swizzle exclusive-ors the number of a 16-byte piece with the number of
// its row modulo 8. An mbarrier's phase ends when all arrivals and all announced bytes have come.
void CheckBoxes(const std::string&) {
  std::vector<uint16_t> tensor(kRows * kPitch, 0x7e00);
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      tensor[row * kPitch + column] = static_cast<uint16_t>(1 + row * 100 + column);
    }
  }
  const OnDevice on_device(tensor);
  const CUtensorMap map = MapOf(on_device.get());
  const int corners[][2][kBoxes] = {
      {{0, 32}, {0, 16}}, {{-8, 16}, {-3, 10}}, {{64, 80}, {5, 0}}, {{3, -64}, {21, 2}}};
  for (const auto& [x, y] : corners) {
    const OnDevice out(std::vector<uint16_t>(kBoxes * kBoxRows * kBoxElements, 0xffff));
    const OnDevice over(std::vector<uint32_t>(3, 7));
    ASSERT_EQ(CopyBoxes(map, x, y, out.get(), over.get()), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(over.Read(), (std::vector<uint32_t>{0, 0, 1}));
    const std::vector<uint16_t> boxes = out.Read();
    for (int i = 0; i < kBoxes; ++i) {
      for (int row = 0; row < kBoxRows; ++row) {
        for (int at = 0; at < kBoxElements; ++at) {
          const int column = x[i] + at;
          const int line = y[i] + row;
          const bool inside = column >= 0 && column < kColumns && line >= 0 && line < kRows;
          const int place = ((at / 8) ^ (row % 8)) * 8 + at % 8;
          ASSERT_EQ(boxes[(i * kBoxRows + row) * kBoxElements + place],
                    inside ? tensor[line * kPitch + column] : 0)
              << "box at " << x[i] << ", " << y[i] << ": row " << row << ", element " << at;
        }
      }
    }
  }
}

// 9.7.12 (griddepcontrol): wait returns when the grids before have ended and their writes are
// visible.
void CheckDependent(const std::string&) {
  constexpr int kBlocks = 7;
  const OnDevice between(std::vector<uint32_t>(kBlocks * 32, 1));
  const OnDevice sums(std::vector<uint32_t>(32, 1));
  ASSERT_EQ(DependentSums(between.get(), kBlocks, sums.get()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<uint32_t> result = sums.Read();
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result[lane], 21000 + 7 * lane);
}

class IsaRuntime : public testing::TestWithParam<Form> {};

TEST_P(IsaRuntime, DoesWhatTheTextSays) { GetParam().check(GetParam().name); }

INSTANTIATE_TEST_SUITE_P(
    Forms, IsaRuntime,
    testing::Values(
        Form{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
             CheckBoxes},
        Form{"mbarrier.arrive.expect_tx.shared::cta.b64", CheckBoxes},
        Form{"griddepcontrol.wait", CheckDependent},
        Form{"griddepcontrol.launch_dependents", CheckDependent}));

}  // namespace
}  // namespace dragoman::ptx::isa
