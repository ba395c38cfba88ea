#include "engine/base/limited_json.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// Returns the first 64 bytes of a key for a message, with '?' in place of all bytes that are not
// printable ASCII.
std::string Printable(std::string_view key) {
  constexpr size_t kQuoted = 64;
  std::string out(key.substr(0, kQuoted));
  for (char& c : out) c = c >= 0x20 && c <= 0x7E ? c : '?';
  return out;
}

// Builds the document while the parser reads it, and stops the parser at the first exceeded limit.
class LimitedBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  LimitedBuilder(absl::string_view file, const JsonLimits& limits) : file_(file), limits_(limits) {}

  const absl::Status& status() const { return status_; }
  nlohmann::json Take() { return std::move(root_); }

  bool null() override { return Add(nullptr) != nullptr; }
  bool boolean(bool value) override { return Add(value) != nullptr; }
  bool number_integer(number_integer_t value) override { return Add(value) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return Add(value) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override {
    return Add(value) != nullptr;
  }
  bool string(string_t& value) override { return Add(std::move(value)) != nullptr; }
  bool binary(binary_t&) override { return Fail("binary value"); }
  bool start_object(size_t) override { return Open(nlohmann::json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(nlohmann::json::array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) {
      return Fail(limits_.is_secret ? "a key appears twice"
                                    : absl::StrCat("key \"", Printable(name), "\" appears twice"));
    }
    if (open_.back()->size() >= limits_.max_fields) {
      return Fail(absl::StrCat("more than ", limits_.max_fields, " fields in an object"));
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail(absl::StrCat("not valid JSON at byte ", position));
  }

 private:
  bool Fail(absl::string_view what) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(file_, ": ", what));
    return false;
  }

  nlohmann::json* Add(nlohmann::json value) {
    if (++values_ > limits_.max_values) {
      Fail(absl::StrCat("more than ", limits_.max_values, " values"));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    nlohmann::json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    nlohmann::json& slot = parent[key_];
    slot = std::move(value);
    return &slot;
  }

  bool Open(nlohmann::json container) {
    if (open_.size() >= static_cast<size_t>(limits_.max_depth)) {
      return Fail(absl::StrCat("nested deeper than ", limits_.max_depth, " levels"));
    }
    nlohmann::json* added = Add(std::move(container));
    if (added == nullptr) return false;
    open_.push_back(added);
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const absl::string_view file_;
  const JsonLimits limits_;
  absl::Status status_;
  nlohmann::json root_;
  // The containers that are open, outermost first: pointers into root_. They stay valid, because
  // only the innermost container grows.
  std::vector<nlohmann::json*> open_;
  std::string key_;
  size_t values_ = 0;
};

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, std::string_view path,
                                         const JsonLimits& limits) {
  const absl::string_view file(path.data(), path.size());
  if (text.size() > limits.max_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": ", text.size(), " bytes of JSON, expected at most ", limits.max_bytes));
  }
  LimitedBuilder builder(file, limits);
  const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (!builder.status().ok()) return builder.status();
  if (!complete) return absl::InvalidArgumentError(absl::StrCat(file, ": not valid JSON"));
  return builder.Take();
}

}  // namespace dragoman::engine
