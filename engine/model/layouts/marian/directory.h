// Directories with Marian's files: one model (.npz or .bin), its vocabularies, and a decoder
// configuration that may name them (README.md has the names). Examples are OPUS-MT's originals,
// Firefox's and Bergamot's models. 8-bit weights are packed unchanged for int8, and become float32
// else.
//
// Stateless: any thread may load.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

class MarianDirectorySource : public ModelSource {
 public:
  std::string_view layout() const override { return "marian"; }
  // Reports whether there is a model and no config.json, which other layouts have.
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

// Reads the shortlist of a model of this layout: the file that the decoder's configuration names,
// or the only lex.*.bin. Errors are those of ModelSource::Load; NOT_FOUND names the missing files.
absl::StatusOr<LexicalShortlist> ReadMarianShortlist(const std::string& directory,
                                                     const LoadedModel& model,
                                                     LoadContext* load = nullptr);

}  // namespace dragoman::engine
