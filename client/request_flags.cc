#include "client/request_flags.h"

#include <limits>

namespace dragoman {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

}  // namespace

void RequestFlags::AddTo(FlagTable* flags) {
  flags->String("from", "LANG", &from_,
                "source language, as de (default: the model's, if it has one)");
  flags->String("to", "LANG", &to_, "target language, as en (default: the model's, if it has one)");
  flags->String("model", "NAME", &model_, "model (default: the server's)");
  flags->OptionalInt("beam", "K", 1, kMaxInt32, &beam_, "beam size (default: the model's)");
  flags->OptionalNumber("length-penalty", "X", -10, 10, &length_penalty_,
                        "scores are divided by length ^ X; above 1 favours long output");
  flags->Choice("stop-rule", {"first_k", "heuristic", "never"}, &stop_rule_, "when a search ends");
  flags->OptionalNumber("patience", "X", 0, 64, &patience_, "of first_k: K = beam x patience");
  flags->OptionalInt("max-output-tokens", "N", 0, kMaxInt32, &max_output_tokens_,
                     "longest output of a sentence");
  flags->OptionalInt("min-output-tokens", "N", 0, kMaxInt32, &min_output_tokens_,
                     "shortest output of a sentence");
  flags->OptionalNumber("max-length-ratio", "X", 0, 1000, &max_length_ratio_,
                        "longest output: X x source tokens + extra (default 3)");
  flags->OptionalInt("max-length-extra", "N", 0, kMaxInt32, &max_length_extra_,
                     "see --max-length-ratio (default 20)");
  flags->Choice("forced-eos", {"model", "zero", "none"}, &forced_eos_,
                "end-of-sentence of an output at its limit");
  flags->Choice("split", {"sentences", "lines", "none"}, &split_,
                "how a text is cut for the model (default sentences;\n"
                "none with several alternatives)");
  flags->Choice("on-too-long", {"split", "reject"}, &on_too_long_,
                "what to do with a sentence that is too long for\n"
                "the model (default split)");
  flags->Choice("priority", {"interactive", "normal", "bulk"}, &priority_,
                "of the request (default normal)");
}

v1::TranslateRequest RequestFlags::Request() const {
  using Decoding = v1::DecodingOptions;
  using Segmentation = v1::Segmentation;
  v1::TranslateRequest request;
  request.set_source_language_code(from_);
  request.set_target_language_code(to_);
  request.set_model(model_);
  Decoding* decoding = request.mutable_decoding();
  if (beam_) decoding->set_beam_size(static_cast<int32_t>(*beam_));
  if (length_penalty_) decoding->set_length_penalty(static_cast<float>(*length_penalty_));
  if (stop_rule_ == "first_k") decoding->set_stop_rule(Decoding::FIRST_K);
  if (stop_rule_ == "heuristic") decoding->set_stop_rule(Decoding::HEURISTIC);
  if (stop_rule_ == "never") decoding->set_stop_rule(Decoding::NEVER);
  if (patience_) decoding->set_patience(static_cast<float>(*patience_));
  if (max_output_tokens_) {
    decoding->set_max_output_tokens(static_cast<int32_t>(*max_output_tokens_));
  }
  if (min_output_tokens_) {
    decoding->set_min_output_tokens(static_cast<int32_t>(*min_output_tokens_));
  }
  if (max_length_ratio_) decoding->set_max_length_ratio(static_cast<float>(*max_length_ratio_));
  if (max_length_extra_) {
    decoding->set_max_length_extra(static_cast<int32_t>(*max_length_extra_));
  }
  if (forced_eos_ == "model") decoding->set_forced_eos(Decoding::MODEL);
  if (forced_eos_ == "zero") decoding->set_forced_eos(Decoding::ZERO);
  if (forced_eos_ == "none") decoding->set_forced_eos(Decoding::NONE);
  if (!split_.empty() || !on_too_long_.empty()) {
    Segmentation* segmentation = request.mutable_segmentation();
    if (split_ == "sentences") segmentation->set_split(Segmentation::SENTENCES);
    if (split_ == "lines") segmentation->set_split(Segmentation::LINES);
    if (split_ == "none") segmentation->set_split(Segmentation::NONE);
    if (on_too_long_ == "split") segmentation->set_on_too_long(Segmentation::SPLIT);
    if (on_too_long_ == "reject") segmentation->set_on_too_long(Segmentation::REJECT);
  }
  if (priority_ == "interactive") request.set_priority(v1::INTERACTIVE);
  if (priority_ == "normal") request.set_priority(v1::NORMAL);
  if (priority_ == "bulk") request.set_priority(v1::BULK);
  return request;
}

}  // namespace dragoman
