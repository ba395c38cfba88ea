// Tests programs of networks: their description, the errors of CheckProgram, and joining the
// cross-attention K and V of layers.
#include "engine/network/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/families/family.h"
#include "engine/model/families/t5_shape.h"
#include "engine/network/cost_table.h"
#include "tests/engine/network/ops_of.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

ModelSpec Spec() {
  ModelSpec spec;
  spec.shape = {8, 1, 2, 2, 2, 24, 16, 5, 7, 9};
  spec.share_embeddings = false;
  return spec;
}

ModelSpec SharedSpec() {
  ModelSpec spec = Spec();
  spec.shape.target_vocab = spec.shape.source_vocab;
  spec.share_embeddings = true;
  return spec;
}

const char* NameOf(const OpSequence& stage, BufferId id) {
  return stage.buffers[static_cast<size_t>(id)].name;
}

Program SmallMarian() { return FindFamily("marian")->make(Spec())->program; }

TEST(Program, ALayerIsItsOperationsInOrder) {
  std::vector<std::string> names;
  for (const Op& op : SmallMarian().decoder.ops) {
    if (op.layer == 1) names.emplace_back(op.name);
  }
  EXPECT_THAT(names,
              ::testing::ElementsAre("query, key, value", "self-attention", "self output",
                                     "self norm", "cross query", "alignment", "cross-attention",
                                     "cross output", "cross norm", "feed-forward up",
                                     "feed-forward down", "feed-forward norm"));
}

// Returns the buffers that each norm reads and writes, by name, and the name of its gain.
std::vector<std::string> NormsOf(const Program& program, const OpSequence& stage) {
  const auto name = [&](BufferId id) {
    return id == kNoBuffer ? "-" : stage.buffers[static_cast<size_t>(id)].name;
  };
  std::vector<std::string> norms;
  for (const AddNormOp& op : All<AddNormOp>(stage)) {
    norms.push_back(std::string(name(op.x)) + " + " + name(op.residual) + " -> " + name(op.y) +
                    ", " + name(op.sum) + ": " + program.weight(op.gain).name);
  }
  return norms;
}

TEST(Program, PostNormGoesOnWithWhatIsNormed) {
  const Program marian = SmallMarian();
  EXPECT_THAT(NormsOf(marian, marian.encoder),
              ::testing::ElementsAre(
                  "sublayer + hidden -> hidden, -: encoder layer 0: self-attention norm gain",
                  "sublayer + hidden -> hidden, -: encoder layer 0: feed-forward norm gain"));
  EXPECT_STREQ(NameOf(marian.decoder, marian.output().x), "hidden");
}

TEST(Program, PreNormGoesOnWithTheSumAndEndsWithANorm) {
  const Program m2m = FindFamily("m2m_100")->make(SharedSpec())->program;
  EXPECT_THAT(NormsOf(m2m, m2m.encoder),
              ::testing::ElementsAre(
                  "hidden + - -> normed, -: encoder layer 0: self-attention norm gain",
                  "sublayer + hidden -> normed, hidden: encoder layer 0: feed-forward norm gain",
                  "sublayer + hidden -> normed, -: encoder final norm gain"));
  const std::vector<std::string> decoder = NormsOf(m2m, m2m.decoder);
  ASSERT_EQ(decoder.size(), 7);  // three for each layer and the final norm
  EXPECT_EQ(decoder[3],
            "sublayer + hidden -> normed, hidden: decoder layer 1: self-attention norm gain");
  EXPECT_EQ(decoder.back(), "sublayer + hidden -> normed, -: decoder final norm gain");
  // All sublayers, the source's K and V and the output layer read the normalised values.
  for (const OpSequence* stage : {&m2m.encoder, &m2m.decoder}) {
    for (const ProductOp& op : All<ProductOp>(*stage)) {
      EXPECT_STRNE(NameOf(*stage, op.x), "hidden") << m2m.weight(op.weight).name;
    }
  }
  EXPECT_STREQ(NameOf(m2m.decoder, m2m.output().x), "normed");
  // The norm has two outputs, because the layer's sum is kept as well.
  EXPECT_THAT(ProgramText(m2m), HasSubstr("normed = layer norm(hidden = sublayer + hidden)"));
}

