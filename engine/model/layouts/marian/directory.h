// Loads directories with Marian's files: one model (.npz or .bin), its vocabularies, and a decoder
// configuration that may name the other files. engine/model/README.md lists the file names.
// Examples are OPUS-MT's originals, Firefox's and Bergamot's models. With compute type int8, 8-bit
// weights are packed unchanged. In all other cases weights are read as float32.
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

// Recognises a folder with a model file but no config.json, which only other layouts have.
extern const ModelLayout kMarianLayout;

// Reads the shortlist of a model in this layout from the file that the decoder's configuration
// names, or from the only file lex.*.bin. Errors are those of ModelLayout::load. The message of
// NOT_FOUND names the missing files.
absl::StatusOr<LexicalShortlist> ReadMarianShortlist(const std::string& directory,
                                                     const LoadedModel& model,
                                                     LoadContext* load = nullptr);

}  // namespace dragoman::engine
