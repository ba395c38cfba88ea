#include "engine/model/tokenizers/tokenizer_rules.h"

#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_json.h"

namespace dragoman::engine {
namespace {

absl::Status NoSuchKind(std::string_view asked, std::string_view supported,
                        const TokenizerOffer& offer) {
  return absl::UnimplementedError(Concat(
      "setting tokenizer: found ", asked, ", which is not supported with ", offer.tokenizer_class,
      ": there is no ", asked, " tokenizer; supported: auto, ", supported));
}

absl::Status NoSuchFile(std::string_view file, std::string_view asked, std::string_view other) {
  return absl::NotFoundError(Concat(file, ": no such file, which the setting tokenizer = ", asked,
                                    " reads; ", other, " would read another"));
}

}  // namespace

absl::Status RequireSlow(TokenizerChoice choice, std::string_view what) {
  if (choice != TokenizerChoice::kFast) return absl::OkStatus();
  return NoSuchKind("fast", "slow", {.tokenizer_class = std::string(what)});
}

bool IsTokenizersBackend(std::string_view tokenizer_class) {
  return tokenizer_class == "TokenizersBackend" || tokenizer_class == "PreTrainedTokenizerFast";
}

absl::StatusOr<TokenizerRules> RulesOf(TokenizerChoice choice, const TokenizerOffer& offer,
                                       std::vector<std::string>* notes) {
  if (choice == TokenizerChoice::kSlow) {
    if (offer.kinds == TokenizerOffer::kFastOnly) return NoSuchKind("slow", "fast", offer);
    if (!offer.has_slow) return NoSuchFile(offer.slow_file, "slow", "fast");
    return TokenizerRules::kSlow;
  }
  if (choice == TokenizerChoice::kFast) {
    if (offer.kinds == TokenizerOffer::kSlowOnly) return NoSuchKind("fast", "slow", offer);
    if (!offer.has_fast) return NoSuchFile(kTokenizerJsonFile, "fast", "slow");
    return TokenizerRules::kFast;
  }
  if (offer.kinds == TokenizerOffer::kFastOnly) return TokenizerRules::kFast;
  if (offer.kinds == TokenizerOffer::kSlowOnly) return TokenizerRules::kSlow;
  if (offer.has_slow && offer.has_fast) {
    notes->push_back(Concat("texts are cut by ", offer.slow_file,
                            ", as by AutoTokenizer with use_fast=False; ", kTokenizerJsonFile,
                            ", by which odd texts are cut in another way, is not read: setting ",
                            "tokenizer = fast"));
  }
  return offer.has_fast && !offer.has_slow ? TokenizerRules::kFast : TokenizerRules::kSlow;
}

}  // namespace dragoman::engine
