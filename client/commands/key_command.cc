#include <nlohmann/json.hpp>
#include <ostream>

#include "client/channel_security.h"
#include "client/commands/command.h"

namespace dragoman::client {

int KeyCommand(const Io& io, const Arguments& arguments) {
  std::vector<std::string> models;
  std::optional<int64_t> characters;
  std::optional<int64_t> share;
  FlagTable flags;
  flags.Strings("model", "NAME", &models,
                "model that the key may use; may be repeated (default: all)");
  flags.OptionalInt("characters-per-minute", "N", 1, 1'000'000'000'000, &characters,
                    "characters that may be sent with it in a minute (default:\nno limit)");
  flags.OptionalInt("share", "N", 1, 16, &share,
                    "its turns in the queue, for one of others' (default: 1)");
  std::vector<std::string> positional;
  if (const auto exit_status = ParseCommand(
          io, "key NAME [flags]",
          "Makes an API key. Prints three lines: the key, for the client called NAME; "
          "what the list\n\"clients\" of the server's file --api-keys needs of it; and a "
          "whole file with that client alone.\nThe server never sees the key itself.",
          arguments, &flags, 1, &positional)) {
    return *exit_status;
  }
  if (positional.empty()) return UsageError(io, "key", "found no NAME, expected one");
  const std::string key = NewApiKey();
  if (key.empty()) return Fail(io, "key", absl::InternalError("the system gave no random bits"));
  nlohmann::ordered_json entry = {{"name", positional[0]}, {"keys", {HashOfApiKey(key)}}};
  if (!models.empty()) entry["models"] = models;
  if (characters.has_value()) entry["characters_per_minute"] = *characters;
  if (share.has_value()) entry["share"] = *share;
  const auto text = [](const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const nlohmann::ordered_json file = {{"clients", nlohmann::ordered_json::array({entry})}};
  io.out << key << "\n" << text(entry) << "\n" << text(file) << "\n";
  return kExitOk;
}

}  // namespace dragoman::client
