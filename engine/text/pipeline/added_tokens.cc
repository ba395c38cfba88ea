#include "engine/text/pipeline/added_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/sentencepiece/spm_normalizer.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {
namespace {

TextRange RangeOf(const NormalizedText& part) { return {part.origin.front(), part.origin.back()}; }

}  // namespace

AddedTokenModel::AddedTokenModel(std::shared_ptr<const SubwordModel> model,
                                 std::vector<AddedToken> tokens, TokenizerRules rules)
    : model_(std::move(model)), tokens_(std::move(tokens)), rules_(rules) {
  if (rules_ == TokenizerRules::kSlow) {
    slow_text_ = SlowTokenSplitter(tokens_, false);
    slow_prompt_ = SlowTokenSplitter(tokens_, true);
    for (const AddedToken& token : tokens_) {
      if (!token.special) alone_.insert(token.text);
    }
    return;
  }
  std::vector<std::pair<std::string, int32_t>> raw;
  std::vector<std::pair<std::string, int32_t>> normalized;
  // Special tokens come first, as in the tokenizers library. The first of two equal texts counts.
  for (const bool special : {true, false}) {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const AddedToken& token = tokens_[i];
      if (token.special != special) continue;
      const auto index = static_cast<int32_t>(i);
      if (token.normalized) {
        normalized.emplace_back(model_->Normalize(token.text).text, index);
      } else {
        raw.emplace_back(token.text, index);
      }
    }
  }
  fast_ = FastTokenSplitter(std::move(raw));
  fast_normalized_ = FastTokenSplitter(std::move(normalized));
}

std::vector<SubwordToken> AddedTokenModel::EncodeWith(std::string_view text, TextStart start,
                                                      bool special_too) const {
  if (text.empty()) return {};
  std::vector<SubwordToken> tokens = rules_ == TokenizerRules::kSlow
                                         ? EncodeSlow(text, start, special_too)
                                         : EncodeFast(text, start, special_too);
  // The white space between two added tokens may be in the ranges of both. The first one keeps it.
  int64_t end = 0;
  for (SubwordToken& token : tokens) {
    token.range.begin = std::max(token.range.begin, end);
    token.range.end = end = std::max(token.range.end, token.range.begin);
  }
  return tokens;
}

std::vector<SubwordToken> AddedTokenModel::EncodeSlow(std::string_view text, TextStart start,
                                                      bool special_too) const {
  const SlowTokenSplitter& splitter = special_too ? slow_prompt_ : slow_text_;
  std::vector<SubwordToken> tokens;
  for (const TextPart& part : splitter.Split(model_->Prepare(text, start), tokens_)) {
    if (part.token >= 0) {
      const AddedToken& token = tokens_[static_cast<size_t>(part.token)];
      // Drop a single space mark before a special token, as tokenization_t5.py does, because the
      // mark belongs to no word.
      if (token.special && tokens.size() == 1 && tokens.front().piece == kSpaceMark) tokens.clear();
      tokens.push_back({token.text, RangeOf(part.text)});
      start = TextStart::kAfterToken;
      continue;
    }
    std::vector<SubwordToken> own = model_->Cut(part.text.text, start);
    MapRanges(part.text.origin, &own);
    std::move(own.begin(), own.end(), std::back_inserter(tokens));
    start = TextStart::kAfterToken;
  }
  return tokens;
}

std::vector<SubwordToken> AddedTokenModel::EncodeFast(std::string_view text, TextStart start,
                                                      bool special_too) const {
  std::vector<SubwordToken> tokens;
  const auto add_token = [&](const TextPart& part) {
    tokens.push_back({tokens_[static_cast<size_t>(part.token)].text, RangeOf(part.text)});
  };
  for (const TextPart& raw : fast_.Split(model_->Prepare(text, start), tokens_, special_too)) {
    if (raw.token >= 0) {
      add_token(raw);
      continue;
    }
    NormalizedText normal = model_->Normalize(raw.text.text);
    for (int32_t& origin : normal.origin) {
      origin = raw.text.origin[static_cast<size_t>(origin)];
    }
    for (const TextPart& part : fast_normalized_.Split(normal, tokens_, special_too)) {
      if (part.token >= 0) {
        add_token(part);
        continue;
      }
      const bool begins = part.text.origin.front() == 0;
      std::vector<SubwordToken> own =
          model_->Cut(part.text.text, begins ? start : TextStart::kAfterToken);
      MapRanges(part.text.origin, &own);
      std::move(own.begin(), own.end(), std::back_inserter(tokens));
    }
  }
  return tokens;
}

PieceText AddedTokenModel::Decode(std::span<const std::string_view> pieces, bool after_text,
                                  bool is_prefix) const {
  if (rules_ == TokenizerRules::kFast) return model_->Decode(pieces, after_text, is_prefix);
  // Joins the parts with single spaces, as _decode of tokenization_utils.py does.
  PieceText joined;
  joined.ranges.resize(pieces.size());
  bool is_first = !after_text;
  const auto separate = [&] {
    if (!is_first) joined.text += ' ';
    is_first = false;
  };
  for (size_t begin = 0; begin < pieces.size();) {
    const auto is_alone = [&](std::string_view piece) { return alone_.contains(piece); };
    const auto rest = pieces.subspan(begin);
    if (is_alone(rest.front())) {
      separate();
      const auto from = static_cast<int64_t>(joined.text.size());
      joined.text += rest.front();
      joined.ranges[begin++] = {from, static_cast<int64_t>(joined.text.size())};
      continue;
    }
    const auto stop = std::find_if(rest.begin(), rest.end(), is_alone);
    const auto own = rest.first(static_cast<size_t>(stop - rest.begin()));
    // With `after_text`, the first part continues the text before it, so no space goes between
    // them.
    const bool goes_on = begin == 0 && after_text;
    PieceText part = model_->Decode(own, goes_on, is_prefix && stop == rest.end());
    std::string_view text = part.text;
    size_t left = 0;
    // transformers' tokenizers that use SentencePiece strip each part before they join the parts.
    if (word_mark() == kSpaceMark) {
      const std::string_view stripped = StripWhiteSpace(text);
      if (!goes_on) left = static_cast<size_t>(stripped.data() - text.data());
      text = text.substr(
          left, static_cast<size_t>(stripped.data() - text.data()) + stripped.size() - left);
    }
    if (!text.empty() && !goes_on) separate();
    if (goes_on) is_first = false;
    const auto from = static_cast<int64_t>(joined.text.size());
    for (size_t i = 0; i < own.size(); ++i) {
      const auto place = [&](int64_t at) {
        const auto offset = static_cast<int64_t>(left);
        return from + std::clamp<int64_t>(at - offset, 0, static_cast<int64_t>(text.size()));
      };
      joined.ranges[begin + i] = {place(part.ranges[i].begin), place(part.ranges[i].end)};
    }
    joined.text += text;
    begin += own.size();
  }
  return joined;
}

}  // namespace dragoman::engine
