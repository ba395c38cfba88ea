// Tests the parts of the planner and the job: phrases as tokens, and tokens as text that contains
// the phrases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "engine/request/alignment.h"
#include "engine/request/forbidden_phrases.h"
#include "engine/request/model_tokenizer.h"
#include "engine/request/request_phrases.h"
#include "engine/request/target_text.h"
#include "tests/engine/support/bundled_tokenizer.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Tokens = std::vector<int32_t>;

class SegmentPhrasesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { tokenizer_ = new testing::BundledTokenizer; }
  static void TearDownTestSuite() { delete tokenizer_; }

  static Tokens Marked(const std::string& text) { return tokens()->EncodePhrase(text, true).ids; }
  static Tokens Inside(const std::string& text) { return tokens()->EncodePhrase(text, false).ids; }
  static const testing::BundledTokenizer& tokens() { return *tokenizer_; }
  static int32_t Eos() { return tokens()->special().eos; }
  static int32_t Unk() { return tokens()->special().unk; }

  // ---- forbidden

  static absl::StatusOr<ForbiddenPhrases> Forbidden(const std::vector<std::string>& texts,
                                                    const std::vector<Tokens>& profile = {}) {
    return ForbiddenPhrases::Create(texts, profile, {7}, *tokens());
  }
  static NamedPhrase Named(const std::string& name, Tokens ids) {
    NamedPhrase phrase;
    phrase.name = name;
    phrase.tokens = std::move(ids);
    return phrase;
  }
  static Tokens Always(const ForbiddenTable& table) {
    const kernels::IdList ids = table.automaton().always;
    return {ids.ids, ids.ids + ids.count};
  }

  // ---- required

  static std::shared_ptr<const RequestTerms> Terms(const TranslationJob& job) {
    TermMatcher::Lists lists;
    lists.do_not_translate = job.do_not_translate;
    std::vector<Term> terms;
    for (const TermRequest& term : job.terms) terms.push_back({term.source, term.target, false});
    lists.terms = terms;
    return std::make_shared<const RequestTerms>(
        RequestTerms{TermMatcher::Create(lists).value(), nullptr});
  }
  static std::vector<Tokens> Found(const TranslationJob& job, const std::string& segment,
                                   bool target_uses_spaces = true) {
    const auto phrases = ExpectOk(
        RequestPhrases::Create(&job, Terms(job), {tokens().get(), -1, target_uses_spaces}));
    const auto found = ExpectOk(phrases->Find(segment, {}));
    std::vector<Tokens> all;
    for (const NamedPhrase& phrase : found->required) all.push_back(phrase.tokens);
    return all;
  }

 private:
  static testing::BundledTokenizer* tokenizer_;
};

testing::BundledTokenizer* SegmentPhrasesTest::tokenizer_ = nullptr;

TEST_F(SegmentPhrasesTest, APhraseIsForbiddenWithAndWithoutTheMarkOfAWord) {
  ASSERT_EQ(Marked("house").size(), 1U);
  ASSERT_NE(Marked("house"), Inside("house"));
  auto forbidden = ExpectOk(Forbidden({"house", "the house"}, {{9}}));
  const auto table = forbidden->For({});
  EXPECT_THAT(Always(**table), Contains(Marked("house")[0]));
  EXPECT_THAT(Always(**table), Contains(9));
  EXPECT_EQ((*table)->excluded().count, 1);
  // One node for the root, and one for each token of the four forms and of the profile's phrase.
  const size_t forms = Marked("house").size() + Inside("house").size() +
                       Marked("the house").size() + Inside("the house").size() + 1;
  EXPECT_EQ((*table)->nodes(), static_cast<int64_t>(forms) + 1);
}

TEST_F(SegmentPhrasesTest, NgramsOfTheSourceAreForbiddenButForWhatIsWanted) {
  auto forbidden = ExpectOk(Forbidden({}, {{9}}));
  const std::vector<Tokens> ngrams = {{20}, {21}, {22}};
  EXPECT_THAT(Always(**forbidden->For({}, ngrams)), ElementsAre(9, 20, 21, 22));
  EXPECT_THAT(Always(**forbidden->For(std::vector{Named("a", {30, 21})}, ngrams)),
              ElementsAre(9, 20, 22));
  EXPECT_THAT(Always(**forbidden->For({})), ElementsAre(9));
  std::vector<Tokens> many;
  for (int32_t i = 0; i < kernels::kMaxForbiddenNodes; ++i) many.push_back({i});
  const auto refused = forbidden->For({}, many);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("encoder_no_repeat_ngram_size"));
}

