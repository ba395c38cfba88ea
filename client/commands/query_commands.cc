#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/commands/http_probe.h"

namespace dragoman::client {
namespace {

// Returns the name of a language pair: "de-en", or "zh-Hans > en" if a code contains '-'.
std::string PairName(const v1::LanguagePair& pair) {
  const std::string source =
      pair.source_language_code().empty() ? "*" : pair.source_language_code();
  const std::string& target = pair.target_language_code();
  const bool is_plain = source.find('-') == source.npos && target.find('-') == target.npos;
  return absl::StrCat(source, is_plain ? "-" : " > ", target);
}

// Returns a name such as "serving", or "" if the server reports no state.
std::string StateName(const v1::Model& model) {
  if (model.state() == v1::Model::STATE_UNSPECIFIED) return "";
  return absl::AsciiStrToLower(v1::Model::State_Name(model.state()));
}

nlohmann::ordered_json MemoryToJson(const v1::Model& model) {
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const v1::DeviceMemory& memory : model.memory()) {
    devices.push_back({{"device", memory.device()},
                       {"weights", memory.weights()},
                       {"kv", memory.kv()},
                       {"workspace", memory.workspace()},
                       {"kv_resident", memory.kv_resident()}});
  }
  return devices;
}

// Returns a text such as "version 2, checksum 0123456789ab, cpu: 10 MiB of weights, 12 of at most
// 144 of K/V ...".
std::string VersionText(const v1::Model& model) {
  if (model.pivot_size() == 2) {
    return absl::StrCat("\n  pivot: ", model.pivot(0), ", then ", model.pivot(1));
  }
  if (model.version() == 0) return "";
  std::string text =
      absl::StrCat("\n  version ", model.version(), ", checksum ", model.checksum().substr(0, 12));
  for (const v1::DeviceMemory& memory : model.memory()) {
    absl::StrAppend(&text, ", ", memory.device(), ": ", memory.weights() >> 20, " MiB of weights, ",
                    memory.kv_resident() >> 20, " of at most ", memory.kv() >> 20, " of K/V, ",
                    memory.workspace() >> 20, " of workspaces");
  }
  return text;
}

// Returns the profile's name in the form of --profile.
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
          {"pair_count", model.pair_count()},
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
          {"glossaries", model.glossaries()},
          {"state", StateName(model)},
          {"version", model.version()},
          {"checksum", model.checksum()},
          {"memory", MemoryToJson(model)},
          {"notes", model.notes()},
          {"loaded_at", model.loaded_at().seconds()},
          {"pivot", model.pivot()}};
}

std::string ToText(const v1::Model& model) {
  const std::string state = StateName(model);
  if (!state.empty() && state != "serving") {
    return absl::StrCat(
        model.name(), " (", state,
        model.version() > 0 ? absl::StrCat(", version ", model.version()) : "",
        model.state() == v1::Model::FAILED ? " to load: the daemon's log says why" : "", ")\n");
  }
  // Shows only the first pairs, because a multilingual model may have a thousand. `dragoman
  // languages` shows all.
  constexpr int kShown = 8;
  std::vector<std::string> pairs;
  for (int i = 0; i < model.pairs_size() && i < kShown; ++i)
    pairs.push_back(PairName(model.pairs(i)));
  const int all = std::max(model.pair_count(), model.pairs_size());
  if (all > kShown) pairs.push_back(absl::StrCat("and ", all - kShown, " more"));
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
      VersionText(model),
      model.notes_size() == 0
          ? ""
          : absl::StrCat("\n  note: ", absl::StrJoin(model.notes(), "\n  note: ")),
      "\n");
}

// The flags that the commands of this file share.
struct QueryFlags {
  ClientOptions client;
  std::string model;
  double timeout = 10;
  bool json = false;
};

void AddCommonFlags(const Io& io, FlagTable* flags, QueryFlags* options) {
  AddServerFlags(flags, &options->client, io);
  flags->Bool("json", &options->json, "prints one JSON document instead of text");
  flags->Number("timeout", "S", 0.001, 86400, &options->timeout,
                "seconds to wait for the answer (default: 10)");
}

}  // namespace

int ModelsCommand(const Io& io, const Arguments& arguments) {
  QueryFlags options;
  FlagTable flags;
  AddCommonFlags(io, &flags, &options);
  if (const auto exit_status = ParseCommand(
          io, "models [flags]",
          "Lists the models of the server, the default first; then those that are coming or going.",
          arguments, &flags)) {
    return *exit_status;
  }
  // No retries, because the user wants the current state at once.
  options.client.retry.max_attempts = 1;
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
  QueryFlags options;
  FlagTable flags;
  AddCommonFlags(io, &flags, &options);
  flags.String("model", "NAME", &options.model,
               "model whose language pairs are listed (default: all models)");
  if (const auto exit_status = ParseCommand(
          io, "languages [flags]",
          "Lists the language pairs of a model or of all, one a line: source TAB target; "
          "* is any language.",
          arguments, &flags)) {
    return *exit_status;
  }
  options.client.retry.max_attempts = 1;
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

namespace {

int HealthAt(const Io& io, const std::string& url, const ChannelSecurity& security,
             std::chrono::nanoseconds timeout) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  const absl::StatusOr<HttpAnswer> answer = HttpGet(url, security, timeout);
  if (absl::IsInvalidArgument(answer.status())) {
    return UsageError(io, "health", std::string(answer.status().message()));
  }
  if (!answer.ok()) return Fail(io, "health", answer.status());
  if (answer->status == 200) {
    io.out << "SERVING\n";
    return kExitOk;
  }
  io.out << "NOT_SERVING\n";
  io.err << "dragoman health: " << url << " answers " << answer->status << ": "
         << absl::StripAsciiWhitespace(answer->body) << "\n";
  return kExitFailed;
}

}  // namespace

int HealthCommand(const Io& io, const Arguments& arguments) {
  ClientOptions options;
  std::string service;
  std::string url;
  double timeout = 5;
  FlagTable flags;
  AddServerFlags(&flags, &options, io);
  flags.String("service", "NAME", &service,
               "name of a service or model to ask about (default: the whole\nserver)");
  flags.String("url", "URL", &url,
               "asks this address of the daemon's --metrics port instead, as\n"
               "http://127.0.0.1:9464/readyz: it needs no certificate of ours\n"
               "and no API key; https with --metrics-tls");
  flags.Number("timeout", "S", 0.001, 86400, &timeout,
               "seconds to wait for the answer (default: 5)");
  if (const auto exit_status =
          ParseCommand(io, "health [flags]",
                       "Asks the server's health service once, or with --url an address over HTTP. "
                       "Prints SERVING\nand exits with 0, or says what is wrong and exits with 1.",
                       arguments, &flags)) {
    return *exit_status;
  }
  if (!url.empty()) {
    if (!service.empty())
      return UsageError(io, "health", "found --service with --url, expected one");
    return HealthAt(io, url, options.security, Seconds(timeout));
  }
  const auto client = TranslationClient::Create(options);
  if (!client.ok()) return UsageError(io, "health", std::string(client.status().message()));
  const auto healthy = (*client)->Healthy(service, Seconds(timeout));
  if (!healthy.ok()) return Fail(io, "health", healthy.status());
  io.out << (*healthy ? "SERVING\n" : "NOT_SERVING\n");
  return *healthy ? kExitOk : kExitFailed;
}

}  // namespace dragoman::client
