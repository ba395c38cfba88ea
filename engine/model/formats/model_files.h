// The names of a model's files, and how large each may be.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dragoman {

inline constexpr size_t kMaxConfigBytes = 1 << 20;
inline constexpr size_t kMaxVocabularyBytes = 64 << 20;
inline constexpr size_t kMaxSentencePieceBytes = 64 << 20;

// The last part of the path, with and without a slash at the end.
std::string NameOf(const std::string& directory);

// The status with the path in front of its message, unless the message begins with it.
absl::Status InDirectory(const std::string& directory, const absl::Status& status);

std::string PathOf(const std::string& directory, std::string_view file);

}  // namespace dragoman
