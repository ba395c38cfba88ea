// See tests/bench/README.md, "The programs":
//   emulated_translate DIRECTORY [--compute-type float16] [--output-products none|int8|float8]
//                      [--layer-products none|int8] [--capability 90] [--beam 4]
//                      < TEXTS > TRANSLATIONS

#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/bench/arguments.h"
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/engine/decode/cuda/emulated_engine.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"

namespace dragoman {
namespace {

// The number of jobs that the engine has at a time. It is more than the batch holds.
constexpr size_t kAtOnce = 64;

// Returns the value among `all` that has this name.
template <typename Type>
absl::StatusOr<Type> Named(const std::string& flag, const std::string& name,
                           std::initializer_list<Type> all, const char* (*name_of)(Type)) {
  std::string expected;
  for (const Type type : all) {
    if (name == name_of(type)) return type;
    absl::StrAppend(&expected, expected.empty() ? "" : ", ", name_of(type));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": found '", name, "', expected one of ", expected));
}

// Writes one translation for each line of the input.
absl::Status Translate(engine::Engine& engine, int beam) {
  std::deque<std::shared_ptr<testing::CollectingSink>> waiting;
  const auto write_first = [&]() -> absl::Status {
    const auto sink = std::move(waiting.front());
    waiting.pop_front();
    if (auto status = sink->Wait(); !status.ok()) return status;
    const engine::ItemResult& item = sink->items().at(0);
    if (!item.status.ok()) return item.status;
    std::cout << item.hypotheses.at(0).text << '\n';
    return absl::OkStatus();
  };
  for (std::string line; std::getline(std::cin, line);) {
    if (waiting.size() == kAtOnce) {
      if (auto status = write_first(); !status.ok()) return status;
    }
    engine::TranslationJob job;
    job.contents = {line};
    job.decoding.beam_size = beam;
    waiting.push_back(std::make_shared<testing::CollectingSink>());
    const engine::Admission admission = engine.Translate(job, waiting.back());
    if (!admission.status.ok()) return admission.status;
  }
  while (!waiting.empty()) {
    if (auto status = write_first(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Run(const std::string& directory, bench::Arguments arguments) {
  const auto type = Named("compute-type", arguments.Text("compute-type", "float16"),
                          {kernels::ComputeType::kFloat32, kernels::ComputeType::kFloat16,
                           kernels::ComputeType::kBFloat16},
                          kernels::ComputeTypeName);
  if (!type.ok()) return type.status();
  const auto output = Named("output-products", arguments.Text("output-products", "none"),
                            {kernels::QuantizedType::kNone, kernels::QuantizedType::kInt8,
                             kernels::QuantizedType::kFloat8},
                            kernels::QuantizedTypeName);
  if (!output.ok()) return output.status();
  const auto layers = Named("layer-products", arguments.Text("layer-products", "none"),
                            {kernels::QuantizedType::kNone, kernels::QuantizedType::kInt8},
                            kernels::QuantizedTypeName);
  if (!layers.ok()) return layers.status();
  engine::SetEmulatedCapability(static_cast<int>(arguments.Number("capability", 90)));
  const auto beam = static_cast<int>(arguments.Number("beam", 4));
  arguments.RefuseOthers();

  auto loaded = engine::LoadModel(directory);
  if (!loaded.ok()) return loaded.status();
  testing::FakeClock clock;
  testing::CountingObserver observer;
  engine::EmulatedEngineConfig config;
  config.type = *type;
  config.options.output_products = *output;
  config.options.layer_products = *layers;
  auto engine = engine::StartEmulatedEngine(*std::move(loaded), config, &clock, &observer);
  if (!engine.ok()) return engine.status();
  return Translate(**engine, beam);
}

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "emulated_translate: expected the directory of a model\n";
    return 2;
  }
  const absl::Status status = dragoman::Run(argv[1], dragoman::bench::Arguments(argc, argv, 2));
  if (!status.ok()) std::cerr << "emulated_translate: " << status << '\n';
  return status.ok() ? 0 : 1;
}
