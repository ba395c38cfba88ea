// Tests reading weights in pieces and in their stored type. model_source_test.cc tests invalid
// tensors.
#include "engine/model/layouts/base/weights_loader.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/layouts/marian/file.h"
#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

std::string DirectoryOf(const std::string& model) {
  return DRAGOMAN_SOURCE_DIR "/tests/data/models/" + model;
}

class Weighted : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto loaded = ExpectOk(LoadModel(DirectoryOf(GetParam())));
    model_ = std::make_unique<LoadedModel>(*std::move(loaded));
    weights_ = model_->weights.get();
  }

  std::unique_ptr<LoadedModel> model_;
  const Weights* weights_ = nullptr;
};

TEST_P(Weighted, PiecesAreThoseOfTheWhole) {
  const WeightValues whole = AllWeights(*model_);
  for (size_t i = 0; i < whole.size(); ++i) {
    const Weight& weight = model_->program.weights[i];
    const auto id = static_cast<WeightId>(i);
    for (const int64_t rows : {int64_t{1}, int64_t{7}, weight.rows}) {
      std::vector<float> read;
      for (int64_t first = 0; first < weight.rows; first += rows) {
        const int64_t count = std::min(rows, weight.rows - first);
        std::vector<float> piece(static_cast<size_t>(count * weight.cols));
        ASSERT_TRUE(weights_->Read(id, first, count, piece.data()).ok()) << weight.name;
        read.insert(read.end(), piece.begin(), piece.end());
      }
      EXPECT_EQ(read, whole[i]) << weight.name << ", " << rows << " rows at once";
    }
    weights_->Release(id);  // the next read comes from the page cache
    std::vector<float> again(whole[i].size());
    ASSERT_TRUE(weights_->Read(id, 0, weight.rows, again.data()).ok());
    EXPECT_EQ(again, whole[i]) << weight.name;
  }
}

TEST_P(Weighted, BytesTimesTheirScalesAreTheNumbers) {
  const WeightValues whole = AllWeights(*model_);
  int matrices = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    const Weight& weight = model_->program.weights[i];
    const auto id = static_cast<WeightId>(i);
    if (!weights_->AreInt8(id, 0, weight.rows)) continue;
    ++matrices;
    const int64_t first = weight.rows / 3;
    const int64_t count = weight.rows - first;
    std::vector<int8_t> bytes(static_cast<size_t>(count * weight.cols));
    std::vector<float> scales(static_cast<size_t>(count));
    ASSERT_TRUE(weights_->ReadInt8(id, first, count, bytes.data(), scales.data()).ok());
    for (size_t k = 0; k < bytes.size(); ++k) {
      const auto row = k / static_cast<size_t>(weight.cols);
      const float number = whole[i][static_cast<size_t>(first * weight.cols) + k];
      ASSERT_NEAR(static_cast<float>(bytes[k]) * scales[row], number, 1e-6F * std::abs(number))
          << weight.name;
    }
  }
  const std::string name = GetParam();
  if (name.find("int8") == std::string::npos && name != "marian-firefox") {
    EXPECT_EQ(matrices, 0);
  } else {
    const auto is_matrix = [](const Weight& weight) {
      return weight.role == WeightRole::kMatrix || weight.role == WeightRole::kEmbedding;
    };
    EXPECT_EQ(matrices, std::count_if(model_->program.weights.begin(),
                                      model_->program.weights.end(), is_matrix));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Weighted,
                         ::testing::Values("tiny-a", "tiny-b", "tiny-multi", "tiny-nllb",
                                           "tiny-mbart", "tiny-t5", "tiny-mt5", "ct2-tiny-a-int8",
                                           "ct2-tiny-a-int16", "ct2-tiny-a-int8_float16",
                                           "ct2-tiny-multi-int8", "marian-npz", "marian-ssru",
                                           "marian-firefox"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(WeightsLoader, BytesOfCTranslate2AreThoseOfItsFile) {
  const auto model = ExpectOk(LoadModel(DirectoryOf("ct2-tiny-a-int8")));
  const std::string text = ReadTestFile(DirectoryOf("ct2-tiny-a-int8") + "/model.bin");
  const auto file = ExpectOk(ParseCt2ModelFile(Bytes(text), "model.bin"));
  // The file stores the rows of query, key and value in one tensor. It stores the keys and values
  // of the layers in separate tensors.
  const struct {
    const char* weight;
    int64_t first;
    const char* tensor;
  } cases[] = {
      {"encoder layer 1: self-attention query, key, value", 0,
       "encoder/layer_1/self_attention/linear_0/weight"},
      {"cross-attention key, value of all layers", 64, "decoder/layer_1/attention/linear_1/weight"},
      {"source embedding", 0, "decoder/embeddings/weight"},
  };
  for (const auto& c : cases) {
    const WeightId id = FindWeight(model->program, c.weight);
    ASSERT_NE(id, kNoWeight) << c.weight;
    const TensorView& view = file->tensors.at(c.tensor);
    const int64_t count = view.shape[0];
    std::vector<int8_t> bytes(view.data.size());
    std::vector<float> scales(static_cast<size_t>(count));
    ASSERT_TRUE(model->weights->AreInt8(id, c.first, count)) << c.weight;
    ASSERT_TRUE(model->weights->ReadInt8(id, c.first, count, bytes.data(), scales.data()).ok());
    EXPECT_EQ(std::memcmp(bytes.data(), view.data.data(), bytes.size()), 0) << c.weight;
    for (size_t r = 0; r < scales.size(); ++r) {
      float divisor = 0;
      std::memcpy(&divisor, view.scales.data() + r * sizeof(float), sizeof(float));
      EXPECT_EQ(scales[r], 1.0F / divisor);
    }
  }
}

}  // namespace
}  // namespace dragoman::engine
