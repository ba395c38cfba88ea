// The named glossaries of an engine: the files of one directory, loaded at start and on demand, and
// replaced as a whole.
//
// Thread-safe. A glossary in use stays alive by its shared_ptr.
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

// Every NAME.tsv and NAME.csv (in capitals as well) directly in `directory`, as glossary NAME;
// symbolic links are followed. Names that begin with a dot are skipped in silence, as a mounted
// ConfigMap and editors have them. Whatever else is there (README.md, folders) is listed in
// `ignored`: a wrong extension is then in the log, and does not keep the other glossaries away.
//
// All or nothing, so that a bad file at a reload leaves the old glossaries in use: the first bad
// file's error of Glossary::Parse, INVALID_ARGUMENT for two files of one name (a.tsv, a.csv) or a
// name that is not UTF-8, NOT_FOUND for no such directory, PERMISSION_DENIED or UNAVAILABLE for
// what cannot be read. RESOURCE_EXHAUSTED where the load's memory is too small: for a file, before it
// is read, for its terms, before they are made; they count until the load ends. CANCELLED once it is
// given up. `load` may be nullptr.
absl::StatusOr<GlossaryDirectory> LoadGlossaries(const std::filesystem::path& directory,
                                                 LoadContext* load = nullptr);

class Glossaries {
 public:
  // With "" there is no directory, and there are no glossaries.
  explicit Glossaries(std::string directory) : directory_(std::move(directory)) {}

  // Reads the directory and checks that the model can write every target. An error of either names
  // the file and line, and leaves what there was. `load` as in LoadGlossaries.
  absl::Status Load(const Tokenizer& tokenizer, LoadContext* load);

  // Null for an unknown name.
  std::shared_ptr<const Glossary> Find(std::string_view name) const;

  std::vector<std::string> Names() const;  // sorted

 private:
  const std::string directory_;
  mutable Mutex mu_;
  std::shared_ptr<const GlossaryDirectory> loaded_ ABSL_GUARDED_BY(mu_);  // shared: read unlocked
};

}  // namespace dragoman::engine
