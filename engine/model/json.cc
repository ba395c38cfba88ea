#include "engine/model/json.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/model/concat.h"

namespace dragoman {
namespace {

// Builds the document as the parser reads it, and stops it at the first broken limit.
class LimitedBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  LimitedBuilder(std::string_view file, const JsonLimits& limits) : file_(file), limits_(limits) {}

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
      return Fail(Concat("key \"", std::string_view(name).substr(0, 64), "\" appears twice"));
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Fail(Concat("not valid JSON at byte ", position));
  }

 private:
  bool Fail(std::string_view what) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(Concat(file_, ": ", what));
    return false;
  }

  nlohmann::json* Add(nlohmann::json value) {
    if (++values_ > limits_.max_values) {
      Fail(Concat("more than ", limits_.max_values, " values"));
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
      return Fail(Concat("nested deeper than ", limits_.max_depth, " levels"));
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

  std::string_view file_;
  JsonLimits limits_;
  absl::Status status_;
  nlohmann::json root_;
  // Pointers into root_: only the innermost container grows, so those above stay where they are.
  std::vector<nlohmann::json*> open_;
  std::string key_;
  size_t values_ = 0;
};

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, std::string_view file,
                                         const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", text.size(), " bytes of JSON, expected at most ", limits.max_bytes));
  }
  LimitedBuilder builder(file, limits);
  const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (!builder.status().ok()) return builder.status();
  if (!complete) return absl::InvalidArgumentError(Concat(file, ": not valid JSON"));
  return builder.Take();
}

std::string DescribeJson(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= 64 ? text : Concat(text.substr(0, 64), "...");
}

const nlohmann::json* JsonFields::Find(std::string_view name) const {
  const auto found = object_.find(std::string(name));
  if (found == object_.end() || found->is_null()) return nullptr;
  return &*found;
}

void JsonFields::Fail(std::string_view name, std::string_view expected) {
  if (!status_.ok()) return;
  const nlohmann::json* value = Find(name);
  status_ = absl::InvalidArgumentError(Concat(file_, ": field '", name, "' is ",
                                              value == nullptr ? "missing" : DescribeJson(*value),
                                              ", expected ", expected));
}

void JsonFields::Unsupported(std::string_view name, std::string_view supported) {
  if (!status_.ok()) return;
  const nlohmann::json* value = Find(name);
  status_ = absl::UnimplementedError(Concat(file_, ": field '", name, "' is ",
                                            value == nullptr ? "missing" : DescribeJson(*value),
                                            ", which is not supported; supported: ", supported));
}

int64_t JsonFields::Int(std::string_view name, int64_t min, int64_t max) {
  if (!Has(name)) {
    Fail(name, Concat("an integer from ", min, " to ", max));
    return min;
  }
  return OptionalInt(name, min, max).value_or(min);
}

std::optional<int64_t> JsonFields::OptionalInt(std::string_view name, int64_t min, int64_t max) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  // A literal beyond int64 is unsigned to the parser: it is out of any range used here.
  const bool too_large =
      value->is_number_unsigned() &&
      value->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value->is_number_integer() || too_large || value->get<int64_t>() < min ||
      value->get<int64_t>() > max) {
    Fail(name, Concat("an integer from ", min, " to ", max));
    return std::nullopt;
  }
  return value->get<int64_t>();
}

std::optional<double> JsonFields::OptionalNumber(std::string_view name) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    Fail(name, "a finite number");
    return std::nullopt;
  }
  return value->get<double>();
}

bool JsonFields::Bool(std::string_view name, bool absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return absent;
  if (!value->is_boolean()) {
    Fail(name, "true or false");
    return absent;
  }
  return value->get<bool>();
}

std::string JsonFields::String(std::string_view name, std::string_view absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::string(absent);
  if (!value->is_string()) {
    Fail(name, "a string");
    return std::string(absent);
  }
  return value->get<std::string>();
}

}  // namespace dragoman