TEST(Program, MatricesThatAreOneAreOneWeight) {
  ModelSpec spec = Spec();
  EXPECT_NE(FindWeight(SmallMarian(), "target embedding"), kNoWeight);
  EXPECT_EQ(SmallMarian().output().table, FindWeight(SmallMarian(), "target embedding"));
  spec.tie_output = false;
  const Program apart = FindFamily("marian")->make(spec)->program;
  EXPECT_EQ(apart.output().table, FindWeight(apart, "output layer"));
  // The separate output layer adds [7, 8] parameters.
  EXPECT_EQ(ParameterCount(apart) - ParameterCount(SmallMarian()), 7 * 8);
}

TEST(Program, SaysItself) {
  const std::string text = ProgramText(SmallMarian());
  EXPECT_THAT(text, HasSubstr("up to 9 positions"));
  EXPECT_THAT(text, HasSubstr("[24, 8]         matrix      encoder layer 0: self-attention query"));
  EXPECT_THAT(text, HasSubstr("  1  feed-forward up     up = hidden x "
                              "'decoder layer 1: feed-forward up' + bias, relu\n"));
  EXPECT_THAT(text, HasSubstr("kv = hidden x 'cross-attention key, value of all layers'[16:32]"));
}

TEST(Program, RefusesHeadsThatDoNotDivideTheWidth) {
  ModelSpec spec = Spec();
  spec.shape.decoder_heads = 3;
  const auto network = FindFamily("marian")->make(spec);
  EXPECT_EQ(network.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(network.status().message()), HasSubstr("3 heads for d_model 8"));
}

struct Wrong {
  const char* why;
  std::function<void(Program&)> make;
};

TEST(CheckProgram, NamesTheOperationThatDoesNotFit) {
  EXPECT_TRUE(CheckProgram(SmallMarian()).ok());
  const std::vector<Wrong> cases = {
      {"'query, key, value' needs 24 of 'qkv', which is 8 wide",
       [](Program& p) { p.encoder.buffers[1].width = 8; }},
      {"decoder: 'query, key, value' reads 'hidden' before it is written",
       [](Program& p) { p.decoder.ops.erase(p.decoder.ops.begin()); }},
      {"'embedding' takes 'encoder positions', which is [9, 8]",
       [](Program& p) { p.max_positions = 10; }},
      {"encoder: 'cross pages' is of layers 1 to 2", [](Program& p) { p.kv.layers = 1; }},
      {"encoder: 'output layer' is of the other stage",
       [](Program& p) { p.encoder.ops.push_back(p.decoder.ops.back()); }},
      {"decoder: 'cross pages' is of the other stage",
       [](Program& p) { p.decoder.ops.insert(p.decoder.ops.begin(), p.encoder.ops.back()); }},
      {"does not end with its output layer", [](Program& p) { p.decoder.ops.pop_back(); }},
      {"'output layer' takes 'output layer bias' for another role",
       [](Program& p) { std::get<OutputOp>(p.decoder.ops.back().what).table = p.output().bias; }},
      {"no operation reads 'forgotten'",
       [](Program& p) {
         p.weights.push_back({"forgotten", WeightRole::kNormGain, 1, 8});
       }},
      {"takes rows 16 to 48 of 32",
       [](Program& p) {
         std::get<ProductOp>(p.encoder.ops[p.encoder.ops.size() - 2].what).rows = 32;
       }},
      {"'feed-forward down' writes what it reads",
       [](Program& p) {
         auto& down = std::get<ProductOp>(p.encoder.ops[6].what);
         down.y = down.x;
       }},
  };
  for (const Wrong& wrong : cases) {
    Program program = SmallMarian();
    wrong.make(program);
    const absl::Status status = CheckProgram(program);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << wrong.why;
    EXPECT_THAT(std::string(status.message()), HasSubstr(wrong.why));
  }
}

// A T5 with two heads of 6, a width of 8 and gates.
Program T5() {
  ModelSpec spec = SharedSpec();
  spec.shape.head_dim = 6;
  spec.gated = true;
  spec.distances = {8, 16};
  return FindFamily("t5")->make(spec)->program;
}

template <class What>
What& First(OpSequence& stage) {
  for (Op& op : stage.ops) {
    if (auto* what = std::get_if<What>(&op.what)) return *what;
  }
  std::abort();
}