TEST_F(SegmentPhrasesTest, WhatTheVocabularyLacksNeedsNoBan) {
  auto forbidden = ExpectOk(Forbidden({"漢字"}));
  EXPECT_EQ((*forbidden->For({}))->nodes(), 1);
}

TEST_F(SegmentPhrasesTest, ARequiredPhraseIsAllowedInAllItsForms) {
  auto forbidden = Forbidden({"house", "tree"});
  ASSERT_TRUE(forbidden.ok());
  const auto all = *forbidden->For({});
  Tokens at_end = Marked("house");
  at_end.push_back(Eos());
  const auto without = ExpectOk(forbidden->For(std::vector{Named("a", at_end)}));
  EXPECT_THAT(Always(**without), Not(Contains(Marked("house")[0])));
  EXPECT_THAT(Always(**without), Contains(Marked("tree")[0]));
  // Segments with the same required phrases share a table. Segments for which nothing is allowed
  // share the common one.
  EXPECT_EQ(*forbidden->For(std::vector{Named("b", Marked("house"))}), *without);
  EXPECT_EQ(*forbidden->For(std::vector{Named("c", Marked("dog"))}), all);
  // A forbidden phrase may be part of a required phrase if it is also required itself.
  EXPECT_EQ(
      *forbidden->For(std::vector{Named("d", Marked("the house")), Named("e", Marked("house"))}),
      *without);
  const auto refused = forbidden->For(std::vector{Named("f", Marked("the house"))});
  EXPECT_EQ(std::string(refused.status().message()),
            "decoding.forbidden_phrases[0] is a part of f, expected one of them only");
  // A forced prefix is not a required phrase, so it allows nothing.
  NamedPhrase prefix = Named("p", Marked("house"));
  prefix.is_prefix = true;
  EXPECT_FALSE(forbidden->For(std::vector{prefix}).ok());
}

TEST_F(SegmentPhrasesTest, TheProfilesBanOfUnknownTokensGivesWayToVerbatimPhrasesOnly) {
  auto forbidden = Forbidden({"tree"}, {{Unk()}, {11, 12}});
  ASSERT_TRUE(forbidden.ok());
  NamedPhrase phrase = Named("do_not_translate[0]", {5, Unk(), 6});
  EXPECT_THAT(std::string(forbidden->For(std::vector{phrase}).status().message()),
              HasSubstr("decoding.profile never produces is a part of do_not_translate[0]"));
  phrase.may_have_unknown = true;
  const auto table = ExpectOk(forbidden->For(std::vector{phrase}));
  EXPECT_THAT(Always(**table), Not(Contains(Unk())));
  EXPECT_THAT(Always(**table), Contains(Marked("tree")[0]));
  // The other bans of the profile stay in force.
  phrase.tokens = {11, 12};
  phrase.tokens.push_back(13);
  EXPECT_FALSE(forbidden->For(std::vector{phrase}).ok());
  phrase.tokens = {14};
  EXPECT_THAT(Always(**forbidden->For(std::vector{phrase})), Contains(Unk()));
}

TEST_F(SegmentPhrasesTest, NodesAreCountedBeforeTheAutomatonIsBuilt) {
  std::vector<Tokens> profile;
  profile.reserve(kernels::kMaxForbiddenNodes);
  for (int32_t i = 0; i < (kernels::kMaxForbiddenNodes - 1) / 3; ++i)
    profile.push_back({1000 + i, 1, 2});
  ASSERT_EQ(profile.size(), 1365U);
  auto at_limit = ExpectOk(Forbidden({}, profile));
  EXPECT_EQ((*at_limit->For({}))->nodes(), kernels::kMaxForbiddenNodes);
  // Phrases with a common beginning share nodes.
  profile.push_back({1000, 1});
  EXPECT_TRUE(Forbidden({}, profile).ok());
  profile.push_back({1000, 3});
  EXPECT_THAT(std::string(Forbidden({}, profile).status().message()), HasSubstr("need 4097 nodes"));
}

