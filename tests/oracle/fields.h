// Reads the fields of one JSON object and reports the first wrong one.
//
// Not thread-safe. Borrows the object. Keeps the first error; later reads return defaults, so a
// reader may check status() once at its end. A real number may be "inf" or "-inf". null means "not
// given" for an optional field.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace dragoman::oracle {

using Json = nlohmann::json;
using Tokens = std::vector<int32_t>;
using Matrix = std::vector<std::vector<double>>;

class Fields {
 public:
  // `where` names the object in messages.
  Fields(const Json& object, std::string where);

  bool Has(const std::string& name);  // present and not null
  int64_t Int(const std::string& name, int64_t min, int64_t max);
  int64_t IntOr(const std::string& name, int64_t fallback, int64_t min, int64_t max);
  double Real(const std::string& name);
  double RealOr(const std::string& name, double fallback);
  bool Bool(const std::string& name);
  std::string Text(const std::string& name);
  std::string TextOr(const std::string& name, const std::string& fallback);
  std::vector<double> Reals(const std::string& name);
  Matrix RealRows(const std::string& name);
  // Token ids, 0..max.
  Tokens Ids(const std::string& name, int64_t max);
  Tokens IdsOr(const std::string& name, int64_t max);  // empty if not given
  std::vector<Tokens> IdRows(const std::string& name, int64_t max);
  std::vector<Tokens> IdRowsOr(const std::string& name, int64_t max);
  // Returns a field of any shape, or null with an error if it is missing.
  const Json& Any(const std::string& name);
  // Returns the objects of a list, each for another reader.
  std::vector<Json> Objects(const std::string& name);

  void Fail(const std::string& name, const std::string& what);
  // Returns the first error, else an error that names a field that was given but not read.
  absl::Status status() const;

 private:
  const Json* Find(const std::string& name);
  double ToReal(const Json& value, const std::string& name);
  Tokens ToIds(const Json& value, const std::string& name, int64_t max);
  std::vector<double> ToReals(const Json& value, const std::string& name);

  const Json& object_;
  const std::string where_;
  std::set<std::string> read_;
  absl::Status status_;
};

}  // namespace dragoman::oracle
