// A SentencePiece model file (.spm) as plain data. This file has its own parser of the protobuf
// message, because Debian's libsentencepiece cannot be linked: it exports the symbols of its own
// protobuf 3.14 and aborts in a process that also loads the system's libprotobuf, as gRPC does. See
// README.md.
//
// Thread-safety: plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

struct SpmPiece {
  enum Type { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };
  std::string text;  // valid UTF-8, not empty, no NUL
  float score = 0;   // finite
  Type type = kNormal;
};

struct SpmNormalizerSpec {
  std::string charsmap;  // replacement rules (Charsmap in spm_normalizer.h); may be empty
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

struct SpmFile {
  enum ModelType { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
  ModelType model_type = kUnigram;
  std::vector<SpmPiece> pieces;  // exactly one of type kUnknown, at least one kNormal
  bool treat_whitespace_as_suffix = false;
  bool byte_fallback = false;  // if true, there are 256 pieces of type kByte
  std::string unk_surface = " \xE2\x81\x87 ";
  SpmNormalizerSpec normalizer;
  SpmNormalizerSpec denormalizer;  // used if its charsmap is not empty
};

// Parses a .spm file in linear time and memory. Never crashes, whatever `bytes` contains. Returns
// INVALID_ARGUMENT with `name`, what was found and what was expected if `bytes` is invalid.
absl::StatusOr<SpmFile> ParseSpmFile(std::string_view bytes, std::string_view name);

// ByteOfPiece returns the byte that a byte piece stands for: 0 to 255 for "<0x00>" to "<0xFF>", and
// -1 for any other piece. PieceOfByte returns the piece of a byte.
int ByteOfPiece(std::string_view piece);
std::string PieceOfByte(char byte);

}  // namespace dragoman::engine
