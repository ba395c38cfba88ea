// Tests on the emulated device: the switches of the GPU backend, the features that depend on the
// compute capability, and what happens to a fused output layer with wrong results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "engine/decode/batch.h"
#include "engine/model/families/family.h"
#include "tests/engine/decode/cuda/emulated_names.h"
// These headers follow emulated_names.h, so that they declare the classes of the emulated device.
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/cuda_step.h"
#include "engine/decode/cuda/memory_plan.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kOptionRows = 200;

// A small model whose shape the fused output layer supports.
ModelSpec ShortSpec() {
  ModelSpec spec;
  spec.shape = {128, 1, 1, 8, 8, 128, 128, 520, 520, 40};
  return spec;
}

class EmulatedOptions : public ::testing::Test {
 protected:
  EmulatedOptions()
      : program_(FindFamily("marian")->make(ShortSpec())->program),
        image_(MakeImage(kernels::ComputeType::kFloat16)) {
    kernels::cuda::EmulatedLinear::made.clear();
  }
  WeightImage MakeImage(kernels::ComputeType type) const {
    std::mt19937 random(7);
    WeightValues values;
    for (const Weight& weight : program_.weights) {
      std::vector<float>& of = values.emplace_back(static_cast<size_t>(weight.elements()));
      for (float& x : of) x = static_cast<float>(random() % 2001) / 2000.0F - 0.5F;
    }
    auto image =
        ExpectOk(MakeWeightImage(program_, WeightsInMemory(program_, std::move(values)), type));
    return *std::move(image);
  }
  ~EmulatedOptions() override {
    kernels::cuda::emulated_capability = 90;
    kernels::cuda::EmulatedFusedOutput::fault = kernels::cuda::FusedFault::kNone;
    kernels::cuda::emulated_quantized_fault = kernels::cuda::QuantizedForm::kAuto;
    kernels::cuda::emulated_hang.hung = false;  // so that freeing `held` does not count as a wait
    kernels::cuda::emulated_hang = {};
  }

  CudaPlanner Planner(const CudaOptions& options) const {
    CudaBackendConfig config;
    config.batch.max_rows = kOptionRows;
    config.batch.max_positions = ShortSpec().shape.max_positions + 1;
    config.batch.vocabulary = ShortSpec().shape.target_vocab;
    config.options = options;
    auto planner = ExpectOk(CudaPlanner::Create(config, program_, image_));
    return *std::move(planner);
  }

  std::shared_ptr<const CudaModel> Model(CudaPlanner* planner) const {
    auto model = ExpectOk(planner->LoadModel(image_));
    return *std::move(model);
  }
  std::shared_ptr<const CudaModel> Model(const CudaOptions& options) const {
    CudaPlanner planner = Planner(options);
    return Model(&planner);
  }

  const Program program_;
  WeightImage image_;
};

bool AnyPerBucket() {
  return std::any_of(kernels::cuda::EmulatedLinear::made.begin(),
                     kernels::cuda::EmulatedLinear::made.end(),
                     [](const kernels::cuda::LinearOptions& o) { return o.per_bucket; });
}
bool AnyFewRows() {
  return std::any_of(kernels::cuda::EmulatedLinear::made.begin(),
                     kernels::cuda::EmulatedLinear::made.end(),
                     [](const kernels::cuda::LinearOptions& o) { return o.few_rows; });
}

TEST_F(EmulatedOptions, AllPartsAreOnUnlessTurnedOff) {
  const auto model = Model(CudaOptions());
  EXPECT_NE(model->fused(), nullptr) << model->why_not_fused();
  EXPECT_TRUE(AnyPerBucket());
  EXPECT_TRUE(AnyFewRows());
  EXPECT_THAT(model->Notes(), IsEmpty());
}

TEST_F(EmulatedOptions, TheFusedOutputLayerCanBeTurnedOff) {
  const auto model = Model({.fused_output = false});
  EXPECT_EQ(model->fused(), nullptr);
  EXPECT_THAT(model->why_not_fused(), HasSubstr("fused-output is off"));
  EXPECT_THAT(model->Notes(), ElementsAre(HasSubstr("DRAGOMAN_CUDA_OFF: fused-output is off")));
}

