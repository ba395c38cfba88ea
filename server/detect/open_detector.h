// The detector of a model's file: fastText's, where the build has the library (DRAGOMAN_DETECTION).
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/detect/language_detector.h"

namespace dragoman {

// "fastText", or "" where this build detects no languages.
const char* DetectionLibrary();

// Reads a classifier of languages whose labels are codes ("__label__de", "__label__deu_Latn"), as
// fastText's lid.176 is. INVALID_ARGUMENT names the file and what was found and expected;
// UNIMPLEMENTED of a build without the library. Takes tens of milliseconds and, for lid.176.ftz, 9
// MiB.
absl::StatusOr<std::unique_ptr<LanguageDetector>> OpenDetector(const std::string& file);

}  // namespace dragoman
