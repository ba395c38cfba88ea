#include "engine/model/layouts/ensemble_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "engine/base/concat.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {
namespace {

// Compares two models of an ensemble. Messages name them by their directories.
class Comparison {
 public:
  Comparison(std::string first, std::string other)
      : first_(std::move(first)), other_(std::move(other)) {}

  template <typename Value>  // a text or a number
  absl::Status Check(std::string_view what, const Value& expected, const Value& found) const {
    return expected == found ? absl::OkStatus() : Differs(what, Concat(expected), Concat(found));
  }
  // Compares two values that are too long for a message. The message names the first differing
  // byte.
  absl::Status CheckBytes(std::string_view what, const std::string& expected,
                          const std::string& found) const {
    if (expected == found) return absl::OkStatus();
    const auto differ = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    return Differs(what, "the same bytes",
                   Concat(found.size(), " bytes, of which number ", differ.first - expected.begin(),
                          " is the first that differs"));
  }
  absl::Status CheckPieces(std::string_view side, const Vocabulary& expected,
                           const Vocabulary& found) const {
    for (int id = 0; id < std::max(expected.size(), found.size()); ++id) {
      if (expected.PieceOf(id) == found.PieceOf(id)) continue;
      const auto piece = [id](const Vocabulary& v) {
        return id < v.size() ? Concat("\"", v.PieceOf(id), "\"") : std::string("nothing");
      };
      return Differs(Concat(side, " vocabulary: id ", id), piece(expected), piece(found));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Differs(std::string_view what, const std::string& expected,
                       const std::string& found) const {
    return absl::InvalidArgumentError(Concat(other_, ": ", what, ": found ", found, ", expected ",
                                             expected, " as in ", first_,
                                             ", with which it is to be an ensemble"));
  }

  const std::string first_;
  const std::string other_;
};

std::string TextOf(const std::vector<int>& ids) {
  return Concat("[", absl::StrJoin(ids, ", "), "]");
}

std::string TextOf(const TokenizerDescription& facts) {
  std::string text = facts.rules == TokenizerRules::kSlow ? "slow" : "fast";
  for (const AddedToken& token : facts.added) {
    text += Concat(", '", token.text, "'");
    for (const bool flag :
         {token.special, token.single_word, token.lstrip, token.rstrip, token.normalized}) {
      text += flag ? '1' : '0';
    }
  }
  return text;
}

std::string TextOf(const std::vector<ModelLanguagePair>& pairs) {
  return absl::StrJoin(pairs, ", ", [](std::string* text, const ModelLanguagePair& pair) {
    *text += Concat(pair.source, "-", pair.target);
  });
}

absl::Status CheckAlike(const std::string& first_name, const LoadedModel& first,
                        const std::string& other_name, const LoadedModel& other) {
  const Comparison compare(first_name, other_name);
  const SpecialIds& a = first.spec.tokens;
  const SpecialIds& b = other.spec.tokens;
  for (const absl::Status& status :
       {compare.CheckPieces("target", first.TargetVocabulary(), other.TargetVocabulary()),
        compare.CheckPieces("source", first.source_vocabulary, other.source_vocabulary),
        compare.Check("rows of the output layer", first.program.vocabulary(),
                      other.program.vocabulary()),
        compare.Check("end of sentence", a.eos, b.eos),
        compare.Check("other ends", TextOf(a.more_eos), TextOf(b.more_eos)),
        compare.Check("unknown token", a.unk, b.unk), compare.Check("padding token", a.pad, b.pad),
        compare.Check("start token", a.decoder_start, b.decoder_start),
        compare.CheckBytes("tokenizer of the source", first.tokenizer.source_spm,
                           other.tokenizer.source_spm),
        compare.CheckBytes("tokenizer of the target", first.tokenizer.target_spm,
                           other.tokenizer.target_spm),
        compare.Check("rules of the tokenizer and its added tokens", TextOf(first.tokenizer),
                      TextOf(other.tokenizer)),
        compare.Check("end of a source", first.tokenizer.ends_source, other.tokenizer.ends_source),
        compare.Check("special tokens", TextOf(first.tokenizer.special),
                      TextOf(other.tokenizer.special)),
        compare.Check("languages", TextOf(first.languages.Pairs()),
                      TextOf(other.languages.Pairs()))}) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoadedModel> LoadEnsemble(const std::vector<std::string>& directories,
                                         TokenizerChoice tokenizer, LoadContext* load) {
  if (directories.size() < 2 || directories.size() > kernels::kMaxEnsembleMembers) {
    return absl::InvalidArgumentError(Concat("ensemble: found ", directories.size(),
                                             " members, expected 2 to ",
                                             kernels::kMaxEnsembleMembers));
  }
  absl::StatusOr<LoadedModel> first = LoadModel(directories.front(), tokenizer, load);
  if (!first.ok()) return first;
  first->spec.is_ensemble = true;
  for (size_t m = 1; m < directories.size(); ++m) {
    absl::StatusOr<LoadedModel> other = LoadModel(directories[m], tokenizer, load);
    if (!other.ok()) return other;
    if (absl::Status status = CheckAlike(directories.front(), *first, directories[m], *other);
        !status.ok()) {
      return status;
    }
    int& positions = first->spec.shape.max_positions;
    positions = std::min(positions, other->spec.shape.max_positions);
    int& source = first->tokenizer.max_source_tokens;
    source = std::min(source, other->tokenizer.max_source_tokens);
    for (std::string& note : other->notes) {
      first->notes.push_back(Concat(directories[m], ": ", note));
    }
    first->others.push_back({std::move(other->program), std::move(other->weights)});
  }
  return first;
}

int64_t ParametersOf(const LoadedModel& loaded) {
  int64_t parameters = ParameterCount(loaded.program);
  for (const LoadedNetwork& other : loaded.others) parameters += ParameterCount(other.program);
  return parameters;
}

}  // namespace dragoman::engine
