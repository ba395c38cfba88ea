#include "tests/oracle/fields.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::oracle {
namespace {

const Json& Null() {
  static const Json null;
  return null;
}

}  // namespace

Fields::Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(where_, ": expected an object"));
  }
}

void Fields::Fail(const std::string& name, const std::string& what) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(absl::StrCat(where_, ".", name, ": ", what));
}

absl::Status Fields::status() const {
  if (!status_.ok()) return status_;
  for (const auto& [name, value] : object_.items()) {
    if (!read_.contains(name)) {
      return absl::InvalidArgumentError(absl::StrCat(where_, ".", name, ": unknown field"));
    }
  }
  return absl::OkStatus();
}

const Json* Fields::Find(const std::string& name) {
  if (!object_.is_object()) return nullptr;
  read_.insert(name);
  const auto it = object_.find(name);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

bool Fields::Has(const std::string& name) { return Find(name) != nullptr; }

const Json& Fields::Any(const std::string& name) {
  const Json* value = Find(name);
  if (value != nullptr) return *value;
  Fail(name, "missing");
  return Null();
}

int64_t Fields::Int(const std::string& name, int64_t min, int64_t max) {
  const Json& value = Any(name);
  if (!value.is_number_integer() || (value.is_number_unsigned() && value > max) || value < min ||
      value > max) {
    Fail(name, absl::StrCat("expected an integer, ", min, " to ", max));
    return min;
  }
  return value.get<int64_t>();
}

int64_t Fields::IntOr(const std::string& name, int64_t fallback, int64_t min, int64_t max) {
  return Has(name) ? Int(name, min, max) : fallback;
}

double Fields::ToReal(const Json& value, const std::string& name) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  Fail(name, "expected a number, \"inf\" or \"-inf\"");
  return 0;
}

double Fields::Real(const std::string& name) { return ToReal(Any(name), name); }

double Fields::RealOr(const std::string& name, double fallback) {
  return Has(name) ? Real(name) : fallback;
}

bool Fields::Bool(const std::string& name) {
  const Json& value = Any(name);
  if (!value.is_boolean()) {
    Fail(name, "expected true or false");
    return false;
  }
  return value.get<bool>();
}

std::string Fields::Text(const std::string& name) {
  const Json& value = Any(name);
  if (!value.is_string()) {
    Fail(name, "expected a string");
    return {};
  }
  return value.get<std::string>();
}

std::string Fields::TextOr(const std::string& name, const std::string& fallback) {
  return Has(name) ? Text(name) : fallback;
}

std::vector<double> Fields::ToReals(const Json& value, const std::string& name) {
  std::vector<double> reals;
  if (!value.is_array()) {
    Fail(name, "expected a list of numbers");
    return reals;
  }
  for (const Json& element : value) reals.push_back(ToReal(element, name));
  return reals;
}

std::vector<double> Fields::Reals(const std::string& name) { return ToReals(Any(name), name); }

Matrix Fields::RealRows(const std::string& name) {
  Matrix rows;
  const Json& value = Any(name);
  if (!value.is_array()) Fail(name, "expected a list of lists of numbers");
  if (value.is_array()) {
    for (const Json& row : value) rows.push_back(ToReals(row, name));
  }
  return rows;
}

Tokens Fields::ToIds(const Json& value, const std::string& name, int64_t max) {
  Tokens ids;
  if (!value.is_array()) {
    Fail(name, "expected a list of token ids");
    return ids;
  }
  for (const Json& id : value) {
    if (!id.is_number_integer() || id < 0 || id > max) {
      Fail(name, absl::StrCat("expected token ids, 0 to ", max));
      return {};
    }
    ids.push_back(id.get<int32_t>());
  }
  return ids;
}

Tokens Fields::Ids(const std::string& name, int64_t max) { return ToIds(Any(name), name, max); }

Tokens Fields::IdsOr(const std::string& name, int64_t max) {
  return Has(name) ? Ids(name, max) : Tokens();
}

std::vector<Tokens> Fields::IdRows(const std::string& name, int64_t max) {
  std::vector<Tokens> rows;
  const Json& value = Any(name);
  if (!value.is_array()) Fail(name, "expected a list of lists of token ids");
  if (value.is_array()) {
    for (const Json& row : value) rows.push_back(ToIds(row, name, max));
  }
  return rows;
}

std::vector<Tokens> Fields::IdRowsOr(const std::string& name, int64_t max) {
  return Has(name) ? IdRows(name, max) : std::vector<Tokens>();
}

std::vector<Json> Fields::Objects(const std::string& name) {
  const Json& value = Any(name);
  if (!value.is_array()) {
    Fail(name, "expected a list");
    return {};
  }
  return {value.begin(), value.end()};
}

}  // namespace dragoman::oracle
