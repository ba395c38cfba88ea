#include "client/commands/request_flags.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "tests/support/expect_ok.h"

namespace dragoman::client {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<v1::TranslateRequest> RequestOf(const std::vector<std::string>& arguments) {
  RequestFlags request;
  FlagTable table;
  request.AddTo(&table);
  const auto positional = table.Parse(arguments);
  if (!positional.ok()) return positional.status();
  return request.Request();
}

struct FlagCase {
  std::vector<std::string> arguments;
  // The request that the arguments make, in protobuf's text format.
  const char* expected;
};

const std::vector<FlagCase>& Cases() {
  static const auto* const kCases = new std::vector<FlagCase>{
      {{"--from", "de"}, "source_language_code: 'de'"},
      {{"--source-language-code", "de"}, "source_language_code: 'de'"},
      {{"--target-language-code", "en"}, "target_language_code: 'en'"},
      {{"--to", "en"}, "target_language_code: 'en'"},
      {{"--model", "m"}, "model: 'm'"},
      {{"--html"}, "mime_type: 'text/html'"},
      {{"--split", "none"}, "segmentation { split: NONE }"},
      {{"--split", "lines"}, "segmentation { split: LINES }"},
      {{"--split", "sentences"}, "segmentation { split: SENTENCES }"},
      {{"--on-too-long", "reject"}, "segmentation { on_too_long: REJECT }"},
      {{"--on-too-long", "split"}, "segmentation { on_too_long: SPLIT }"},
      {{"--priority", "interactive"}, "priority: INTERACTIVE"},
      {{"--priority", "normal"}, "priority: NORMAL"},
      {{"--priority", "bulk"}, "priority: BULK"},
      {{"--profile", "hf"}, "decoding { profile: HF }"},
      {{"--profile", "ct2"}, "decoding { profile: CT2 }"},
      {{"--profile", "marian"}, "decoding { profile: MARIAN }"},
      {{"--profile", "paper"}, "decoding { profile: PAPER }"},
      {{"--profile", "article"}, "decoding { profile: ARTICLE }"},
      {{"--beam-size", "12"}, "decoding { beam_size: 12 }"},
      {{"--beam", "12"}, "decoding { beam_size: 12 }"},
      {{"--num-alternatives", "3"}, "decoding { num_alternatives: 3 }"},
      {{"--nbest", "3"}, "decoding { num_alternatives: 3 }"},
      {{"--length-penalty", "0.6"}, "decoding { length_penalty: 0.6 }"},
      {{"--penalty", "power"}, "decoding { penalty: POWER }"},
      {{"--penalty", "gnmt"}, "decoding { penalty: GNMT }"},
      {{"--finalisation", "immediate"}, "decoding { finalisation: IMMEDIATE }"},
      {{"--finalisation", "on_beam"}, "decoding { finalisation: ON_BEAM }"},
      {{"--finalisation", "keep"}, "decoding { finalisation: KEEP }"},
      {{"--stop-rule", "first_k"}, "decoding { stop_rule: FIRST_K }"},
      {{"--stop-rule", "heuristic"}, "decoding { stop_rule: HEURISTIC }"},
      {{"--stop-rule", "never"}, "decoding { stop_rule: NEVER }"},
      {{"--stop-rule", "all_beams"}, "decoding { stop_rule: ALL_BEAMS }"},
      {{"--patience", "2"}, "decoding { patience: 2 }"},
      {{"--forced-eos", "model"}, "decoding { forced_eos: MODEL }"},
      {{"--forced-eos", "zero"}, "decoding { forced_eos: ZERO }"},
      {{"--forced-eos", "none"}, "decoding { forced_eos: NONE }"},
      {{"--max-output-tokens", "50"}, "decoding { max_output_tokens: 50 }"},
      {{"--min-output-tokens", "0"}, "decoding { min_output_tokens: 0 }"},
      {{"--max-length-ratio", "4"}, "decoding { max_length_ratio: 4 }"},
      {{"--max-length-extra", "0"}, "decoding { max_length_extra: 0 }"},
      {{"--no-repeat-ngram", "3"}, "decoding { no_repeat_ngram: 3 }"},
      {{"--repetition-penalty", "1.2"}, "decoding { repetition_penalty: 1.2 }"},
      {{"--pruning-absolute-delta", "1"}, "decoding { pruning { absolute_delta: 1 } }"},
      {{"--prune-delta", "0"}, "decoding { pruning { absolute_delta: 0 } }"},
      {{"--prune-relative", "0.6"}, "decoding { pruning { relative: 0.6 } }"},
      {{"--max-candidates", "5"}, "decoding { pruning { max_candidates: 5 } }"},
      {{"--require", "a b", "--require", "c"},
       "decoding { required_phrases { text: 'a b' } required_phrases { text: 'c' } }"},
      {{"--require-at-end", "end."}, "decoding { required_phrases { text: 'end.' at_end: true } }"},
      {{"--forbid", "x", "--forbid", "y"},
       "decoding { forbidden_phrases: 'x' forbidden_phrases: 'y' }"},
      {{"--constraint-prune", "5"}, "decoding { constraint_prune: 5 }"},
      {{"--constraint-allocation", "stripe"}, "decoding { constraint_allocation: STRIPE }"},
      {{"--constraint-allocation", "banks"}, "decoding { constraint_allocation: BANKS }"},
      {{"--term-placement", "anywhere"}, "decoding { term_placement: ANYWHERE }"},
      {{"--term-placement", "aligned"}, "decoding { term_placement: ALIGNED }"},
      {{"--alignment-layer", "0"}, "decoding { alignment_layer: 0 }"},
      {{"--alignment-heads", "4,0"}, "decoding { alignment_heads: 4 alignment_heads: 0 }"},
      {{"--eos-penalty", "0.5"}, "decoding { eos_penalty: 0.5 }"},
      {{"--temperature", "0.7"}, "decoding { temperature: 0.7 }"},
      {{"--sample"}, "decoding { sampling { } }"},
      {{"--sample", "--top-k", "8"}, "decoding { sampling { top_k: 8 } }"},
      {{"--sample", "--top-p", "0.9"}, "decoding { sampling { top_p: 0.9 } }"},
      {{"--sampling", "--sampling-seed", "18446744073709551615"},
       "decoding { sampling { seed: 18446744073709551615 } }"},
      {{"--term", "Hund=dog", "--term", "Kat\\=ze=c\\\\at"},
       "terms { source: 'Hund' target: 'dog' } terms { source: 'Kat=ze' target: 'c\\\\at' }"},
      {{"--term", "Hund=dog", "--term-ignore-case"},
       "terms { source: 'Hund' target: 'dog' ignore_case: true }"},
      {{"--glossary", "names"}, "glossary_config { glossary: 'names' }"},
      {{"--glossary", "names", "--glossary-ignore-case"},
       "glossary_config { glossary: 'names' ignore_case: true }"},
      {{"--do-not-translate", "a", "--do-not-translate", "b"},
       "do_not_translate: 'a' do_not_translate: 'b'"},
      {{"--preserve", "on"}, "preserve: true"},
      {{"--preserve", "off"}, "preserve: false"},
      {{"--recase", "off"}, "recase: false"},
      {{"--guard", "retry"}, "guard: RETRY"},
  };
  return *kCases;
}

TEST(RequestFlags, EveryFlagMakesItsField) {
  for (const FlagCase& flag : Cases()) {
    const auto request = ExpectOk(RequestOf(flag.arguments));
    v1::TranslateRequest expected;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(flag.expected, &expected))
        << flag.expected;
    expected.mutable_decoding();
    EXPECT_EQ(request->DebugString(), expected.DebugString()) << flag.arguments[0];
  }
}

