// Reads the sizes and attributes of a CTranslate2 model from its variables. Attributes are
// variables with one number or a text. status() keeps the first error. Reads after an error return
// harmless values.
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

  // Reports whether `a` and `b` are two names of one tensor. Returns false if a name is missing.
  bool AreOne(std::string_view a, std::string_view b) const;

  // Returns the size of a dimension of a matrix. The matrix must exist, and the size must be 1 to
  // `max`.
  int Size(std::string_view name, size_t dimension, int64_t max);

  // Returns the number of a variable with one element, or `absent` if there is no such variable.
  double Number(std::string_view name, double absent);
  // Returns a text variable, which is stored as a vector of bytes, or `absent` if there is no such
  // variable.
  std::string Text(std::string_view name, std::string absent);
  // Returns an attribute of a stage, "encoder" or "decoder". Older models have one attribute for
  // both stages.
  double Attribute(std::string_view stage, std::string_view name, double absent);
  // Returns an attribute that must have the same value in both stages.
  double Agreed(std::string_view name, double absent);
  int Whole(std::string_view stage, std::string_view name, int absent, int64_t min, int64_t max);

  // These record an error in a variable, and return 0. `what` describes the error.
  int Fail(std::string_view name, std::string_view what);         // INVALID_ARGUMENT
  int Unsupported(std::string_view name, std::string_view what);  // UNIMPLEMENTED

 private:
  int Record(absl::Status status);

  const Ct2ModelFile& model_;
  const std::string_view file_;
  absl::Status status_;
};

}  // namespace dragoman::engine