// Quantized output products are off by default. A note says what they change.
TEST_F(EmulatedOptions, TheOutputLayerCanHaveQuantizedProducts) {
  EXPECT_EQ(Model(CudaOptions())->fused()->products(), kernels::QuantizedType::kNone);
  for (const kernels::QuantizedType quantized :
       {kernels::QuantizedType::kInt8, kernels::QuantizedType::kFloat8}) {
    CudaPlanner planner = Planner({.output_products = quantized});
    const auto model = Model(&planner);
    ASSERT_NE(model->fused(), nullptr) << model->why_not_fused();
    EXPECT_EQ(model->fused()->products(), quantized);
    EXPECT_THAT(model->Notes(), ElementsAre(AllOf(HasSubstr(kernels::QuantizedTypeName(quantized)),
                                                  HasSubstr("scores differ"))));
  }
}

TEST_F(EmulatedOptions, QuantizedProductsAreRefusedWhereThereAreNone) {
  CudaPlanner planner =
      Planner({.fused_output = false, .output_products = kernels::QuantizedType::kInt8});
  const auto model = planner.LoadModel(image_);
  EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(model.status().ToString(),
              AllOf(HasSubstr("cuda: output-products: found int8, expected model"),
                    HasSubstr("fused-output is off")));
  image_ = MakeImage(kernels::ComputeType::kFloat32);
  CudaPlanner float32 = Planner({.output_products = kernels::QuantizedType::kFloat8});
  EXPECT_THAT(float32.LoadModel(image_).status().ToString(),
              HasSubstr("float32 has no such products"));
}

// With int8 layers, cuBLASLt computes no product of a layer, only materialized logits.
TEST_F(EmulatedOptions, TheLayersCanHaveProductsInInt8) {
  CudaPlanner wide_planner = Planner(CudaOptions());
  const int64_t wide_bytes = Model(&wide_planner)->weight_bytes();
  const auto made = kernels::cuda::EmulatedLinear::made.size();
  EXPECT_GT(made, 10U);
  kernels::cuda::EmulatedLinear::made.clear();
  CudaPlanner planner = Planner({.layer_products = kernels::QuantizedType::kInt8});
  const auto model = Model(&planner);
  EXPECT_EQ(kernels::cuda::EmulatedLinear::made.size(), 1U);
  EXPECT_TRUE(model->quantized_layers());
  EXPECT_THAT(model->Notes(), ElementsAre(AllOf(HasSubstr("cuda: layer-products is int8"),
                                                HasSubstr("scores differ"))));
  // The plan includes the bytes of the quantized weights and of their workspace.
  EXPECT_EQ(model->weight_bytes(), wide_bytes + QuantizedWeightBytes(program_));
  const auto plan = ExpectOk(planner.Plan(int64_t{8} << 20, 2));
  EXPECT_EQ(plan->lines[0].bytes, model->weight_bytes());
  const auto step =
      ExpectOk(CudaStep::Create(model, plan->limits, nullptr, kernels::cuda::StepMailboxes{}));
  EXPECT_EQ((*step)->bytes(), plan->lines[1].bytes + plan->lines[2].bytes + plan->lines[4].bytes +
                                  model->fused()->WorkspaceBytes(kOptionRows));
}

TEST_F(EmulatedOptions, LayersInInt8AreRefusedWhereThereAreNone) {
  const auto refused = [&](const CudaOptions& options) {
    CudaPlanner planner = Planner(options);
    const auto model = planner.LoadModel(image_);
    EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(model.status().message());
  };
  const CudaOptions int8{.layer_products = kernels::QuantizedType::kInt8};
  EXPECT_THAT(refused({.layer_products = kernels::QuantizedType::kFloat8}),
              AllOf(HasSubstr("cuda: layer-products: found float8, expected model"),
                    HasSubstr("those of the model or int8")));
  for (const auto& [capability, words] :
       {std::pair{70, "begins with 7.5"}, {100, "none for 10.x"}, {103, "none for 10.x"}}) {
    kernels::cuda::emulated_capability = capability;
    EXPECT_THAT(refused(int8), AllOf(HasSubstr("found int8, expected model"), HasSubstr(words)));
  }
  for (const int capability : {75, 120}) {
    kernels::cuda::emulated_capability = capability;
    EXPECT_TRUE(Model(int8)->quantized_layers());
  }
  image_ = MakeImage(kernels::ComputeType::kFloat32);
  EXPECT_THAT(refused(int8), AllOf(HasSubstr("'query, key, value': float32 has no such products")));
}

