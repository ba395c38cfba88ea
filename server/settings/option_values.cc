#include "server/settings/option_values.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

std::string WholeNumbers(const Option& option) {
  return absl::StrCat("a whole number ", option.min, "..", option.max);
}

absl::Status SetWhole(const Option& option, std::string_view where, int64_t value,
                      const Field& field) {
  if (value < option.min || value > option.max) {
    return Refuse(where, option.name, absl::StrCat(value),
                  absl::StrCat(option.min, "..", option.max));
  }
  if (int* const* number = std::get_if<int*>(&field)) {
    **number = static_cast<int>(value);
  } else {
    *std::get<int64_t*>(field) = value;
  }
  return absl::OkStatus();
}

absl::Status SetReal(const Option& option, std::string_view where, double value, double* real) {
  if (!(value > static_cast<double>(option.min) && value <= static_cast<double>(option.max))) {
    return Refuse(where, option.name, absl::StrCat(value),
                  absl::StrCat("a number above ", option.min, " and up to ", option.max));
  }
  *real = value;
  return absl::OkStatus();
}

absl::Status SetText(const Option& option, std::string_view where, const std::string& text,
                     const TextField& field) {
  const std::string expected = field.read(text);
  return expected.empty() ? absl::OkStatus() : Refuse(where, option.name, Quoted(text), expected);
}

absl::Status SetTexts(const Option& option, const std::string& where, const nlohmann::json& value,
                      Texts* texts) {
  const nlohmann::json list = value.is_string() ? nlohmann::json::array({value}) : value;
  texts->clear();
  if (!list.is_array()) {
    return Refuse(where, option.name, value.type_name(), "a string or an array of strings");
  }
  for (const nlohmann::json& text : list) {
    if (!text.is_string()) {
      return Refuse(where, option.name, absl::StrCat("an array with ", text.type_name()),
                    "a string or an array of strings");
    }
    texts->push_back(text.get<std::string>());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Refuse(std::string_view where, std::string_view name, const std::string& found,
                    const std::string& expected) {
  return absl::InvalidArgumentError(absl::StrCat(absl::string_view(where.data(), where.size()),
                                                 absl::string_view(name.data(), name.size()),
                                                 ": found ", found, ", expected ", expected));
}

Field Place::FieldOf(const Option& option) const {
  return option.target.of_model ? option.target.of_model(*model) : option.target.of_server(*server);
}

bool IsOfModel(const Option& option) { return static_cast<bool>(option.target.of_model); }

bool IsRepeated(const Option& option) {
  ServerConfig config;
  return std::holds_alternative<Texts*>(Place{&config, &config}.FieldOf(option));
}

absl::Status SetFromText(const Option& option, std::string_view where, const std::string& value,
                         const Place& place) {
  const Field field = place.FieldOf(option);
  if (auto* const* text = std::get_if<std::string*>(&field)) {
    **text = value;
    return absl::OkStatus();
  }
  if (auto* const* texts = std::get_if<Texts*>(&field)) {
    (*texts)->push_back(value);
    return absl::OkStatus();
  }
  if (const auto* text = std::get_if<TextField>(&field)) {
    return SetText(option, where, value, *text);
  }
  if (double* const* real = std::get_if<double*>(&field)) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      return Refuse(where, option.name, Quoted(value), "a number");
    }
    return SetReal(option, where, number, *real);
  }
  const std::optional<int64_t> number = WholeNumber(value);
  if (!number.has_value()) return Refuse(where, option.name, Quoted(value), WholeNumbers(option));
  return SetWhole(option, where, *number, field);
}

absl::Status SetFromFile(const Option& option, const std::string& where,
                         const nlohmann::json& value, const Place& place) {
  const Field field = place.FieldOf(option);
  if (auto* const* texts = std::get_if<Texts*>(&field)) {
    return SetTexts(option, where, value, *texts);
  }
  const bool is_text =
      std::holds_alternative<std::string*>(field) || std::holds_alternative<TextField>(field);
  if (is_text) {
    if (!value.is_string()) return Refuse(where, option.name, value.type_name(), "a string");
    return SetFromText(option, where, value.get<std::string>(), place);
  }
  if (double* const* real = std::get_if<double*>(&field)) {
    if (!value.is_number()) return Refuse(where, option.name, value.type_name(), "a number");
    return SetReal(option, where, value.get<double>(), *real);
  }
  if (!value.is_number_integer()) {
    return Refuse(where, option.name, value.is_number() ? value.dump() : value.type_name(),
                  WholeNumbers(option));
  }
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT_MAX)) {
    return Refuse(where, option.name, value.dump(), WholeNumbers(option));
  }
  return SetWhole(option, where, value.get<int64_t>(), field);
}

absl::Status SetObject(std::string_view object, const std::string& where,
                       const nlohmann::json& value, ModelSettings* model) {
  const std::string inside = absl::StrCat(std::string(object), ": ");
  if (!value.is_object()) return Refuse(where, object, value.type_name(), "an object");
  for (const auto& [key, one] : value.items()) {
    const Option* const option = FindKey(object, key);
    if (option == nullptr) {
      std::vector<std::string> names;
      for (const Option& known : Options()) {
        if (ObjectFor(known.audience) == object) names.emplace_back(known.name);
      }
      return Refuse(where, absl::StrCat(inside, Quoted(key)), "an unknown key",
                    absl::StrCat("one of ", absl::StrJoin(names, ", ")));
    }
    absl::Status status = SetFromFile(*option, where + inside, one, {model, nullptr});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

nlohmann::json ValueOf(const Option& option, const Place& place) {
  return std::visit(
      [](const auto& field) -> nlohmann::json {
        if constexpr (std::is_same_v<std::decay_t<decltype(field)>, TextField>) {
          return field.text();
        } else {
          return *field;
        }
      },
      place.FieldOf(option));
}

std::string TextOf(const Option& option, const Place& place) {
  const Field field = place.FieldOf(option);
  if (auto* const* texts = std::get_if<Texts*>(&field)) return absl::StrJoin(**texts, " ");
  const nlohmann::json value = ValueOf(option, place);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? absl::StrCat(value.get<double>()) : value.dump();
}

nlohmann::ordered_json ValuesOf(std::string_view object, const ModelSettings& model) {
  ModelSettings copy = model;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Option& option : Options()) {
    if (ObjectFor(option.audience) != object) continue;
    json[std::string(option.name)] = ValueOf(option, {&copy, nullptr});
  }
  return json;
}

}  // namespace dragoman::server
