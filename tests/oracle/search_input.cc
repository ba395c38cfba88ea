#include "tests/oracle/search_input.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dragoman::oracle {
namespace {

std::vector<double> LogOf(const std::vector<double>& probabilities) {
  std::vector<double> logs;
  logs.reserve(probabilities.size());
  for (const double p : probabilities) logs.push_back(std::log(p));
  return logs;
}

// Reports an error of field `name` unless the row has a probability for each token.
void CheckRow(Fields& model, const char* name, const std::vector<double>& row, int32_t vocabulary) {
  bool good = row.size() == static_cast<size_t>(vocabulary);
  for (const double p : row) good = good && p >= 0 && p <= 1;
  if (!good) model.Fail(name, "expected rows of probabilities, one for each token");
}

// Returns the rows of `next` or `override`, with their keys as lists of tokens.
std::map<Tokens, std::vector<double>> ReadRows(Fields& model, const char* name,
                                               int32_t vocabulary) {
  std::map<Tokens, std::vector<double>> rows;
  if (!model.Has(name)) return rows;
  const Json& object = model.Any(name);
  if (!object.is_object()) {
    model.Fail(name, "expected an object");
    return rows;
  }
  Fields fields(object, name);
  for (const auto& [key, value] : object.items()) {
    Tokens tokens;
    const std::vector<std::string> words = absl::StrSplit(key, ' ', absl::SkipEmpty());
    for (const std::string& word : words) {
      int32_t token = -1;
      if (!absl::SimpleAtoi(word, &token) || token < 0 || token >= vocabulary) {
        model.Fail(name, absl::StrCat("key '", key, "' is no list of token ids"));
      }
      tokens.push_back(token);
    }
    rows[tokens] = fields.Reals(key);
    CheckRow(model, name, rows[tokens], vocabulary);
  }
  if (absl::Status status = fields.status(); !status.ok()) {
    model.Fail(name, std::string(status.message()));
  }
  return rows;
}

CaseModel ReadModel(Fields& input) {
  Fields fields(input.Any("model"), "input.model");
  CaseModel model;
  model.vocabulary = static_cast<int32_t>(fields.Int("vocab_size", 1, kMaxVocabulary));
  model.eos = static_cast<int32_t>(fields.Int("eos", 0, model.vocabulary - 1));
  model.start = fields.Reals("start");
  CheckRow(fields, "start", model.start, model.vocabulary);
  for (const auto& [key, row] : ReadRows(fields, "next", model.vocabulary)) {
    if (key.size() != 1) {
      fields.Fail("next", "a key is not one token");
      continue;
    }
    model.next[key[0]] = row;
  }
  model.whole_prefix = ReadRows(fields, "override", model.vocabulary);
  if (absl::Status status = fields.status(); !status.ok()) {
    input.Fail("model", std::string(status.message()));
  }
  return model;
}

}  // namespace

void ReadSearch(Fields& input, SearchCase& c) {
  c.model = ReadModel(input);
  const int64_t last = c.model.vocabulary - 1;
  c.beam = static_cast<int32_t>(input.Int(input.Has("k") ? "k" : "beam", 1, kMaxBeam));
  c.max_len = static_cast<int32_t>(
      input.Int(input.Has("decode_max_len") ? "decode_max_len" : "max_len", 0, kMaxLen));
  c.min_len = static_cast<int32_t>(input.IntOr("min_len", 0, 0, kMaxLen));
  c.no_repeat_ngram = static_cast<int32_t>(input.IntOr("no_repeat_ngram", 0, 0, kMaxLen));
  c.forced_prefix = input.IdsOr("forced_prefix", last);
  c.avoid = input.IdRowsOr("avoid", last);
  if (!input.Has("forced_eos")) return;
  const std::map<std::string, CaseForcedEos> names = {{"model", CaseForcedEos::kModel},
                                                      {"zero", CaseForcedEos::kZero},
                                                      {"none", CaseForcedEos::kNone}};
  const auto named = names.find(input.Text("forced_eos"));
  if (named == names.end()) {
    input.Fail("forced_eos", "expected model, zero or none");
  } else {
    c.forced_eos = named->second;
  }
}

std::vector<double> CaseModel::LogProbs(std::span<const int32_t> prefix) const {
  if (const auto it = whole_prefix.find(Tokens(prefix.begin(), prefix.end()));
      it != whole_prefix.end()) {
    return LogOf(it->second);
  }
  if (prefix.empty()) return LogOf(start);
  const auto it = next.find(prefix.back());
  if (it == next.end()) {
    return std::vector<double>(static_cast<size_t>(vocabulary),
                               -std::numeric_limits<double>::infinity());
  }
  return LogOf(it->second);
}

}  // namespace dragoman::oracle