// The load compares int8 products with plain arithmetic. It must detect one wrong bit in one
// element of any form of product. It then fails, because these products have no fallback.
TEST_F(EmulatedOptions, LayersInInt8ThatAreWrongFailTheLoad) {
  for (const auto form : {kernels::cuda::QuantizedForm::kFew, kernels::cuda::QuantizedForm::kSmall,
                          kernels::cuda::QuantizedForm::kLarge}) {
    kernels::cuda::emulated_quantized_fault = form;
    CudaPlanner planner = Planner({.layer_products = kernels::QuantizedType::kInt8});
    const auto model = planner.LoadModel(image_);
    EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(model.status().message(),
                AllOf(HasSubstr("does not give what plain arithmetic gives"),
                      HasSubstr(form == kernels::cuda::QuantizedForm::kFew
                                    ? "of 16 random rows, row 15"
                                    : "of 200 random rows, row 199")));
  }
}

TEST_F(EmulatedOptions, ProductsOfAFewRowsAndOfEachRowCountCanBeTurnedOff) {
  EXPECT_THAT(Model({.few_rows = false})->Notes(), ElementsAre(HasSubstr("few-rows")));
  EXPECT_FALSE(AnyFewRows());
  EXPECT_TRUE(AnyPerBucket());
  kernels::cuda::EmulatedLinear::made.clear();
  EXPECT_THAT(Model({.bucket_algorithms = false})->Notes(),
              ElementsAre(HasSubstr("bucket-algorithms")));
  EXPECT_TRUE(AnyFewRows());
  EXPECT_FALSE(AnyPerBucket());
}

// Products of few rows pass their trial on compute capability 8.0 and later. Older GPUs lack the
// instruction.
TEST_F(EmulatedOptions, SmallRowCountsAreServedOnCardsFromAmpereOn) {
  for (const auto& [capability, there] :
       {std::pair{75, false}, {80, true}, {86, true}, {89, true}, {90, true}, {120, true}}) {
    kernels::cuda::emulated_capability = capability;
    kernels::cuda::EmulatedLinear::made.clear();
    Model(CudaOptions());
    EXPECT_EQ(AnyFewRows(), there) << capability;
    EXPECT_EQ(AnyPerBucket(), there) << capability;
  }
}

// If graphs are off, steps are launched one by one and hold no memory for graphs.
TEST_F(EmulatedOptions, GraphsCanBeTurnedOff) {
  for (const bool graphs : {true, false}) {
    CudaPlanner planner = Planner({.graphs = graphs});
    const auto model = Model(&planner);
    const auto step = ExpectOk(
        CudaStep::Create(model, planner.Limits(), nullptr, kernels::cuda::StepMailboxes{}));
    const auto device = ExpectOk(CreateCudaStepDevice(model, planner.Limits(), nullptr));
    const int64_t of_graphs = (*device)->workspace_bytes() - (*step)->bytes();
    if (graphs) {
      EXPECT_GT(of_graphs, 0);
    } else {
      EXPECT_EQ(of_graphs, 0);
      EXPECT_THAT(model->Notes(), ElementsAre(HasSubstr("graphs")));
    }
  }
}

