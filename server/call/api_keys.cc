#include "server/call/api_keys.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/base/limited_json.h"
#include "server/base/file_watch.h"
#include "server/base/hex.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

constexpr std::string_view kHashPrefix = "sha256:";
// The prefix of keys that `dragoman key` makes.
constexpr char kKeyPrefix[] = "dgm_";
constexpr int64_t kMaxRate = 1'000'000'000'000;
constexpr size_t kMaxNameBytes = 64;
// No error quotes the text, because it may have a key in place of a hash.
constexpr engine::JsonLimits kFileLimits = {
    .max_bytes = kMaxSmallFileBytes, .max_depth = 8, .max_values = 1 << 18, .is_secret = true};

KeyHash Sha256(std::string_view bytes) {
  KeyHash hash{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

absl::Status RefuseEntry(const std::string& where, absl::string_view found,
                         absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": found ", found, ", expected ", expected));
}

std::optional<KeyHash> ParseHash(std::string_view text) {
  if (!text.starts_with(kHashPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kHashPrefix.size());
  const bool hex = std::all_of(digits.begin(), digits.end(),
                               [](unsigned char c) { return absl::ascii_isxdigit(c); });
  KeyHash hash{};
  if (!hex || digits.size() != 2 * hash.size()) return std::nullopt;
  const std::string bytes = BytesOfHex(digits);
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

// Reports whether `name` is valid. A text that begins like a key is not, because each call's log
// line has the name.
bool IsName(const std::string& name) {
  return !absl::StartsWith(name, kKeyPrefix) && !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
         });
}

// Errors name only the place and the kind of a value, because any value may be a key by mistake.
absl::Status ReadKeys(const std::string& where, const json& value, ClientEntry* entry) {
  if (!value.is_array() || value.empty()) {
    return RefuseEntry(where, value.is_array() ? "an empty list" : value.type_name(),
                       "a list of at least one hash");
  }
  for (size_t i = 0; i < value.size(); ++i) {
    const std::optional<KeyHash> hash =
        value[i].is_string() ? ParseHash(value[i].get_ref<const std::string&>()) : std::nullopt;
    if (!hash.has_value()) {
      return RefuseEntry(absl::StrCat(where, "[", i, "]"), "something else",
                         "\"sha256:\" and 64 hexadecimal digits (of the key's hash, not the key)");
    }
    entry->hashes.push_back(*hash);
  }
  return absl::OkStatus();
}

