// Checks how many tokens a pass of the emulated device's encoder may have, which depends on the
// time that earlier passes took.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/decode/batch.h"
#include "engine/model/layouts/model_source.h"
#include "tests/engine/decode/cuda/emulated_names.h"
// These headers follow emulated_names.h, so that they declare the classes of the emulated device.
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/pass_limit.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

class EmulatedPasses : public ::testing::Test {
 protected:
  ~EmulatedPasses() override { kernels::cuda::EmulatedEvent::product_row_seconds = 0; }

  // Creates an encoder on a device on which each row of a product takes `row_seconds`.
  void Make(double row_seconds) {
    kernels::cuda::EmulatedEvent::product_row_seconds = row_seconds;
    const auto loaded = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a"));
    const auto image = ExpectOk(
        MakeWeightImage(loaded->program, *loaded->weights, kernels::ComputeType::kFloat32));
    CudaBackendConfig config;
    config.batch.max_rows = 8;
    config.batch.max_positions = loaded->spec.shape.max_positions + 1;
    config.batch.vocabulary = loaded->spec.shape.target_vocab;
    auto planner = ExpectOk(CudaPlanner::Create(config, loaded->program, *image));
    const auto model = ExpectOk(planner->LoadModel(*image));
    page_bytes_ = loaded->program.kv.ElementsPerPage() *
                  kernels::ElementBytes(kernels::ComputeType::kFloat32);
    auto encoder = ExpectOk(CreateCudaEncoder(*model));
    encoder_ = *std::move(encoder);
  }

  // Encodes `segments` segments of 16 tokens in one pass.
  void Encode(int segments) {
    std::vector<int32_t> tokens(static_cast<size_t>(16 * segments), 0);
    std::vector<int32_t> offsets;
    std::vector<int32_t> pages;
    for (int i = 0; i <= segments; ++i) {
      offsets.push_back(16 * i);
      pages.push_back(i);
    }
    std::vector<float> pool(static_cast<size_t>(segments * page_bytes_) / sizeof(float));
    const absl::Status status = encoder_->Encode(
        {tokens.data(), offsets.data(), segments, pages.data(), pages.data(), pool.data()});
    EXPECT_TRUE(status.ok()) << status;
  }

  int64_t page_bytes_ = 0;
  std::unique_ptr<Encoder> encoder_;
};

TEST_F(EmulatedPasses, OfAFastCardAreAsLargeAsItsBuffers) {
  Make(0);
  // The encoder's first passes took 125 us, the time of a launch, for 128 rows.
  EXPECT_EQ(encoder_->max_tokens(), 2048);
  Encode(static_cast<int>(encoder_->max_tokens() / 16));
  EXPECT_EQ(encoder_->max_tokens(), 8192);
}

// The first pass of a user is bounded too, because the encoder has timed passes of its own before.
TEST_F(EmulatedPasses, OfASlowCardAreBoundedFromTheStartOn) {
  Make(0.5e-6);
  const int64_t at_first = encoder_->max_tokens();
  EXPECT_GE(at_first, PassLimit::kAlways);
  EXPECT_LT(at_first, 2048);
  Encode(static_cast<int>(at_first / 16));
  EXPECT_GE(encoder_->max_tokens(), at_first);
  EXPECT_LT(encoder_->max_tokens(), 2048);
}

}  // namespace
}  // namespace dragoman::engine