// A step launches early only if all its products are our own kernels, because early launches make
// steps with cuBLASLt's products slower. A switch turns early launches off.
TEST_F(EmulatedOptions, OnlyStepsOfOurOwnProductsLaunchEarly) {
  const CudaOptions int8{.layer_products = kernels::QuantizedType::kInt8};
  CudaOptions quiet_int8 = int8;
  quiet_int8.early_launch = false;
  for (const auto& [options, bucket, early] : {std::tuple{CudaOptions{}, 16, true},
                                               {CudaOptions{.early_launch = false}, 16, false},
                                               {CudaOptions{}, 32, false},
                                               {CudaOptions{.few_rows = false}, 16, false},
                                               {int8, 128, true},
                                               {quiet_int8, 16, false}}) {
    CudaPlanner planner = Planner(options);
    const auto step = ExpectOk(CudaStep::Create(Model(&planner), planner.Limits(), nullptr,
                                                kernels::cuda::StepMailboxes{}));
    kernels::cuda::Graph graph;
    EXPECT_EQ(graph.Record(nullptr,
                           [&] {
                             return (*step)->Launch(nullptr, {bucket, 4, true, true}).error;
                           }),
              kernels::cuda::Error::kNone);
    EXPECT_EQ(graph.early_nodes(), early ? graph.nodes() : 0) << bucket;
  }
}

// The load compares 200 rows of the fused layer with plain products and detects every fault in the
// last row. The model is then served without the fused layer, and a note says so.
TEST_F(EmulatedOptions, AFusedOutputLayerThatIsWrongIsNotUsed) {
  using kernels::cuda::FusedFault;
  for (const auto& [fault, words] : {std::pair{FusedFault::kNormaliser, "log of the normaliser"},
                                     {FusedFault::kScore, "has the score"},
                                     {FusedFault::kToken, "has the score"},
                                     {FusedFault::kCount, "candidates, expected 16"},
                                     {FusedFault::kNotANumber, "has the score nan"}}) {
    kernels::cuda::EmulatedFusedOutput::fault = fault;
    EXPECT_THAT(Model({.output_products = kernels::QuantizedType::kInt8})->why_not_fused(),
                HasSubstr(words));
    CudaPlanner planner = Planner(CudaOptions());
    const auto model = Model(&planner);
    EXPECT_EQ(model->fused(), nullptr) << words;
    EXPECT_THAT(model->why_not_fused(), AllOf(HasSubstr("does not give what the product"),
                                              HasSubstr("row 199: "), HasSubstr(words)));
    EXPECT_THAT(model->Notes(),
                Contains(AllOf(HasSubstr("fused output layer is not used"), HasSubstr(words))));
    // The plan has memory for materialized logits of every row.
    const auto plan = ExpectOk(planner.Plan(int64_t{8} << 20, 2));
    const auto device = ExpectOk(CreateCudaStepDevice(model, plan->limits, nullptr));
    EXPECT_EQ(plan->limits.materialized_rows, kOptionRows);
  }
}

// If blocks of the fused kernel waited for each other, the load would hang. It must fail after 30 s
// with an error that names the switch, and neither this load nor a later one may wait for the
// device again.
TEST_F(EmulatedOptions, AFusedOutputLayerThatHangsFailsTheLoadInTime) {
  kernels::cuda::EmulatedFusedOutput::fault = kernels::cuda::FusedFault::kHangs;
  CudaPlanner planner = Planner(CudaOptions());
  const auto model = planner.LoadModel(image_);
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(model.status().message(), AllOf(HasSubstr("has not ended 30 s after its start"),
                                              HasSubstr("with DRAGOMAN_CUDA_OFF=fused-output")));
  EXPECT_EQ(kernels::cuda::emulated_hang.limit_s, 30);
  EXPECT_NE(kernels::cuda::emulated_hang.held, nullptr);
  CudaBackendConfig config;
  config.batch.max_rows = kOptionRows;
  const auto again = CudaPlanner::Create(config, program_, image_);
  EXPECT_EQ(again.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(again.status().message(), HasSubstr("has not ended"));
  EXPECT_EQ(kernels::cuda::emulated_hang.waits, 0);
}

// With the switch that this error names, the fused layer is not tried.
TEST_F(EmulatedOptions, ALayerThatHangsIsNotTriedWhereItIsOff) {
  kernels::cuda::EmulatedFusedOutput::fault = kernels::cuda::FusedFault::kHangs;
  EXPECT_EQ(Model({.fused_output = false})->fused(), nullptr);
  EXPECT_FALSE(kernels::cuda::emulated_hang.hung);
}

}  // namespace
}  // namespace dragoman::engine
