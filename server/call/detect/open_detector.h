// Opens a language detector with fastText, if the build has it (DRAGOMAN_DETECTION).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/call/detect/language_detector.h"

namespace dragoman::server {

// Returns "fastText", or "" if this build detects no languages.
const char* DetectionLibrary();

// The memory of a detector, as upper bounds in bytes: `held` while the detector is in use, and
// `loading` as the maximum while it is loaded.
struct DetectorMemory {
  int64_t held = 0;
  int64_t loading = 0;
};

struct OpenedDetector {
  std::unique_ptr<LanguageDetector> detector;
  DetectorMemory memory;
};

// Reads a language classifier whose labels are codes ("__label__de", "__label__deu_Latn"), as in
// fastText's lid.176. CheckClassifier (classifier_file.h) verifies the file with `sha256`. The file
// may change during the call. `most_bytes` is the maximum memory for loading, file and model
// together.
//
// INVALID_ARGUMENT names the file, what was found and what was expected. RESOURCE_EXHAUSTED names a
// file that is too large. UNIMPLEMENTED without fastText. Takes tens of milliseconds for
// lid.176.ftz.
absl::StatusOr<OpenedDetector> OpenDetector(const std::string& file, const std::string& sha256,
                                            int64_t most_bytes);

}  // namespace dragoman::server
