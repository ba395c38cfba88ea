// The detector of a model's file: fastText's, where the build has the library (DRAGOMAN_DETECTION).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/call/detect/language_detector.h"

namespace dragoman::server {

// "fastText", or "" where this build detects no languages.
const char* DetectionLibrary();

// Bytes, at most: what a detector holds, and what its loading took at once.
struct DetectorMemory {
  int64_t held = 0;
  int64_t loading = 0;
};

struct OpenedDetector {
  std::unique_ptr<LanguageDetector> detector;
  DetectorMemory memory;
};

// Reads a classifier of languages whose labels are codes ("__label__de", "__label__deu_Latn"), as
// fastText's lid.176 is. `sha256` is what CheckClassifier expects of the file (classifier_file.h), which may
// change meanwhile. `most_bytes`: the memory that loading may take, file and model together.
//
// INVALID_ARGUMENT names the file, what was found and what was expected. RESOURCE_EXHAUSTED names a file
// that is too large. UNIMPLEMENTED: the build lacks the library. Takes tens of milliseconds for lid.176.ftz.
absl::StatusOr<OpenedDetector> OpenDetector(const std::string& file, const std::string& sha256,
                                            int64_t most_bytes);

}  // namespace dragoman::server
