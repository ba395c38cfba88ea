#include <nlohmann/json.hpp>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/command.h"

namespace dragoman {
namespace {

std::string PairName(const v1::LanguagePair& pair) {
  return absl::StrCat(pair.source_language_code().empty() ? "*" : pair.source_language_code(), "-",
                      pair.target_language_code());
}

// As --profile has it.
std::string ProfileName(const v1::Model& model) {
  return absl::AsciiStrToLower(v1::DecodingOptions::Profile_Name(model.default_profile()));
}

nlohmann::ordered_json ToJson(const v1::Model& model) {
  nlohmann::ordered_json pairs = nlohmann::ordered_json::array();
  for (const auto& pair : model.pairs()) {
    pairs.push_back(
        {{"source", pair.source_language_code()}, {"target", pair.target_language_code()}});
  }
  return {{"name", model.name()},
          {"default", model.is_default()},
          {"family", model.family()},
          {"device", model.device()},
          {"compute_type", model.compute_type()},
          {"pairs", pairs},
          {"source_vocabulary", model.source_vocabulary()},
          {"target_vocabulary", model.target_vocabulary()},
          {"parameters", model.parameters()},
          {"max_source_tokens", model.max_source_tokens()},
          {"max_target_tokens", model.max_target_tokens()},
          {"max_rows", model.max_rows()},
          {"max_beam", model.max_beam()},
          {"default_beam", model.default_beam()},
          {"decoder_layers", model.decoder_layers()},
          {"decoder_heads", model.decoder_heads()},
          {"default_profile", ProfileName(model)},
          {"glossaries", model.glossaries()}};
}

std::string ToText(const v1::Model& model) {
  // A multilingual model has a thousand pairs; `dragoman languages` shows them all.
  constexpr int kShown = 8;
  std::vector<std::string> pairs;
  for (int i = 0; i < model.pairs_size() && i < kShown; ++i)
    pairs.push_back(PairName(model.pairs(i)));
  if (model.pairs_size() > kShown) {
    pairs.push_back(absl::StrCat("and ", model.pairs_size() - kShown, " more"));
  }
  return absl::StrCat(
      model.name(), model.is_default() ? " (default)" : "", "\n  ", absl::StrJoin(pairs, ", "),
      "\n  ", model.family(), ", ", model.compute_type(), " on ", model.device(), ", ",
      model.parameters(), " parameters, vocabulary ", model.source_vocabulary(), " / ",
      model.target_vocabulary(), "\n  at most ", model.max_source_tokens(), " source and ",
      model.max_target_tokens(), " target tokens, ", model.max_rows(), " rows, beam ",
      model.max_beam(), " (default ", model.default_beam(), ")\n  decoder of ",
      model.decoder_layers(), " layers with ", model.decoder_heads(), " heads, profile ",
      ProfileName(model),
      model.glossaries_size() == 0
          ? ""
          : absl::StrCat("\n  glossaries: ", absl::StrJoin(model.glossaries(), ", ")),
      "\n");
}

// The flags of both commands here.
struct Options {
  ClientOptions client;
  std::string model;
  double timeout = 10;
  bool json = false;
};

void AddCommonFlags(const Io& io, FlagTable* flags, Options* options) {
  AddServerFlags(flags, &options->client, io);
  flags->Bool("json", &options->json, "prints one JSON document instead of text");
  flags->Number("timeout", "S", 0.001, 86400, &options->timeout,
                "seconds to wait for the answer (default: 10)");
}

}  // namespace

int ModelsCommand(const Io& io, const Arguments& arguments) {
  Options options;
  FlagTable flags;
  AddCommonFlags(io, &flags, &options);
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(io, "models [flags]", "Lists the models that the server has loaded.", arguments,
                    0, &flags, &positional, &exit_status)) {
    return exit_status;
  }
  const auto client = TranslationClient::Create(options.client);
  if (!client.ok()) return UsageError(io, "models", std::string(client.status().message()));
  const auto response = (*client)->ListModels(Seconds(options.timeout));
  if (!response.ok()) return Fail(io, "models", response.status());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const v1::Model& model : response->models()) {
    if (options.json) {
      list.push_back(ToJson(model));
    } else {
      io.out << ToText(model);
    }
  }
  if (options.json) io.out << list.dump(2) << "\n";
  return kExitOk;
}

int LanguagesCommand(const Io& io, const Arguments& arguments) {
  Options options;
  FlagTable flags;
  AddCommonFlags(io, &flags, &options);
  flags.String("model", "NAME", &options.model,
               "model whose language pairs are listed (default: the server's)");
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(
          io, "languages [flags]",
          "Lists the language pairs of a model, one a line: source TAB target; * is any language.",
          arguments, 0, &flags, &positional, &exit_status)) {
    return exit_status;
  }
  const auto client = TranslationClient::Create(options.client);
  if (!client.ok()) return UsageError(io, "languages", std::string(client.status().message()));
  const auto response = (*client)->ListLanguages(options.model, Seconds(options.timeout));
  if (!response.ok()) return Fail(io, "languages", response.status());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const v1::LanguagePair& pair : response->pairs()) {
    const std::string source =
        pair.source_language_code().empty() ? "*" : pair.source_language_code();
    if (options.json) {
      list.push_back({{"source", source}, {"target", pair.target_language_code()}});
    } else {
      io.out << source << "\t" << pair.target_language_code() << "\n";
    }
  }
  if (options.json) io.out << list.dump(2) << "\n";
  return kExitOk;
}

}  // namespace dragoman