TEST(CheckProgram, NamesTheOperationOfT5ThatDoesNotFit) {
  EXPECT_TRUE(CheckProgram(T5()).ok()) << CheckProgram(T5());
  const std::vector<Wrong> cases = {
      {"'self norm' is of a kind without a bias and has one",
       [](Program& p) { First<AddNormOp>(p.encoder).bias = 0; }},
      {"'feed-forward gate' writes what it reads",
       [](Program& p) { First<GateOp>(p.decoder).y = First<GateOp>(p.decoder).x; }},
      {"'feed-forward gate' needs 50 of 'up', which is 48 wide",
       [](Program& p) { First<GateOp>(p.encoder).width = 25; }},
      {"encoder: 'self-attention' takes 'decoder self-attention distances', which is [2, 9]",
       [](Program& p) {
         First<EncoderAttentionOp>(p.encoder).bias = First<SelfAttentionOp>(p.decoder).bias;
       }},
      {"decoder: 'self-attention' takes 'embedding' for another role",
       [](Program& p) {
         First<SelfAttentionOp>(p.decoder).bias = First<EmbedOp>(p.decoder).table;
       }},
  };
  for (const Wrong& wrong : cases) {
    Program program = T5();
    wrong.make(program);
    const absl::Status status = CheckProgram(program);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << wrong.why;
    EXPECT_THAT(std::string(status.message()), HasSubstr(wrong.why));
  }
}

TEST(Program, OfT5SaysItself) {
  const std::string text = ProgramText(T5());
  for (const char* line :
       {"hidden = 1 * 'embedding'[token]\n", "= RMS norm(hidden = sublayer + hidden), epsilon",
        "attention(qkv, 'encoder self-attention distances'), 2 heads of 6",
        "gated = up[0:24] times up[24:48]"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  // Bias tables that are computed from a few numbers do not count as parameters.
  const Program program = T5();
  int64_t distances = 0;
  for (const Weight& weight : program.weights) {
    if (weight.role == WeightRole::kRelativeBias) distances += weight.elements();
  }
  EXPECT_EQ(distances, 2 * 17 + 2 * 9);
}

TEST(WeightsOf, FindsEveryWeightOfEachFamily) {
  for (const Program& program :
       {SmallMarian(), FindFamily("m2m_100")->make(SharedSpec())->program, T5()}) {
    std::set<WeightId> read;
    for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
      for (const Op& op : stage->ops) {
        for (const WeightId id : WeightsOf(op)) read.insert(id);
      }
    }
    for (size_t id = 0; id < program.weights.size(); ++id) {
      EXPECT_EQ(read.count(static_cast<WeightId>(id)), 1U) << program.weights[id].name;
    }
  }
}

TEST(JoinCrossLayers, MakesOneProductOfAllLayers) {
  ModelSpec spec = Spec();
  spec.shape.decoder_layers = 6;
  const Program apart = FindFamily("marian")->make(spec)->program;
  for (const int layers : {1, 2, 3, 6}) {
    Program joined = apart;
    JoinCrossLayers(layers, &joined);
    EXPECT_TRUE(CheckProgram(joined).ok()) << CheckProgram(joined);
    const auto writes = All<WriteCrossKvOp>(joined.encoder);
    ASSERT_EQ(writes.size(), static_cast<size_t>(6 / layers));
    for (size_t i = 0; i < writes.size(); ++i) {
      EXPECT_EQ(writes[i].first_layer, static_cast<int>(i) * layers);
      EXPECT_EQ(writes[i].layers, layers);
    }
    const auto products = All<ProductOp>(joined.encoder);
    EXPECT_EQ(products.back().first_row, 16 * (6 - layers));
    EXPECT_EQ(products.back().rows, 16 * layers);
    // Joining does not change the number of operations.
    const OpRows rows{.rows = 10, .segments = 2, .source_positions = 5};
    const auto flop = [&](const Program& program) {
      OpCost sum;
      for (const Op& op : program.encoder.ops) sum += CostOf(op, program, rows);
      return sum.flop;
    };
    EXPECT_DOUBLE_EQ(flop(joined), flop(apart));
  }
}

}  // namespace
}  // namespace dragoman::engine
