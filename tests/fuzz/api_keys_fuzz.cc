// Input: a file of API keys. Accepted entries keep the promises of the header. An error must not
// quote what the file has in place of a key's hash, because a user may have written the key itself
// there.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/call/api_keys.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using nlohmann::json;

bool IsHash(const json& value) {
  constexpr std::string_view kPrefix = "sha256:";
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         text.find_first_not_of("0123456789abcdefABCDEF", kPrefix.size()) == std::string::npos;
}

void CheckAccepted(const std::vector<dragoman::server::ClientEntry>& entries) {
  std::set<std::string> names;
  std::set<dragoman::server::KeyHash> hashes;
  size_t keys = 0;
  for (const dragoman::server::ClientEntry& entry : entries) {
    dragoman::FuzzCheck(!entry.name.empty() && names.insert(entry.name).second);
    dragoman::FuzzCheck(
        std::ranges::all_of(entry.name, [](char c) { return c > ' ' && c <= '~'; }));
    dragoman::FuzzCheck(!entry.hashes.empty() && !entry.models.empty());
    hashes.insert(entry.hashes.begin(), entry.hashes.end());
    keys += entry.hashes.size();
    dragoman::FuzzCheck(entry.share >= 1 && entry.share <= dragoman::server::kMaxShare);
    dragoman::FuzzCheck(entry.characters_per_minute >= 0);
  }
  dragoman::FuzzCheck(hashes.size() == keys && keys <= dragoman::server::kMaxApiKeys);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = dragoman::server::ParseApiKeys(text);
  if (entries.ok()) {
    CheckAccepted(*entries);
    return 0;
  }
  json file = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const std::string message(entries.status().message());
  // The text is not JSON, or nested too deeply, or names a field twice. `file` would have only one
  // of the two fields.
  if (message.starts_with("found no JSON that can be read, expected a file of keys")) return 0;
  dragoman::FuzzCheck(!file.is_discarded());
  // Replacing whatever is not a hash must not change the message. Deeply nested input is skipped,
  // because file.dump() recurses.
  if (std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; }) > 1000) return 0;
  if (!file.is_object() || !file.contains("clients")) return 0;
  for (json& client : file["clients"]) {
    if (!client.is_object() || !client.contains("keys") || !client["keys"].is_array()) continue;
    for (json& key : client["keys"]) {
      if (!IsHash(key)) key = "other";
    }
  }
  const auto again = dragoman::server::ParseApiKeys(file.dump());
  dragoman::FuzzCheck(!again.ok() && std::string(again.status().message()) == message);
  return 0;
}
