// Translates documents (docx, srt, po, ...) as jobs of a server.
//
// Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/clock.h"
#include "client/commands/command.h"
#include "client/translation_client.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

// A document and the file of its translation.
struct DocumentFile {
  std::string input;
  std::string output;
};

struct DocumentRunOptions {
  v1::TranslateRequest request;     // without contents
  std::string format;               // "": by each file's extension
  std::vector<std::string> fields;  // of CreateJobRequest
  bool retranslate = false;
  bool resume = false;  // leaves out documents whose output exists
  int concurrency = 4;  // documents at once
};

// Reports whether the file's extension is that of a document that is not translated line by line.
bool IsDocument(const std::string& path);

// Returns the documents that `inputs` name, files and folders, with the outputs that they have
// under `output`. Folders are searched for files with the extension of a document or of text; a file
// keeps its path in its folder. `output` is the output of a single file, unless it is a folder or
// ends with '/'. Returns INVALID_ARGUMENT if an input does not exist, two inputs have one output, or
// an output is one of the inputs.
absl::StatusOr<std::vector<DocumentFile>> FindDocuments(const std::vector<std::string>& inputs,
                                                        const std::string& output);

// Translates the documents. An output appears when it is complete. Prints errors, and a progress bar
// on a terminal. Returns the exit status.
int RunDocuments(const Io& io, const DocumentRunOptions& options,
                 const std::vector<DocumentFile>& files, TranslationClient* client,
                 ClientClock* clock);

}  // namespace dragoman::client
