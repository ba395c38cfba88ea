// Compares with Hugging Face where the files of a checkpoint differ from the bundled ones. Every
// variant of fixtures/variants.jsonl.gz is written as a directory, loaded, and run with its own
// settings. Token lists must be equal at every rank, and scores within 1e-4.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/formats/mapped_file.h"
#include "engine/model/formats/tensor_file.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// Merges as make_variants.py does: null removes a field, except the forced EOS.
json Merged(json fields, const json& changes) {
  for (const auto& [key, value] : changes.items()) {
    if (value.is_null() && key != "forced_eos_token_id") {
      fields.erase(key);
    } else {
      fields[key] = value;
    }
  }
  return fields;
}

// Writes the tensors of the base model as safetensors: one file in float64, or two shards in
// float32.
void WriteWeights(const std::string& base, const std::string& how, const TempDirectory& directory) {
  const auto file =
      ExpectOk(engine::MappedFile::Open(base + "/model.safetensors", size_t{1} << 30));
  const auto tensors = ExpectOk(engine::ParseSafetensors(file->bytes(), "model.safetensors"));
  const bool wide = how == "float64";
  json headers[2] = {json::object(), json::object()};
  std::string data[2];
  json map = json::object();
  size_t count = 0;
  for (const auto& [name, view] : *tensors) {
    const size_t shard = wide ? 0 : count++ % 2;
    std::vector<float> values(static_cast<size_t>(view.numel()));
    ASSERT_EQ(engine::CopyAsF32(view, values), std::nullopt);
    const size_t begin = data[shard].size();
    if (wide) {
      for (const float value : values) data[shard] += engine::Raw(double{value});
    } else {
      data[shard] += engine::RawFloats(values);
    }
    headers[shard][name] = {{"dtype", wide ? "F64" : "F32"},
                            {"shape", view.shape},
                            {"data_offsets", {begin, data[shard].size()}}};
    map[name] = "model-0000" + std::to_string(shard + 1) + "-of-00002.safetensors";
  }
  if (wide) {
    directory.Write("model.safetensors", engine::Safetensors(headers[0].dump(), data[0]));
    return;
  }
  directory.Write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
  for (size_t i = 0; i < 2; ++i) {
    directory.Write("model-0000" + std::to_string(i + 1) + "-of-00002.safetensors",
                    engine::Safetensors(headers[i].dump(), data[i]));
  }
}

void WriteVariant(const json& variant, const std::string& base, const TempDirectory& directory) {
  const auto read = [&](const char* name) {
    return json::parse(engine::ReadTestFile(base + "/" + name));
  };
  json config = read("config.json");
  const json generation = read("generation_config.json");
  if (variant["generation"].is_null()) {
    for (const char* field : {"bad_words_ids", "forced_eos_token_id", "max_length", "num_beams"}) {
      config[field] = generation[field];
    }
  } else {
    directory.Write("generation_config.json", Merged(generation, variant["generation"]).dump());
  }
  directory.Write("config.json", Merged(config, variant["config"]).dump());
  for (const char* name : {"source.spm", "target.spm", "vocab.json", "tokenizer_config.json"}) {
    directory.Write(name, engine::ReadTestFile(base + "/" + name));
  }
  if (variant["weights"] == "whole") {
    directory.Write("model.safetensors", engine::ReadTestFile(base + "/model.safetensors"));
  } else {
    WriteWeights(base, variant["weights"], directory);
  }
}

// Reports whether a variant removes the maximum length.
bool SaysNoLength(const json& variant) {
  const json& fields = variant[variant["generation"].is_null() ? "config" : "generation"];
  return fields.is_object() && fields.contains("max_length") && fields["max_length"].is_null() &&
         !fields.contains("max_new_tokens");
}

class Variants : public OnPlace {};

TEST_P(Variants, EveryCaseEqualsGenerate) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("variants", &fixture));
  const std::string base = DRAGOMAN_SOURCE_DIR "/" + fixture.header["directory"].get<std::string>();
  ASSERT_GE(fixture.header["cases"].get<int>() * 10, fixture.header["tried"].get<int>() * 7);
  size_t cases = 0;
  size_t silent = 0;
  double worst = 0;
  for (const json& variant : fixture.cases) {
    const auto name = variant["variant"].get<std::string>();
    if (variant["cases"].empty()) ++silent;
    const TempDirectory directory;
    ASSERT_NO_FATAL_FAILURE(WriteVariant(variant, base, directory));
    ParityModel model;
    model.place = GetParam().place;
    auto loaded = engine::LoadModel(directory.path());
    ASSERT_TRUE(loaded.ok()) << name << ": " << loaded.status();
    EXPECT_EQ(loaded->notes.empty(), name != "ignored fields");
    model.loaded.emplace(*std::move(loaded));
    EXPECT_EQ(model.spec().generation.num_beams, variant["num_beams"]);

    engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
    request.num_alternatives = model.spec().generation.num_beams;
    engine::SearchContext context;
    context.max_rows = 64;
    context.scores = true;
    engine::ModelSpec spec = model.spec();
    // generate() makes 20 new tokens if no file sets a length.
    if (SaysNoLength(variant)) spec.generation.max_length = 21;
    const auto settings = engine::ResolveSearch(request, spec, context);
    ASSERT_TRUE(settings.ok()) << name << ": " << settings.status();
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (const json& one : variant["cases"]) {
      segments.push_back(MakeSegment(*settings, one["source_ids"].get<std::vector<int32_t>>()));
    }
    const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
    for (size_t i = 0; i < results.size(); ++i, ++cases) {
      SCOPED_TRACE(name + ", case " + std::to_string(i));
      ExpectLists(variant["cases"][i], results[i], &worst);
    }
  }
  EXPECT_EQ(cases, fixture.header["cases"].get<size_t>());
  EXPECT_EQ(silent, 0U) << "variants without a case";
  std::cout << fixture.cases.size() << " variants, " << cases
            << " cases, largest difference of scores " << worst << "\n";
}

INSTANTIATE_TEST_SUITE_P(Models, Variants,
                         ::testing::Values(ParityCase{"variants"},
                                           ParityCase{"variants", Place::kCuda}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity
