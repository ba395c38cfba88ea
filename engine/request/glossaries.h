// The named glossaries of an engine: loaded at start and on demand, replaced as a whole.
//
// Thread-safe. A glossary in use stays alive by its shared_ptr.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/mutex.h"
#include "engine/text/glossary_directory.h"
#include "engine/text/tokenizer.h"

namespace dragoman {

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

}  // namespace dragoman