TEST_F(SegmentPhrasesTest, ATermHasTheMarkOfAWordUnlessABracketOrQuoteIsBeforeIt) {
  TranslationJob job;
  job.terms = {{"Haus", "house", false}};
  EXPECT_THAT(Found(job, "Haus und Hof"), ElementsAre(Marked("house")));
  EXPECT_THAT(Found(job, "Das Haus."), ElementsAre(Marked("house")));
  EXPECT_THAT(Found(job, "das Garten-Haus"), ElementsAre(Marked("house")));
  for (const char* text : {"das „Haus“", "das (Haus)", "das \"Haus\"", "das «Haus»"}) {
    EXPECT_THAT(Found(job, text), ElementsAre(Inside("house"))) << text;
  }
  // Scripts without spaces have no marks of words inside a sentence.
  EXPECT_THAT(Found(job, "Das Haus.", false), ElementsAre(Inside("house")));
}

// A vocabulary without some of the pieces.
class Lacking : public PieceTable {
 public:
  Lacking(const PieceTable* all, std::vector<std::string> lacks)
      : all_(all), lacks_(std::move(lacks)) {}
  std::optional<int> IdOf(std::string_view piece) const override {
    if (std::ranges::find(lacks_, piece) != lacks_.end()) return std::nullopt;
    return all_->IdOf(piece);
  }
  std::string_view PieceOf(int id) const override { return all_->PieceOf(id); }

 private:
  const PieceTable* all_;
  std::vector<std::string> lacks_;
};

TEST_F(SegmentPhrasesTest, WhatExistsAtAWordsBeginningOnlyIsTakenThere) {
  ASSERT_EQ(Marked("house").size(), 1U);
  const std::string inside(tokens().pieces().PieceOf(Inside("house").back()));
  const Lacking pieces(&tokens().pieces(), {inside});
  TokenizerFiles files;
  files.source_spm = ReadSourceFile("deploy/models/de-en/source.spm");
  files.target_spm = ReadSourceFile("deploy/models/de-en/target.spm");
  const auto tokenizer = Tokenizer::Create(files, &pieces, &pieces, tokens()->special());
  ASSERT_TRUE(tokenizer.ok());
  TranslationJob job;
  job.terms = {{"Haus", "house", false}};
  const auto phrases =
      ExpectOk(RequestPhrases::Create(&job, Terms(job), {tokenizer->get(), -1, true}));
  const auto found = ExpectOk(phrases->Find("das (Haus)", {}));
  ASSERT_EQ(found->required.size(), 1U);
  EXPECT_EQ(found->required[0].tokens, Marked("house"));
}

// Derives from each token's piece whether the token continues a word and whether a word may
// continue after it.
TEST_F(SegmentPhrasesTest, TheTextOfATokenTellsWhetherItContinuesAWord) {
  ASSERT_TRUE(tokens()->MarksWordBegin());
  const auto vocabulary = static_cast<int32_t>(tokens().pieces().size());
  const std::unique_ptr<const WordEdgeTable> table = MakeWordEdges(*tokens(), vocabulary);
  ASSERT_NE(table, nullptr);
  const kernels::WordEdges edges = table->edges();
  int continuing = 0;
  for (int32_t token = 0; token < vocabulary; ++token) {
    const std::string piece(tokens().pieces().PieceOf(token));
    SCOPED_TRACE(piece);
    if (tokens()->IsSpecial(token)) {
      EXPECT_FALSE(edges.Continues(token));
      EXPECT_FALSE(edges.IsOpen(token));
    } else if (piece.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") ==
               std::string::npos) {
      ++continuing;
      EXPECT_TRUE(edges.Continues(token));
      EXPECT_TRUE(edges.IsOpen(token));
    } else if (piece.starts_with("\xE2\x96\x81")) {
      EXPECT_FALSE(edges.Continues(token));
    } else if (std::ispunct(static_cast<unsigned char>(piece.back())) != 0) {
      EXPECT_FALSE(edges.IsOpen(token));
    }
  }
  EXPECT_GT(continuing, 500);
}

