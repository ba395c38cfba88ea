// Compares directories that transformers 4 and 5 have saved again (make_resaved.py) with
// generate(). Every directory of fixtures/resaved-*.jsonl.gz is written from the model that it was
// saved from, loaded, and asked for its cases. Ids must be equal, token lists equal at every rank,
// and scores within 1e-4.
#include <gtest/gtest.h>

#include <bit>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/formats/mapped_file.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/tensor_file.h"
#include "engine/model/layouts/hf/directory.h"
#include "engine/request/model_tokenizer.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// Rounds to the nearest bfloat16, ties to even.
uint16_t AsBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// Returns the base's tensor with `rows` rows. The additional rows are its first rows times
// `factor`. A bias of the output layer is one row, so it gets additional columns, which are also
// lower by 1.
std::vector<float> Extended(std::vector<float> values, int64_t rows, float factor,
                            std::vector<int64_t>* shape) {
  const bool is_bias = shape->front() == 1;
  int64_t& count = is_bias ? (*shape)[1] : (*shape)[0];
  const int64_t row = is_bias ? 1 : (*shape)[1];
  const int64_t more = (rows - count) * row;
  for (int64_t i = 0; i < more; ++i) {
    values.push_back(values[static_cast<size_t>(i)] * factor - (is_bias ? 1.0F : 0.0F));
  }
  count = rows;
  return values;
}

// Writes the files of the weights. `files` has for each tensor [name in the base, type], or [name
// in the base, rows, factor, type] if it has additional rows.
void WriteWeights(const json& files, const std::string& base, const TempDirectory& directory) {
  engine::DiskFolder folder(base);
  const auto checkpoint = ExpectOk(engine::ReadCheckpoint(folder, size_t{1} << 30));
  for (const auto& [file, tensors] : files.items()) {
    json header = json::object();
    std::string data;
    for (const auto& [name, source] : tensors.items()) {
      const auto found = checkpoint->tensors.find(source[0].get<std::string>());
      ASSERT_NE(found, checkpoint->tensors.end()) << source;
      std::vector<int64_t> shape = found->second.shape;
      std::vector<float> values(static_cast<size_t>(found->second.numel()));
      ASSERT_EQ(engine::CopyAsF32(found->second, values), std::nullopt);
      if (source.size() == 4) {
        values =
            Extended(std::move(values), source[1].get<int64_t>(), source[2].get<float>(), &shape);
      }
      const size_t begin = data.size();
      if (source.back() == "BF16") {
        for (const float value : values) data += engine::Raw(AsBfloat16(value));
      } else {
        data += engine::RawFloats(values);
      }
      header[name] = {
          {"dtype", source.back()}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
    }
    directory.Write(file, engine::Safetensors(header.dump(), data));
  }
}

void WriteDirectory(const json& row, const json& contents, const TempDirectory& directory) {
  const std::string base =
      DRAGOMAN_SOURCE_DIR "/tests/data/models/" + row["family"].get<std::string>();
  for (const auto& [file, key] : row["files"].items()) {
    directory.Write(file, key == "" ? engine::ReadTestFile(base + "/" + file)
                                    : contents[key.get<std::string>()].get<std::string>());
  }
  ASSERT_NO_FATAL_FAILURE(WriteWeights(row["weights"], base, directory));
}

void CompareIds(const json& row, const engine::LoadedModel& loaded) {
  const auto tokenizer = ExpectOk(engine::MakeTokenizer(loaded));
  const auto pair = ExpectOk(loaded.languages.Resolve(row["source_lang"].get<std::string>(),
                                                      row["target_lang"].get<std::string>()));
  for (const json& one : row["cases"]) {
    std::vector<int> ids = (*tokenizer)->EncodePrompt(pair->prompt);
    const auto text = one["text"].get<std::string>();
    for (const int id :
         (*tokenizer)->EncodeSource(text, {pair->tag, pair->last_tag, !pair->prompt.empty()}).ids) {
      ids.push_back(id);
    }
    EXPECT_EQ(json(ids), one["source_ids"]) << text;
    if (one.contains("first_token")) {
      EXPECT_EQ(pair->first, one["first_token"].get<int>());
    }
    if (one.contains("start_token")) {
      EXPECT_EQ(pair->start, one["start_token"].get<int>());
    }
  }
}

// Compares the n-best lists of a row. Returns how many there are.
size_t CompareLists(const json& row, const ParityModel& model, double* worst) {
  engine::ModelSpec spec = model.spec();
  if (!row["max_length"].is_null()) spec.generation.max_length = row["max_length"].get<int>();
  std::vector<std::unique_ptr<engine::Segment>> segments;
  std::vector<const json*> expected;
  for (const json& one : row["cases"]) {
    for (const json& searched : one["searched"]) {
      engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
      request.num_alternatives = static_cast<int>(searched["tokens"].size());
      if (!searched["num_beams"].is_null()) request.beam_size = searched["num_beams"].get<int>();
      engine::SearchContext context;
      context.max_rows = 64;
      context.scores = true;
      auto settings = ExpectOk(engine::ResolveSearch(request, spec, context));
      if (!settings.ok()) return 0;
      if (one.contains("first_token")) settings->forced_bos = one["first_token"].get<int32_t>();
      if (one.contains("start_token")) {
        settings->search.start_token = one["start_token"].get<int32_t>();
      }
      segments.push_back(MakeSegment(*settings, one["source_ids"].get<std::vector<int32_t>>()));
      expected.push_back(&searched);
    }
  }
  const auto results = Decode(model, std::move(segments), spec.tokens.decoder_start);
  for (size_t i = 0; i < results.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectLists(*expected[i], results[i], worst);
  }
  return results.size();
}

class Resaved : public ::testing::TestWithParam<const char*> {};

TEST_P(Resaved, EveryListEqualsGenerate) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture(GetParam(), &fixture));
  for (const json& row : fixture.cases) {
    const std::string name =
        row["family"].get<std::string>() + ", " + row["way"].get<std::string>();
    SCOPED_TRACE(name);
    const TempDirectory directory;
    ASSERT_NO_FATAL_FAILURE(WriteDirectory(row, fixture.header["contents"], directory));
    // The reference is the fast tokenizer if the directory has one.
    const bool is_fast = row["files"].contains("tokenizer.json");
    const auto by_default = ExpectOk(engine::LoadModel(directory.path()));
    if (!by_default.ok()) continue;
    auto loaded =
        ExpectOk(engine::LoadModel(directory.path(), is_fast ? engine::TokenizerChoice::kFast
                                                             : engine::TokenizerChoice::kAuto));
    if (!loaded.ok()) continue;
    ParityModel model;
    model.loaded.emplace(*std::move(loaded));
    CompareIds(row, *model.loaded);
    double worst = 0;
    const size_t lists = CompareLists(row, model, &worst);
    std::cout << GetParam() << ", " << name << ": " << lists
              << " lists, largest difference of scores " << worst << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Resaved, ::testing::Values("resaved-4", "resaved-5"),
                         [](const auto& info) {
                           return std::string(info.param).substr(8) == "4" ? "Transformers4"
                                                                           : "Transformers5";
                         });

}  // namespace
}  // namespace dragoman::parity