absl::Status ReadModels(const std::string& where, const json& value, ClientEntry* entry) {
  const bool strings =
      value.is_array() && !value.empty() &&
      std::all_of(value.begin(), value.end(), [](const json& model) { return model.is_string(); });
  if (!strings) {
    return RefuseEntry(where, value == json::array() ? "an empty list" : value.type_name(),
                       "a list of models' names, or [\"*\"]");
  }
  entry->models = value.get<std::vector<std::string>>();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ReadNumber(const std::string& where, const json& value, int64_t max) {
  const bool fits = value.is_number_integer() && value.get<double>() >= 1 &&
                    value.get<double>() <= static_cast<double>(max);
  if (!fits) {
    return RefuseEntry(where, value.is_number() ? value.dump() : value.type_name(),
                       absl::StrCat("a whole number 1..", max));
  }
  return value.get<int64_t>();
}

absl::StatusOr<ClientEntry> ReadClient(const std::string& where, const json& value) {
  if (!value.is_object()) return RefuseEntry(where, value.type_name(), "an object");
  ClientEntry entry;
  entry.models = {"*"};
  for (const auto& [key, field] : value.items()) {
    const std::string at = absl::StrCat(where, ".", key);  // used only if the JSON key is known
    absl::Status status;
    if (key == "name") {
      if (!field.is_string() || !IsName(field.get<std::string>())) {
        const std::string found =
            field.is_string()
                ? absl::StrCat("a string of ", field.get_ref<const std::string&>().size(), " bytes")
                : field.type_name();
        return RefuseEntry(
            at, found,
            absl::StrCat("a name of 1 to ", kMaxNameBytes,
                         " letters, digits, '.', '_' and '-' that does not begin as keys "
                         "do, with ",
                         kKeyPrefix));
      }
      entry.name = field.get<std::string>();
    } else if (key == "keys") {
      status = ReadKeys(at, field, &entry);
    } else if (key == "models") {
      status = ReadModels(at, field, &entry);
    } else if (key == "characters_per_minute") {
      const absl::StatusOr<int64_t> number = ReadNumber(at, field, kMaxRate);
      if (number.ok()) entry.characters_per_minute = *number;
      status = number.status();
    } else if (key == "share") {
      const absl::StatusOr<int64_t> number = ReadNumber(at, field, kMaxShare);
      if (number.ok()) entry.share = static_cast<int>(*number);
      status = number.status();
    } else {
      return RefuseEntry(where, "a field of another name",
                         "name, keys, models, characters_per_minute or share");
    }
    if (!status.ok()) return status;
  }
  if (entry.name.empty()) return RefuseEntry(absl::StrCat(where, ".name"), "nothing", "a name");
  if (entry.hashes.empty()) {
    return RefuseEntry(absl::StrCat(where, ".keys"), "nothing", "a list of at least one hash");
  }
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<ClientEntry>> ParseApiKeys(std::string_view text) {
  const absl::StatusOr<json> parsed = engine::ParseJson(
      text, "found no JSON that can be read, expected a file of keys", kFileLimits);
  if (!parsed.ok()) return parsed.status();
  const json& file = *parsed;
  if (!file.is_object() || file.size() != 1 || !file.contains("clients") ||
      !file["clients"].is_array()) {
    return absl::InvalidArgumentError(
        "found something else, expected an object with the list \"clients\" and nothing more");
  }
  std::vector<ClientEntry> entries;
  std::map<std::string, size_t> names;
  std::set<KeyHash> hashes;
  const json& clients = file["clients"];
  for (size_t i = 0; i < clients.size(); ++i) {
    const std::string where = absl::StrCat("clients[", i, "]");
    absl::StatusOr<ClientEntry> entry = ReadClient(where, clients[i]);
    if (!entry.ok()) return entry.status();
    if (const auto [first, is_new] = names.emplace(entry->name, i); !is_new) {
      return RefuseEntry(absl::StrCat(where, ".name"),
                         absl::StrCat("the name of clients[", first->second, "] again"),
                         "each name once (a client may have several keys)");
    }
    for (const KeyHash& hash : entry->hashes) {
      if (!hashes.insert(hash).second) {
        return RefuseEntry(absl::StrCat(where, ".keys"), "a hash that was there before",
                           "each hash once");
      }
    }
    entries.push_back(*std::move(entry));
  }
  if (hashes.size() > kMaxApiKeys) {
    return RefuseEntry("clients", absl::StrCat(hashes.size(), " keys"),
                       absl::StrCat("at most ", kMaxApiKeys));
  }
  return entries;
}

std::string HashOfKey(std::string_view key) {
  const KeyHash hash = Sha256(key);
  return absl::StrCat(absl::string_view(kHashPrefix.data(), kHashPrefix.size()),
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(hash.data()), hash.size())));
}

Client::Client(const ClientEntry& entry) : name_(entry.name) { Update(entry); }

int Client::share() const {
  engine::MutexLock lock(&mu_);
  return share_;
}

bool Client::MayUse(std::string_view model) const {
  engine::MutexLock lock(&mu_);
  return std::any_of(models_.begin(), models_.end(),
                     [&](const std::string& name) { return name == "*" || name == model; });
}

engine::Nanos Client::Take(int64_t characters, engine::Nanos now) {
  engine::MutexLock lock(&mu_);
  return bucket_.Take(characters, now);
}

void Client::GiveBack(int64_t characters) {
  engine::MutexLock lock(&mu_);
  bucket_.GiveBack(characters);
}

void Client::Update(const ClientEntry& entry) {
  engine::MutexLock lock(&mu_);
  models_ = entry.models;
  share_ = entry.share;
  bucket_.SetRate(entry.characters_per_minute);
}

uint64_t Grant::OnRevoked(std::function<void()> end) {
  {
    engine::MutexLock lock(&mu_);
    if (!revoked_) {
      ends_.emplace(++last_, std::move(end));
      return last_;
    }
  }
  end();
  return 0;
}

void Grant::Forget(uint64_t number) {
  engine::MutexLock lock(&mu_);
  ends_.erase(number);
}