void AddLeaves(const google::protobuf::Descriptor& type, const std::string& prefix,
               std::set<std::string>* paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const auto* field = type.field(i);
    if (field->message_type() != nullptr && !field->is_map()) {
      AddLeaves(*field->message_type(), prefix + field->name() + ".", paths);
    } else {
      paths->insert(prefix + field->name());
    }
  }
}

void RemoveSet(const google::protobuf::Message& message, const std::string& prefix,
               std::set<std::string>* paths) {
  std::vector<const google::protobuf::FieldDescriptor*> set;
  const auto* reflection = message.GetReflection();
  reflection->ListFields(message, &set);
  for (const auto* field : set) {
    if (field->message_type() == nullptr) {
      paths->erase(prefix + field->name());
    } else if (!field->is_repeated()) {
      RemoveSet(reflection->GetMessage(message, field), prefix + field->name() + ".", paths);
    } else {
      RemoveSet(reflection->GetRepeatedMessage(message, field, 0), prefix + field->name() + ".",
                paths);
    }
  }
}

TEST(RequestFlags, LeavesNoFieldOutOfReach) {
  std::set<std::string> missing;
  AddLeaves(*v1::TranslateRequest::descriptor(), "", &missing);
  for (const FlagCase& flag : Cases()) {
    const auto request = ExpectOk(RequestOf(flag.arguments));
    RemoveSet(*request, "", &missing);
  }
  // The commands fill in some of these fields themselves. The others are of no use on a command
  // line.
  for (const char* other :
       {"contents", "target_prefixes", "return_options.scores", "return_options.tokens",
        "return_options.token_scores", "return_options.alignment", "return_options.timings",
        "return_options.partials", "parent", "labels", "request_id"}) {
    EXPECT_EQ(missing.erase(other), 1U) << other;
  }
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

TEST(RequestFlags, AFlagWithoutEffectIsRefused) {
  const auto error = [](const std::vector<std::string>& arguments) {
    return std::string(RequestOf(arguments).status().message());
  };
  EXPECT_EQ(error({"--top-k", "3"}), "--sampling-top-k (--top-k) needs --sampling");
  EXPECT_EQ(error({"--top-p", "0.5"}), "--sampling-top-p (--top-p) needs --sampling");
  EXPECT_EQ(error({"--glossary-ignore-case"}), "--glossary-ignore-case needs --glossary");
  EXPECT_EQ(error({"--term-ignore-case"}), "--term-ignore-case needs --term");
}

TEST(RequestFlags, ValuesOutOfRangeAreRefusedWithTheRange) {
  const auto error = [](const std::vector<std::string>& arguments) {
    return std::string(RequestOf(arguments).status().message());
  };
  EXPECT_EQ(error({"--beam", "65"}), "--beam-size is '65', expected a whole number, 1..64");
  EXPECT_EQ(error({"--beam-size", "4x"}), "--beam-size is '4x', expected a whole number, 1..64");
  EXPECT_EQ(error({"--patience", "0"}), "--patience is '0', expected a number above 0, at most 64");
  EXPECT_EQ(error({"--length-penalty", "nan"}), "--length-penalty is 'nan', expected -10..10");
  EXPECT_EQ(error({"--prune-delta", "inf"}),
            "--pruning-absolute-delta is 'inf', expected a finite number from 0");
  EXPECT_EQ(error({"--sample", "--seed", "18446744073709551616"}),
            "--sampling-seed is '18446744073709551616', expected a whole number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(error({"--alignment-heads", "1,,2"}),
            "--alignment-heads is '1,,2', expected a whole number, at least 0");
  for (const char* choice : {"", "HF", "profile_unspecified", "gpt"}) {
    EXPECT_EQ(error({absl::StrCat("--profile=", choice)}),
              absl::StrCat("--profile is '", choice,
                           "', expected one of hf, ct2, marian, paper, article"));
  }
}

TEST(ParseTerm, HasOneBareEqualsSign) {
  const auto sides = [](const std::string& text) { return *ParseTerm(text); };
  using Sides = std::pair<std::string, std::string>;
  EXPECT_EQ(sides("der Hund= the dog"), Sides("der Hund", " the dog"));
  EXPECT_EQ(sides("a\\=b=c\\=d"), Sides("a=b", "c=d"));
  EXPECT_EQ(sides("a\\\\=b"), Sides("a\\", "b"));
  EXPECT_EQ(sides("="), Sides("", ""));
  const auto error = [](const std::string& text) {
    return std::string(ParseTerm(text).status().message());
  };
  EXPECT_EQ(error("Hund"), "--term is 'Hund', expected SOURCE=TARGET");
  EXPECT_EQ(error("a\\=b"), "--term is 'a\\=b', expected SOURCE=TARGET");
  EXPECT_THAT(error("a=b=c"), HasSubstr("which has several '=', expected one; write '\\='"));
  EXPECT_THAT(error("a\\n=b"), HasSubstr("a backslash stands before neither"));
  EXPECT_THAT(error("a=b\\"), HasSubstr("a backslash stands before neither"));
}

}  // namespace
}  // namespace dragoman::client