TEST_F(SegmentPhrasesTest, APhraseIsNotMetByTheBeginningOfALongerWord) {
  const std::unique_ptr<const WordEdgeTable> table =
      MakeWordEdges(*tokens(), static_cast<int32_t>(tokens().pieces().size()));
  const auto is_met = [&](const std::string& phrase, bool word_start, Tokens text) {
    const ConstraintTable constraints(
        std::vector<Tokens>{tokens()->EncodePhrase(phrase, word_start).ids}, table.get());
    text.push_back(Eos());
    kernels::ConstraintState state = kernels::StartConstraints(constraints.set());
    for (const int32_t token : text) state = kernels::Advance(constraints.set(), state, token);
    return kernels::Finished(constraints.set(), state);
  };
  const auto joined = [](Tokens first, const Tokens& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  EXPECT_TRUE(is_met("hound", true, Marked("hound")));
  EXPECT_TRUE(is_met("hound", true, joined(Marked("hound"), Marked("dog"))));
  EXPECT_FALSE(is_met("hound", true, joined(Marked("hound"), Inside("ed"))));
  EXPECT_FALSE(is_met("hound", true, joined(Marked("hound"), Inside("7"))));
  EXPECT_TRUE(is_met("hound", true, joined(Marked("hound"), Inside("."))));
  EXPECT_TRUE(is_met("hound", true, joined(Marked("hound"), Inside("-ed"))));
  EXPECT_TRUE(is_met("hound.", true, joined(Marked("hound."), Inside("ed"))));
  // A phrase that was requested after a bracket does not match inside a word.
  EXPECT_TRUE(is_met("hound", false, joined(Marked("("), Inside("hound"))));
  EXPECT_FALSE(is_met("hound", false, joined(Marked("grey"), Inside("hound"))));
}

TEST_F(SegmentPhrasesTest, ConstraintsMustFitBehindThePrefix) {
  kernels::SearchOptions search;
  search.eos = Eos();
  search.max_tokens = 5;
  search.forced_eos = kernels::ForcedEos::kModel;
  const NamedPhrase none;
  const auto fits = [&](std::vector<Tokens> phrases, const NamedPhrase& prefix) {
    std::vector<NamedPhrase> named;
    named.reserve(phrases.size());
    for (Tokens& phrase : phrases) named.push_back(Named("x", std::move(phrase)));
    return MakeConstraints(named, prefix, search);
  };
  EXPECT_EQ(fits({{11, 12, 13}, {14, 15}}, none)->total(), 5);
  EXPECT_THAT(std::string(fits({{11, 12, 13}, {14, 15, 16}}, none).status().message()),
              HasSubstr("(2 in all) have 6 tokens, the segment's output limit is 5"));
  // EOS is not a real token. It takes one of them only if no EOS is forced after the limit.
  EXPECT_TRUE(fits({{11, 12, 13, 14, 15, Eos()}}, none).ok());
  search.forced_eos = kernels::ForcedEos::kNone;
  EXPECT_FALSE(fits({{11, 12, 13, 14, 15, Eos()}}, none).ok());
  EXPECT_TRUE(fits({{11, 12, 13, 14, Eos()}}, none).ok());
  // Phrases that the prefix contains are met. The other phrases must fit after the prefix.
  NamedPhrase prefix = Named("target_prefixes[0]", {11, 12});
  prefix.is_prefix = true;
  EXPECT_TRUE(fits({{11, 12, 13, 14, 15}}, prefix).ok());
  EXPECT_TRUE(fits({{21, 22, 23}}, prefix).ok());
  EXPECT_THAT(std::string(fits({{21, 22, 23, 24}}, prefix).status().message()),
              HasSubstr("have 4 tokens after a prefix of 2, the segment's output limit is 5"));
  prefix.tokens = {1, 2, 3, 4};
  EXPECT_TRUE(fits({}, prefix).ok());
  prefix.tokens.push_back(5);
  EXPECT_THAT(std::string(fits({}, prefix).status().message()),
              HasSubstr("target_prefixes[0] has 5 tokens, expected at most 4"));
  search.max_tokens = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(fits(std::vector<Tokens>(kernels::kMaxConstraintTokens, {9}), none).ok());
  EXPECT_THAT(std::string(fits(std::vector<Tokens>(kernels::kMaxConstraintTokens + 1, {9}), none)
                              .status()
                              .message()),
              HasSubstr("have 129 tokens, expected at most 128"));
}

// ---------------------------------------------------------------------------------- target text

DoNotTranslatePhrase Verbatim(const std::string& text, Tokens ids, bool space_before,
                              TextRange source = {}) {
  return {{std::move(ids), space_before, false}, text, source};
}

TEST_F(SegmentPhrasesTest, VerbatimPhrasesAreWrittenWhereTheyWereMet) {
  const Tokens sign{tokens().Id("▁"), Unk()};
  const TargetText text(tokens().get(), ConstraintTable({sign, sign, Marked("house")}),
                        {Verbatim("😀", sign, true, {3, 7}), Verbatim("漢", sign, true, {9, 12})});
  Tokens ids = Marked("I like");
  const size_t first = ids.size();
  ids.insert(ids.end(), sign.begin(), sign.end());
  for (const int32_t id : Marked("and")) ids.push_back(id);
  const size_t second = ids.size();
  ids.insert(ids.end(), sign.begin(), sign.end());
  for (const int32_t id : Inside(".")) ids.push_back(id);
  const WrittenText written = text.Write(ids, true);
  EXPECT_EQ(written.decoded.text, "I like 😀 and 漢.");
  EXPECT_THAT(written.verbatim,
              ElementsAre(std::pair(first, TextRange{3, 7}), std::pair(second, TextRange{9, 12})));
  // A third occurrence of the tokens was not requested, so it is not written.
  ids.insert(ids.end(), sign.begin(), sign.end());
  EXPECT_EQ(text.Write(ids, true).decoded.text, "I like 😀 and 漢.");
  // A phrase that was not met is not written.
  ids.resize(second);
  EXPECT_EQ(text.Write(ids, false).decoded.text, "I like 😀 and");
}

TEST_F(SegmentPhrasesTest, APrefixHoldsBackWhatMayBecomeAPhrase) {
  const Tokens name = Marked("the big house");
  ASSERT_GE(name.size(), 3U);
  const TargetText text(tokens().get(), ConstraintTable({name}),
                        {Verbatim("THE BIG HOUSE", name, true)});
  Tokens ids = Marked("I see");
  ids.insert(ids.end(), name.begin(), name.end());
  const size_t before = Marked("I see").size();
  for (size_t n = before; n < ids.size(); ++n) {
    EXPECT_EQ(text.WritePrefix(std::span(ids).first(n)), "I see") << n;
  }
  EXPECT_EQ(text.WritePrefix(ids), "I see THE BIG HOUSE");
  // The tokens turn out not to be the phrase, so the text that was held back is shown.
  ids.back() = Marked("dog").front();
  EXPECT_THAT(text.WritePrefix(ids), HasSubstr("I see the big"));
}

// ------------------------------------------------------------------------------------ alignment

TEST_F(SegmentPhrasesTest, SourceTokensStandForTheirVisibleText) {
  const std::string segment = "Ａ ﬁn 漢";
  EncodedText encoded;
  encoded.ids = {100, 1, 2, 3, 4, 5, 6, 0};
  // A tag, a letter, a space mark and its word, the byte pieces of a character, and EOS.
  encoded.ranges = {{0, 0}, {0, 3}, {3, 4}, {4, 8}, {8, 9}, {9, 9}, {9, 12}, {12, 12}};
  encoded.text_begin = 1;
  encoded.text_end = 7;
  const auto places = SourcePlaces(segment, encoded);
  EXPECT_THAT(places,
              ElementsAre(std::nullopt, TextRange{0, 3}, TextRange{4, 8}, TextRange{4, 8},
                          TextRange{9, 12}, TextRange{9, 12}, TextRange{9, 12}, std::nullopt));
  // Without a tag, the first token has text.
  encoded.text_begin = 0;
  EXPECT_EQ(SourcePlaces(segment, encoded)[0], (TextRange{0, 3}));
  // Without EOS, the last token has text.
  encoded.ids.pop_back();
  encoded.ranges.pop_back();
  EXPECT_EQ(SourcePlaces(segment, encoded).back(), (TextRange{9, 12}));
}

TEST_F(SegmentPhrasesTest, TargetTokensWithTextAreAligned) {
  WrittenText written;
  written.decoded.text = "a b";
  written.decoded.ranges = {{0, 1}, {1, 1}, {2, 3}};
  written.verbatim = {{2, {5, 6}}};
  const std::vector<std::optional<TextRange>> places = {std::nullopt, TextRange{1, 2}};
  const auto tokens = AlignTokens(written, Tokens{1, 1, 0}, places);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[0].target, (TextRange{0, 1}));
  EXPECT_EQ(tokens[0].source, (TextRange{1, 2}));
  EXPECT_EQ(tokens[1].source, (TextRange{5, 6}));
  EXPECT_FALSE(AlignTokens(written, Tokens{0, 1, 0}, places)[0].source.has_value());
}

}  // namespace
}  // namespace dragoman::engine
