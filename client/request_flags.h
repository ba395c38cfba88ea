// The flags that describe a request, the same for translate and load.
//
// Not thread-safe. Ranges that the server knows better are left to it: it refuses by name.
#pragma once

#include <optional>
#include <string>

#include "client/flags.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman {

class RequestFlags {
 public:
  // Adds --from, --to, --model, --beam and the other options. This object must outlive the table.
  void AddTo(FlagTable* flags);
  // A request with all that was given, without contents.
  v1::TranslateRequest Request() const;

 private:
  std::string from_;
  std::string to_;
  std::string model_;
  std::string priority_;
  std::string split_;
  std::string on_too_long_;
  std::string stop_rule_;
  std::string forced_eos_;
  std::optional<int64_t> beam_;
  std::optional<int64_t> max_output_tokens_;
  std::optional<int64_t> min_output_tokens_;
  std::optional<int64_t> max_length_extra_;
  std::optional<double> max_length_ratio_;
  std::optional<double> length_penalty_;
  std::optional<double> patience_;
};

}  // namespace dragoman
