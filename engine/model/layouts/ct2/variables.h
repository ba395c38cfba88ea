// Reads the sizes and attributes of a CTranslate2 model from its variables. status() keeps the
// first error. Reads after an error return harmless values.
//
// Borrows the file. Thread-safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/model/layouts/ct2/model_file.h"

namespace dragoman::engine {

class Ct2Variables {
 public:
  Ct2Variables(const Ct2ModelFile& model, std::string_view file) : model_(model), file_(file) {}

  const absl::Status& status() const { return status_; }

  // Returns nullptr if there is no such variable.
  const TensorView* Find(std::string_view name) const;

  // Reports whether both are names of one tensor; false if one is missing.
  bool AreOne(std::string_view a, std::string_view b) const;

  // Returns the size of a dimension of a required matrix.
  int Size(std::string_view name, size_t dimension, int64_t max);

  // Returns a single number, or `absent` if there is no such variable.
  double Number(std::string_view name, double absent);
  // Returns a piece, which is stored as a vector of bytes, or `absent`.
  std::string Text(std::string_view name, std::string absent);
  // Returns an attribute of a stage. Older models have one for both stages.
  double Attribute(std::string_view stage, std::string_view name, double absent);
  // Returns an attribute that must be the same in both stages.
  double Agreed(std::string_view name, double absent);
  int Whole(std::string_view stage, std::string_view name, int absent, int64_t min, int64_t max);

  // Record the fault of a variable and return 0.
  int Fail(std::string_view name, std::string_view what);         // INVALID_ARGUMENT
  int Unsupported(std::string_view name, std::string_view what);  // UNIMPLEMENTED

 private:
  int Record(absl::Status status);

  const Ct2ModelFile& model_;
  const std::string_view file_;
  absl::Status status_;
};

}  // namespace dragoman::engine