void Grant::Revoke() {
  std::map<uint64_t, std::function<void()>> ends;
  {
    engine::MutexLock lock(&mu_);
    revoked_ = true;
    ends.swap(ends_);
  }
  for (const auto& [number, end] : ends) end();
}

absl::StatusOr<std::unique_ptr<ApiKeys>> ApiKeys::Open(std::string path) {
  std::unique_ptr<ApiKeys> keys(new ApiKeys(std::move(path)));
  if (absl::Status status = keys->Reload(); !status.ok()) return status;
  return keys;
}

absl::Status ApiKeys::Reload() {
  const absl::StatusOr<std::string> text = ReadSmallFile(path_);
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::vector<ClientEntry>> entries = ParseApiKeys(*text);
  if (!entries.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(path_), ": ", std::string(entries.status().message())));
  }
  std::vector<std::shared_ptr<Grant>> revoked;
  {
    engine::MutexLock lock(&mu_);
    std::map<KeyHash, std::shared_ptr<Grant>> old;
    if (keys_ != nullptr) {
      for (const Key& key : *keys_) old.emplace(key.hash, key.grant);
    }
    std::map<std::string, std::shared_ptr<Client>> clients;
    auto keys = std::make_shared<std::vector<Key>>();
    for (const ClientEntry& entry : *entries) {
      std::shared_ptr<Client>& client = clients[entry.name];
      const auto known = clients_.find(entry.name);
      if (known == clients_.end()) {
        client = std::make_shared<Client>(entry);
      } else {
        client = known->second;
        client->Update(entry);
      }
      for (const KeyHash& hash : entry.hashes) {
        const auto at = old.find(hash);
        // A key that has moved to another client is a new key.
        if (at != old.end() && &at->second->client() == client.get()) {
          keys->push_back({hash, at->second});
          old.erase(at);
        } else {
          keys->push_back({hash, std::make_shared<Grant>(client)});
        }
      }
    }
    for (const auto& [hash, grant] : old) revoked.push_back(grant);
    clients_ = std::move(clients);
    keys_ = std::move(keys);
  }
  for (const auto& grant : revoked) grant->Revoke();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Grant>> ApiKeys::Authenticate(std::string_view authorization) const {
  constexpr std::string_view kScheme = "bearer ";
  const absl::string_view header(authorization.data(), authorization.size());
  if (header.empty()) {
    return absl::UnauthenticatedError(
        "found no API key, expected one in the metadata authorization: Bearer KEY");
  }
  if (!absl::StartsWithIgnoreCase(header, absl::string_view(kScheme.data(), kScheme.size()))) {
    return absl::UnauthenticatedError(
        "metadata authorization: found another scheme, expected Bearer KEY");
  }
  return Find(authorization.substr(kScheme.size()));
}

absl::StatusOr<std::shared_ptr<Grant>> ApiKeys::AuthenticateKey(std::string_view key) const {
  if (key.empty()) {
    return absl::UnauthenticatedError(
        "found no API key, expected one, in the header Authorization: Bearer KEY or where this "
        "interface has it");
  }
  return Find(key);
}

absl::StatusOr<std::shared_ptr<Grant>> ApiKeys::Find(std::string_view key) const {
  const KeyHash hash = Sha256(key);
  std::shared_ptr<const std::vector<Key>> keys;
  {
    engine::MutexLock lock(&mu_);
    keys = keys_;
  }
  // Compares with all hashes in constant time, so that the duration reveals nothing about them.
  const Key* found = nullptr;
  for (const Key& known : *keys) {
    if (CRYPTO_memcmp(known.hash.data(), hash.data(), hash.size()) == 0) found = &known;
  }
  if (found == nullptr) return absl::UnauthenticatedError("the API key is not known");
  return found->grant;
}

std::shared_ptr<Grant> ApiKeys::GrantOf(std::string_view client) const {
  engine::MutexLock lock(&mu_);
  for (const Key& key : *keys_) {
    if (key.grant->client().name() == client) return key.grant;
  }
  return nullptr;
}

size_t ApiKeys::clients() const {
  engine::MutexLock lock(&mu_);
  return clients_.size();
}

size_t ApiKeys::keys() const {
  engine::MutexLock lock(&mu_);
  return keys_->size();
}

}  // namespace dragoman::server
