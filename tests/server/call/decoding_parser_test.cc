// Tests every decoding option: its range, and that it reaches the job.
#include "server/call/request_parser.h"

#include <google/protobuf/descriptor.h>

#include <set>

#include "tests/server/call/request_fixture.h"

namespace dragoman::server {
namespace {

using D = v1::DecodingOptions;

template <typename E>
E Unknown() {
  return static_cast<E>(9);
}

struct RangeCase {
  const char* name;
  Change change;
  const char* field;
  const char* expected;
};

class OutOfRange : public ::testing::TestWithParam<RangeCase> {};

TEST_P(OutOfRange, IsRefusedByName) {
  const absl::Status status = ParseWith(GetParam().change).status;
  ExpectInvalid(status, GetParam().field);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(GetParam().expected));
}

// One number of each group; decoding_options_test.cc tests the limits of every number.
INSTANTIATE_TEST_SUITE_P(
    DecodingParser, OutOfRange,
    ::testing::Values(
        RangeCase{"Beam", DECODING(set_beam_size(65)), "decoding.beam_size", "1..64"},
        RangeCase{"LengthPenaltyNan", DECODING(set_length_penalty(kNan)), "decoding.length_penalty",
                  "-10..10"},
        RangeCase{"Pruning", DECODING(mutable_pruning()->set_absolute_delta(kInf)),
                  "decoding.pruning.absolute_delta", "a finite number from 0"},
        RangeCase{"Sampling", DECODING(mutable_sampling()->set_top_p(0.0F)),
                  "decoding.sampling.top_p", "above 0, at most 1"},
        RangeCase{"Head", DECODING(add_alignment_heads(-2)), "decoding.alignment_heads[0]",
                  "found -2, expected at least 0"},
        RangeCase{"Penalty", DECODING(set_penalty(Unknown<D::Penalty>())), "decoding.penalty",
                  "POWER, GNMT"},
        RangeCase{"StopRule", DECODING(set_stop_rule(Unknown<D::StopRule>())), "decoding.stop_rule",
                  "FIRST_K, HEURISTIC, NEVER, ALL_BEAMS"},
        RangeCase{"Finalisation", DECODING(set_finalisation(Unknown<D::Finalisation>())),
                  "decoding.finalisation", "IMMEDIATE, ON_BEAM, KEEP"},
        RangeCase{"Profile", DECODING(set_profile(static_cast<D::Profile>(-1))), "decoding.profile",
                  "HF, CT2, MARIAN, PAPER, ARTICLE"},
        RangeCase{"ForcedEos", DECODING(set_forced_eos(Unknown<D::ForcedEos>())),
                  "decoding.forced_eos", "MODEL, ZERO, NONE"},
        RangeCase{"Allocation",
                  DECODING(set_constraint_allocation(Unknown<D::ConstraintAllocation>())),
                  "decoding.constraint_allocation", "STRIPE, BANKS"},
        RangeCase{"Placement", DECODING(set_term_placement(Unknown<D::TermPlacement>())),
                  "decoding.term_placement", "ANYWHERE, ALIGNED"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    DecodingParserPhrases, OutOfRange,
    ::testing::Values(
        RangeCase{"RequiredEmpty", DECODING(add_required_phrases()),
                  "decoding.required_phrases[0].text", "is empty"},
        RangeCase{"RequiredSpace", DECODING(add_required_phrases()->set_text(" \t")),
                  "decoding.required_phrases[0].text", "is empty"},
        RangeCase{"RequiredControl", DECODING(add_required_phrases()->set_text("a\nb")),
                  "decoding.required_phrases[0].text", "control character (U+000A)"},
        RangeCase{"RequiredLong",
                  DECODING(add_required_phrases()->set_text(std::string(1025, 'x'))),
                  "decoding.required_phrases[0].text", "has 1025 bytes, expected at most 1024"},
        RangeCase{"RequiredMany",
                  [](v1::TranslateRequest* r) {
                    for (int i = 0; i < 129; ++i) {
                      r->mutable_decoding()->add_required_phrases()->set_text(Short());
                    }
                  },
                  "decoding.required_phrases", "found 129, expected at most 128"},
        RangeCase{"TwoAtEnd",
                  [](v1::TranslateRequest* r) {
                    for (int i = 0; i < 3; ++i) {
                      auto* phrase = r->mutable_decoding()->add_required_phrases();
                      phrase->set_text(Short());
                      phrase->set_at_end(i != 1);
                    }
                  },
                  "decoding.required_phrases[2].at_end", "besides decoding.required_phrases[0]"},
        RangeCase{"ForbiddenEmpty", DECODING(add_forbidden_phrases("")),
                  "decoding.forbidden_phrases[0]", "is empty"},
        RangeCase{"ForbiddenLong", DECODING(add_forbidden_phrases(std::string(1025, 'x'))),
                  "decoding.forbidden_phrases[0]", "expected at most 1024"},
        RangeCase{"ForbiddenMany",
                  [](v1::TranslateRequest* r) {
                    for (int i = 0; i < 4097; ++i) {
                      r->mutable_decoding()->add_forbidden_phrases(Short());
                    }
                  },
                  "decoding.forbidden_phrases", "found 4097, expected at most 4096"}),
    [](const auto& info) { return std::string(info.param.name); });

struct CarryCase {
  // Path of the field, without indices.
  const char* field;
  Change change;
  // Whether the job's options contain the change. Must be false for a request without the field.
  std::function<bool(const engine::DecodingOptions&)> carried;
};

#define CARRIED(condition) [](const engine::DecodingOptions& o) { return condition; }

const std::vector<CarryCase>& CarryCases() {
  static const auto* const kCases = new std::vector<CarryCase>{
      {"beam_size", DECODING(set_beam_size(6)), CARRIED(o.beam_size == 6)},
      {"num_alternatives", DECODING(set_num_alternatives(3)), CARRIED(o.num_alternatives == 3)},
      {"length_penalty", DECODING(set_length_penalty(0.6F)), CARRIED(o.length_penalty == 0.6F)},
      {"penalty", DECODING(set_penalty(D::POWER)), CARRIED(o.penalty == kernels::LengthPenalty::kPower)},
      {"penalty", DECODING(set_penalty(D::GNMT)), CARRIED(o.penalty == kernels::LengthPenalty::kGnmt)},
      {"stop_rule", DECODING(set_stop_rule(D::FIRST_K)), CARRIED(o.stop_rule == kernels::StopRule::kFirstK)},
      {"stop_rule", DECODING(set_stop_rule(D::HEURISTIC)),
       CARRIED(o.stop_rule == kernels::StopRule::kHeuristic)},
      {"stop_rule", DECODING(set_stop_rule(D::NEVER)), CARRIED(o.stop_rule == kernels::StopRule::kNever)},
      {"stop_rule", DECODING(set_stop_rule(D::ALL_BEAMS)),
       CARRIED(o.stop_rule == kernels::StopRule::kAllBeams)},
      {"patience", DECODING(set_patience(1.5F)), CARRIED(o.patience == 1.5F)},
      {"finalisation", DECODING(set_finalisation(D::IMMEDIATE)),
       CARRIED(o.finalisation == kernels::Finalisation::kImmediate)},
      {"finalisation", DECODING(set_finalisation(D::ON_BEAM)),
       CARRIED(o.finalisation == kernels::Finalisation::kOnBeam)},
      {"finalisation", DECODING(set_finalisation(D::KEEP)),
       CARRIED(o.finalisation == kernels::Finalisation::kKeep)},
      {"profile", DECODING(set_profile(D::HF)), CARRIED(o.profile == engine::Profile::kHf)},
      {"profile", DECODING(set_profile(D::CT2)), CARRIED(o.profile == engine::Profile::kCt2)},
      {"profile", DECODING(set_profile(D::MARIAN)), CARRIED(o.profile == engine::Profile::kMarian)},
      {"profile", DECODING(set_profile(D::PAPER)), CARRIED(o.profile == engine::Profile::kPaper)},
      {"profile", DECODING(set_profile(D::ARTICLE)), CARRIED(o.profile == engine::Profile::kArticle)},
      {"forced_eos", DECODING(set_forced_eos(D::MODEL)),
       CARRIED(o.forced_eos == kernels::ForcedEos::kModel)},
      {"forced_eos", DECODING(set_forced_eos(D::ZERO)), CARRIED(o.forced_eos == kernels::ForcedEos::kZero)},
      {"forced_eos", DECODING(set_forced_eos(D::NONE)), CARRIED(o.forced_eos == kernels::ForcedEos::kNone)},
      {"max_output_tokens", DECODING(set_max_output_tokens(50)),
       CARRIED(o.max_output_tokens == 50)},
      {"max_length_ratio", DECODING(set_max_length_ratio(2.0F)),
       CARRIED(o.max_length_ratio == 2.0F)},
      {"max_length_extra", DECODING(set_max_length_extra(5)), CARRIED(o.max_length_extra == 5)},
      {"min_output_tokens", DECODING(set_min_output_tokens(2)), CARRIED(o.min_output_tokens == 2)},
      {"no_repeat_ngram", DECODING(set_no_repeat_ngram(3)), CARRIED(o.no_repeat_ngram == 3)},
      {"repetition_penalty", DECODING(set_repetition_penalty(1.2F)),
       CARRIED(o.repetition_penalty == 1.2F)},
      {"pruning.absolute_delta", DECODING(mutable_pruning()->set_absolute_delta(1.5F)),
       CARRIED(o.pruning.absolute_delta == 1.5F)},
      {"pruning.relative", DECODING(mutable_pruning()->set_relative(0.6F)),
       CARRIED(o.pruning.relative == 0.6F)},
      {"pruning.max_candidates", DECODING(mutable_pruning()->set_max_candidates(5)),
       CARRIED(o.pruning.max_candidates == 5)},
      {"required_phrases.text",
       [](v1::TranslateRequest* r) {
         r->mutable_decoding()->add_required_phrases()->set_text(" die Stadt ");
         r->mutable_decoding()->add_required_phrases()->set_text("Haus");
       },
       CARRIED(o.required_phrases.size() == 2 && o.required_phrases[0].text == "die Stadt" &&
               o.required_phrases[1].text == "Haus" && !o.required_phrases[0].at_end)},
      {"required_phrases.at_end",
       [](v1::TranslateRequest* r) {
         r->mutable_decoding()->add_required_phrases()->set_text("Haus");
         auto* last = r->mutable_decoding()->add_required_phrases();
         last->set_text("Ende");
         last->set_at_end(true);
       },
       CARRIED(o.required_phrases.size() == 2 && !o.required_phrases[0].at_end &&
               o.required_phrases[1].at_end)},
      {"forbidden_phrases", DECODING(add_forbidden_phrases(" nicht dies")),
       CARRIED(o.forbidden_phrases == std::vector<std::string>{"nicht dies"})},
      {"constraint_prune", DECODING(set_constraint_prune(3.0F)),
       CARRIED(o.constraint_prune == 3.0F)},
      {"constraint_allocation", DECODING(set_constraint_allocation(D::STRIPE)),
       CARRIED(o.constraint_allocation == kernels::Allocation::kStripe)},
      {"constraint_allocation", DECODING(set_constraint_allocation(D::BANKS)),
       CARRIED(o.constraint_allocation == kernels::Allocation::kBanks)},
      {"term_placement", DECODING(set_term_placement(D::ANYWHERE)),
       CARRIED(o.term_placement == engine::TermPlacement::kAnywhere)},
      {"term_placement", DECODING(set_term_placement(D::ALIGNED)),
       CARRIED(o.term_placement == engine::TermPlacement::kAligned)},
      {"alignment_layer", DECODING(set_alignment_layer(2)), CARRIED(o.alignment_layer == 2)},
      {"alignment_heads",
       [](v1::TranslateRequest* r) {
         r->mutable_decoding()->add_alignment_heads(4);
         r->mutable_decoding()->add_alignment_heads(0);
       },
       CARRIED((o.alignment_heads == std::vector<int>{4, 0}))},
      {"eos_penalty", DECODING(set_eos_penalty(0.5F)), CARRIED(o.eos_penalty == 0.5F)},
      {"temperature", DECODING(set_temperature(0.7F)), CARRIED(o.temperature == 0.7F)},
      {"sampling", DECODING(mutable_sampling()),
       CARRIED(o.sampling.has_value() && !o.sampling->seed.has_value())},
      {"sampling.top_k", DECODING(mutable_sampling()->set_top_k(8)),
       CARRIED(o.sampling.has_value() && o.sampling->top_k == 8)},
      {"sampling.top_p", DECODING(mutable_sampling()->set_top_p(0.9F)),
       CARRIED(o.sampling.has_value() && o.sampling->top_p == 0.9F)},
      {"sampling.seed", DECODING(mutable_sampling()->set_seed(~uint64_t{0})),
       CARRIED(o.sampling.has_value() && o.sampling->seed == ~uint64_t{0})},
  };
  return *kCases;
}

TEST(DecodingParser, CarriesEveryValueIntoTheJob) {
  const ParsedRequest plain = Parse(Minimal());
  for (const CarryCase& carry : CarryCases()) {
    const ParsedRequest parsed = ParseWith(carry.change);
    EXPECT_TRUE(parsed.status.ok()) << carry.field << ": " << parsed.status;
    EXPECT_TRUE(carry.carried(parsed.job.decoding)) << carry.field;
    EXPECT_FALSE(carry.carried(plain.job.decoding)) << carry.field;
  }
}

void AddLeaves(const google::protobuf::Descriptor& type, const std::string& prefix,
               std::set<std::string>* paths) {
  for (int i = 0; i < type.field_count(); ++i) {
    const auto* field = type.field(i);
    if (field->message_type() != nullptr) {
      AddLeaves(*field->message_type(), prefix + field->name() + ".", paths);
    } else {
      paths->insert(prefix + field->name());
    }
  }
}

TEST(DecodingParser, HasACaseForEveryFieldAndEnumValue) {
  std::set<std::string> missing;
  AddLeaves(*D::descriptor(), "", &missing);
  ASSERT_GE(missing.size(), 30U);
  std::map<std::string, int> cases;
  for (const CarryCase& carry : CarryCases()) {
    missing.erase(carry.field);
    ++cases[carry.field];
  }
  EXPECT_THAT(missing, ::testing::IsEmpty());
  for (int i = 0; i < D::descriptor()->field_count(); ++i) {
    const auto* field = D::descriptor()->field(i);
    if (field->enum_type() == nullptr) continue;
    EXPECT_EQ(cases[field->name()], field->enum_type()->value_count() - 1) << field->name();
  }
}

}  // namespace
}  // namespace dragoman::server
