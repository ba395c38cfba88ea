// The named glossaries of an engine, which are the files of one directory. They are loaded at start
// and on demand. A load replaces all of them together.
//
// Thread-safe. A shared_ptr keeps a glossary alive while a request uses it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/base/mutex.h"
#include "engine/text/terms/glossary.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

struct GlossaryDirectory {
  std::map<std::string, std::shared_ptr<const Glossary>, std::less<>> glossaries;  // by name
  // Names of files and folders that are not glossaries, in order, for the log.
  std::vector<std::string> ignored;
};

// Loads every NAME.tsv and NAME.csv (also in capitals) directly in `directory` as glossary NAME.
// Follows symbolic links. Silently skips names that begin with a dot, because mounted ConfigMaps
// and editors create them. Lists other files and folders in `ignored`, so that a wrong extension is
// logged but does not stop the load.
//
// Loads all files or none, so that a bad file at a reload leaves the old glossaries in use. Returns
//  * the error of Glossary::Parse for the first bad file;
//  * INVALID_ARGUMENT for two files of one name (a.tsv, a.csv) or a name that is not UTF-8;
//  * NOT_FOUND if there is no such directory;
//  * PERMISSION_DENIED or UNAVAILABLE if a file cannot be read;
//  * RESOURCE_EXHAUSTED if the load's memory limit (LoadContext) is too small for a file or its
//    terms. The bytes of a file are checked before it is read, those of its terms before the terms
//    are made, and the terms count until the load ends;
//  * CANCELLED after the load has been cancelled.
// `load` may be nullptr.
absl::StatusOr<GlossaryDirectory> LoadGlossaries(const std::filesystem::path& directory,
                                                 LoadContext* load = nullptr);

class Glossaries {
 public:
  // If `directory` is "", there are no glossaries.
  explicit Glossaries(std::string directory) : directory_(std::move(directory)) {}

  // Reads the directory and checks that the model's tokens can write every term's target. On an
  // error, which names the file and line, keeps the previous glossaries. `load` is passed to
  // LoadGlossaries.
  absl::Status Load(const Tokenizer& tokenizer, LoadContext* load);

  // Returns null for an unknown name.
  std::shared_ptr<const Glossary> Find(std::string_view name) const;

  std::vector<std::string> Names() const;  // sorted

 private:
  const std::string directory_;
  mutable Mutex mu_;
  std::shared_ptr<const GlossaryDirectory> loaded_ ABSL_GUARDED_BY(mu_);  // null before a load
};

}  // namespace dragoman::engine
