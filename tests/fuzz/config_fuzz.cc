// Input: config.json, generation_config.json and tokenizer_config.json with a zero byte between
// them; the last two may be missing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/layouts/hf/config.h"
#include "engine/model/tokenizers/languages.h"
#include "kernels/search/options.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

std::optional<std::string> NextText(std::optional<std::string_view>* rest) {
  if (!rest->has_value()) return std::nullopt;
  const std::string_view all = **rest;
  const size_t end = all.find('\0');
  if (end == std::string_view::npos) {
    rest->reset();
  } else {
    *rest = all.substr(end + 1);
  }
  return std::string(all.substr(0, end));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::optional<std::string_view> rest =
      std::string_view(reinterpret_cast<const char*>(data), size);
  dragoman::engine::HfConfigTexts texts;
  texts.config = NextText(&rest).value_or("");
  texts.generation = NextText(&rest);
  texts.tokenizer.config = NextText(&rest);
  const auto config = dragoman::engine::ParseHfConfig(texts);
  if (!config.ok()) return 0;

  const dragoman::engine::ModelSpec& spec = config->spec;
  const dragoman::engine::GenerationDefaults& generation = spec.generation;
  const auto is_target = [&](int id) { return id >= 0 && id < spec.shape.target_vocab; };
  dragoman::FuzzCheck(spec.shape.head_dim > 0 ||
                      spec.shape.d_model % spec.shape.encoder_heads == 0);
  for (const dragoman::engine::LanguagePrompt& prompt : config->tokenizer.prompts) {
    dragoman::FuzzCheck(!prompt.source.empty() && !prompt.target.empty());
  }
  dragoman::FuzzCheck(is_target(spec.tokens.eos) && is_target(spec.tokens.pad) &&
                      is_target(spec.tokens.decoder_start));
  for (const std::vector<int>& word : generation.bad_words) {
    dragoman::FuzzCheck(!word.empty() && std::all_of(word.begin(), word.end(), is_target));
  }
  dragoman::FuzzCheck(
      std::all_of(spec.tokens.more_eos.begin(), spec.tokens.more_eos.end(), is_target) &&
      spec.tokens.more_eos.size() <= dragoman::kernels::kMaxMoreEos);
  dragoman::FuzzCheck(
      std::all_of(generation.not_first.begin(), generation.not_first.end(), is_target) &&
      generation.not_first.size() <= dragoman::kernels::kMaxNotFirst);
  dragoman::FuzzCheck(is_target(generation.forced_bos.value_or(0)) &&
                      is_target(generation.forced_eos.value_or(0)));
  const int forced = (generation.forced_bos ? 1 : 0) + (generation.forced_eos ? 1 : 0);
  dragoman::FuzzCheck(generation.max_length >= 2 + forced &&
                      generation.max_length <= spec.shape.max_positions + 1 &&
                      generation.min_length < generation.max_length);

  const dragoman::engine::LanguageMap languages(config->tokenizer.source_language,
                                                config->tokenizer.target_language, {});
  for (const auto& pair : languages.Pairs()) {
    dragoman::FuzzCheck(languages.Resolve(pair.source, pair.target).ok());
  }
  return 0;
}
