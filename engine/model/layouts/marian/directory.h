// Directories with Marian's own files: one model, .npz or .bin, its vocabularies, and a
// configuration of the decoder that may name them (README.md has the names). OPUS-MT's originals have
// this layout, and so do Firefox's and Bergamot's models. 8-bit weights are packed as they are in
// compute type int8, and become float32 in others.
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
  // There is a model and no config.json, which other layouts have.
  bool Recognises(const DiskFolder& folder) const override;
  absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                   const LoadOptions& options) const override;
};

// Reads the shortlist beside a model of this layout: the file that the decoder's configuration names, or
// the only lex.*.bin. Errors as ModelSource::Load; NOT_FOUND says what was looked for.
absl::StatusOr<LexicalShortlist> ReadMarianShortlist(const std::string& directory,
                                                     const LoadedModel& model,
                                                     LoadContext* load = nullptr);

}  // namespace dragoman::engine
