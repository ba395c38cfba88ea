// Reads the sizes and attributes of a CTranslate2 model from its variables.
//
// Borrows the file. Thread-safety: one thread at a time. The first thing that is wrong is kept in
// status(); reads after it go on and return harmless values.
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

  // nullptr where there is none.
  const TensorView* Find(std::string_view name) const;

  // Whether the two are names of one tensor; false where one is missing.
  bool AreOne(std::string_view a, std::string_view b) const;

  // The size of a dimension of a matrix that must be there.
  int Size(std::string_view name, size_t dimension, int64_t max);

  // A single number; `absent` where there is no such variable.
  double Number(std::string_view name, double absent);
  // A piece, stored as a vector of bytes; `absent` as above.
  std::string Text(std::string_view name, std::string absent);
  // An attribute of a stage; older models have one for both stages.
  double Attribute(std::string_view stage, std::string_view name, double absent);
  // An attribute that must be the same in both stages.
  double Agreed(std::string_view name, double absent);
  int Whole(std::string_view stage, std::string_view name, int absent, int64_t min, int64_t max);

  // These record what is wrong with a variable, and return 0.
  int Fail(std::string_view name, std::string_view what);         // INVALID_ARGUMENT
  int Unsupported(std::string_view name, std::string_view what);  // UNIMPLEMENTED

 private:
  int Record(absl::Status status);

  const Ct2ModelFile& model_;
  const std::string_view file_;
  absl::Status status_;
};

}  // namespace dragoman::engine
