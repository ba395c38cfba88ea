// Reads the fields of one JSON object, and says which one was wrong.
//
// Not thread-safe; borrows the object. The first error is kept, later reads then return defaults,
// so that a reader may ask status() once at its end. Numbers may be "inf" or "-inf" where a real is
// read; null is "not given" where the field is optional.
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

  bool Has(const std::string& name);  // there, and not null
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
  Tokens IdsOr(const std::string& name, int64_t max);  // empty when it is not given
  std::vector<Tokens> IdRows(const std::string& name, int64_t max);
  std::vector<Tokens> IdRowsOr(const std::string& name, int64_t max);
  // A field of any shape; null when it is not there (an error).
  const Json& Any(const std::string& name);
  // The objects of a list, for further readers.
  std::vector<Json> Objects(const std::string& name);

  void Fail(const std::string& name, const std::string& what);
  // The first error, or one that names a field that was there and that nobody read.
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
