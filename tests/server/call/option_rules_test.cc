// Checks which options of a request may be combined (SEARCH.md a.7): one case for each rule, and
// for combinations that the parser accepts because only the engine can judge them.
#include "engine/api/option_rules.h"

#include "tests/server/call/request_fixture.h"

namespace dragoman::server {
namespace {

using D = v1::DecodingOptions;
using ::testing::HasSubstr;

// The fields that each make a search a constrained one.
struct Constraint {
  const char* field;
  Change change;
};

const std::vector<Constraint>& Constraints() {
  static const auto* const kConstraints = new std::vector<Constraint>{
      {"decoding.required_phrases", DECODING(add_required_phrases()->set_text("Haus"))},
      {"terms",
       [](v1::TranslateRequest* r) {
         r->add_terms()->set_source("Haus");
         r->mutable_terms(0)->set_target("house");
       }},
      {"glossary_config",
       [](v1::TranslateRequest* r) { r->mutable_glossary_config()->set_glossary("names"); }},
      {"do_not_translate", [](v1::TranslateRequest* r) { r->add_do_not_translate("Haus"); }},
  };
  return *kConstraints;
}

Change Both(const Change& one, const Change& other) {
  return [one, other](v1::TranslateRequest* r) {
    one(r);
    other(r);
  };
}

// Expects one violation, of `field`, whose message names `other`.
void ExpectConflict(const Change& change, const std::string& field, const std::string& other,
                    CallKind kind = CallKind::kUnary) {
  const absl::Status status = ParseWith(change, kind).status;
  ExpectInvalid(status, field);
  EXPECT_THAT(std::string(status.message()), HasSubstr(other));
}

void ExpectAccepted(const Change& change, CallKind kind = CallKind::kUnary) {
  const absl::Status status = ParseWith(change, kind).status;
  EXPECT_TRUE(status.ok()) << status;
}

TEST(OptionRules, ConstraintsHaveTheirOwnFinishingStoppingAndPruning) {
  for (const Constraint& constraint : Constraints()) {
    const auto refused = [&](const Change& change, const char* field) {
      ExpectConflict(Both(constraint.change, change), field, constraint.field);
    };
    ExpectAccepted(constraint.change);
    for (const auto finalisation : {D::IMMEDIATE, D::ON_BEAM, D::KEEP}) {
      refused([&](auto* r) { r->mutable_decoding()->set_finalisation(finalisation); },
              "decoding.finalisation");
    }
    for (const auto rule : {D::FIRST_K, D::HEURISTIC, D::NEVER, D::ALL_BEAMS}) {
      refused([&](auto* r) { r->mutable_decoding()->set_stop_rule(rule); }, "decoding.stop_rule");
    }
    refused(DECODING(set_patience(0.25F)), "decoding.patience");
    refused(DECODING(mutable_pruning()->set_absolute_delta(1.0F)), "decoding.pruning");
    refused(DECODING(mutable_pruning()->set_relative(0.5F)), "decoding.pruning");
    refused(DECODING(mutable_pruning()->set_max_candidates(5)), "decoding.pruning");
    refused(DECODING(mutable_sampling()), "decoding.sampling");
  }
}

TEST(OptionRules, ConstraintsMayStopAtTheFirstCompleteHypothesis) {
  const auto early = [](float patience, std::optional<int> beam) {
    return Both(Constraints()[0].change, [=](v1::TranslateRequest* r) {
      r->mutable_decoding()->set_stop_rule(D::FIRST_K);
      r->mutable_decoding()->set_patience(patience);
      if (beam.has_value()) r->mutable_decoding()->set_beam_size(*beam);
    });
  };
  ExpectAccepted(early(0.25F, 4));
  ExpectAccepted(early(0.3F, 4));             // round(1.2) = 1
  ExpectAccepted(early(0.5F, std::nullopt));  // depends on the profile's beam
  ExpectConflict(early(0.5F, 4), "decoding.stop_rule", "decoding.required_phrases");
}

TEST(OptionRules, ConstraintsGoWithEverythingElse) {
  ExpectAccepted(Both(Constraints()[0].change, [](v1::TranslateRequest* r) {
    auto* decoding = r->mutable_decoding();
    decoding->set_profile(D::PAPER);
    decoding->set_num_alternatives(2);
    decoding->set_no_repeat_ngram(3);
    decoding->set_repetition_penalty(1.2F);
    decoding->add_forbidden_phrases("nie");
    decoding->set_constraint_prune(5.0F);
    decoding->set_constraint_allocation(D::BANKS);
    r->add_target_prefixes("Das");
    r->add_do_not_translate("Haus");
  }));
}

TEST(OptionRules, OnlyImmediateFinalisationHasStopRules) {
  const auto with = [](const Change& finishing, const Change& stopping, const char* field,
                       const char* other) {
    ExpectConflict(Both(finishing, stopping), field, other);
  };
  const Change all_beams = DECODING(set_stop_rule(D::ALL_BEAMS));
  const Change patience = DECODING(set_patience(1.0F));
  with(DECODING(set_finalisation(D::ON_BEAM)), all_beams, "decoding.stop_rule",
       "decoding.finalisation ON_BEAM");
  with(DECODING(set_finalisation(D::KEEP)), all_beams, "decoding.stop_rule",
       "decoding.finalisation KEEP");
  with(DECODING(set_profile(D::PAPER)), all_beams, "decoding.stop_rule", "decoding.profile PAPER");
  with(DECODING(set_profile(D::ARTICLE)), patience, "decoding.patience",
       "decoding.profile ARTICLE");
  with(DECODING(set_finalisation(D::KEEP)), patience, "decoding.patience",
       "decoding.finalisation KEEP");
  ExpectAccepted(Both(DECODING(set_profile(D::PAPER)),
                      Both(DECODING(set_finalisation(D::IMMEDIATE)), all_beams)));
  for (const auto profile : {D::HF, D::CT2, D::MARIAN}) {
    ExpectAccepted(Both([&](auto* r) { r->mutable_decoding()->set_profile(profile); }, all_beams));
  }
}

TEST(OptionRules, PatienceIsOfFirstK) {
  const Change patience = DECODING(set_patience(1.5F));
  for (const auto rule : {D::HEURISTIC, D::NEVER, D::ALL_BEAMS}) {
    ExpectConflict(Both(patience, [&](auto* r) { r->mutable_decoding()->set_stop_rule(rule); }),
                   "decoding.patience", "decoding.stop_rule");
  }
  ExpectConflict(Both(patience, DECODING(set_profile(D::MARIAN))), "decoding.patience",
                 "decoding.profile MARIAN");
  ExpectAccepted(Both(patience, DECODING(set_stop_rule(D::FIRST_K))));
  // FIRST_K may be the stop rule of the profile, which only the engine knows.
  ExpectAccepted(patience);
  ExpectAccepted(Both(patience, DECODING(set_profile(D::CT2))));
}

TEST(OptionRules, PatienceTimesBeamIsAtLeastOne) {
  const auto with = [](float patience) {
    return [=](v1::TranslateRequest* r) {
      r->mutable_decoding()->set_stop_rule(D::FIRST_K);
      r->mutable_decoding()->set_beam_size(4);
      r->mutable_decoding()->set_patience(patience);
    };
  };
  ExpectConflict(with(0.1F), "decoding.patience", "decoding.beam_size 4");
  ExpectAccepted(with(0.125F));  // round(0.5) = 1
}

TEST(OptionRules, LengthsLeaveRoom) {
  ExpectConflict(Both(DECODING(set_max_length_ratio(0.0F)), DECODING(set_max_length_extra(0))),
                 "decoding.max_length_ratio", "decoding.max_length_extra");
  ExpectAccepted(DECODING(set_max_length_ratio(0.0F)));
  ExpectConflict(Both(DECODING(set_min_output_tokens(9)), DECODING(set_max_output_tokens(8))),
                 "decoding.min_output_tokens", "decoding.max_output_tokens");
  ExpectAccepted(Both(DECODING(set_min_output_tokens(8)), DECODING(set_max_output_tokens(8))));
}

TEST(OptionRules, SamplingHasNoBeam) {
  const Change sampling = DECODING(mutable_sampling());
  ExpectConflict(Both(sampling, DECODING(set_beam_size(2))), "decoding.sampling",
                 "decoding.beam_size 2");
  ExpectConflict(Both(sampling, DECODING(mutable_pruning()->set_relative(0.5F))),
                 "decoding.sampling", "decoding.pruning");
  ExpectConflict(Both(sampling, DECODING(set_stop_rule(v1::DecodingOptions::NEVER))),
                 "decoding.sampling", "decoding.stop_rule");
  ExpectConflict(Both(sampling, DECODING(set_patience(2.0F))), "decoding.sampling",
                 "decoding.patience");
  ExpectConflict(Both(sampling, [](auto* r) { r->mutable_return_options()->set_partials(true); }),
                 "decoding.sampling", "return_options.partials", CallKind::kStream);
  ExpectAccepted(Both(sampling, DECODING(set_beam_size(1))));
  ExpectAccepted(Both(sampling, DECODING(set_num_alternatives(8))));
  ExpectAccepted(sampling, CallKind::kStream);
}

TEST(OptionRules, AlternativesFitTheBeam) {
  const Change three = DECODING(set_num_alternatives(3));
  ExpectConflict(Both(three, DECODING(set_beam_size(2))), "decoding.num_alternatives",
                 "decoding.beam_size");
  ExpectAccepted(Both(three, DECODING(set_beam_size(3))));
  ExpectAccepted(three);  // depends on the profile's beam
}

TEST(OptionRules, MarkupHasNoPartialsAndNoPrefixes) {
  const Change html = [](v1::TranslateRequest* r) { r->set_mime_type("text/html"); };
  ExpectConflict(Both(html, [](auto* r) { r->mutable_return_options()->set_partials(true); }),
                 "mime_type", "return_options.partials", CallKind::kStream);
  ExpectConflict(Both(html, [](auto* r) { r->add_target_prefixes("Das"); }), "mime_type",
                 "target_prefixes");
  ExpectConflict(
      [](v1::TranslateRequest* r) {
        r->set_mime_type("text/markdown");
        r->add_target_prefixes("Das");
      },
      "mime_type", "target_prefixes");
  // Empty prefixes ask for nothing.
  ExpectAccepted(Both(html, [](auto* r) { r->add_target_prefixes(""); }));
}

TEST(OptionRules, HtmlGoesWithEverythingElse) {
  ExpectAccepted(
      [](v1::TranslateRequest* r) {
        r->set_mime_type("text/html");
        r->mutable_decoding()->set_num_alternatives(2);
        r->mutable_decoding()->add_required_phrases()->set_text("Haus");
        r->add_do_not_translate("Haus");
        auto* returns = r->mutable_return_options();
        returns->set_scores(true);
        returns->set_tokens(true);
        returns->set_token_scores(true);
        returns->set_alignment(true);
      },
      CallKind::kStream);
}

TEST(OptionRules, EveryContradictionIsSaid) {
  const absl::Status status = ParseWith([](v1::TranslateRequest* r) {
                                auto* decoding = r->mutable_decoding();
                                decoding->add_required_phrases()->set_text("Haus");
                                decoding->set_finalisation(D::KEEP);
                                decoding->mutable_pruning()->set_max_candidates(5);
                                decoding->set_beam_size(2);
                                decoding->set_num_alternatives(3);
                              }).status;
  EXPECT_THAT(FieldsAtFault(status),
              ::testing::ElementsAre("decoding.finalisation", "decoding.pruning",
                                     "decoding.num_alternatives"));
}

}  // namespace
}  // namespace dragoman::server
