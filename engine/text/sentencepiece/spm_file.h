// A SentencePiece model file (.spm) as plain data: a protobuf message, read by hand.
//
// Why by hand: Debian's libsentencepiece carries a protobuf 3.14 of its own with exported symbols,
// which aborts in a process that also loads the system's libprotobuf (gRPC does). See README.md.
//
// Thread-safety: plain data.
#pragma once

#include <cstdint>
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
  std::string charsmap;  // a double array and its strings; may be empty
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
};

struct SpmFile {
  enum ModelType { kUnigram = 1, kBpe = 2, kWord = 3, kChar = 4 };
  ModelType model_type = kUnigram;
  std::vector<SpmPiece> pieces;  // exactly one of type kUnknown, at least one kNormal
  bool treat_whitespace_as_suffix = false;
  bool byte_fallback = false;  // then there are 256 pieces of type kByte
  std::string unk_surface = " \xE2\x81\x87 ";
  SpmNormalizerSpec normalizer;
  SpmNormalizerSpec denormalizer;  // in use when its charsmap is not empty
};

// INVALID_ARGUMENT that names `name`, what was found and what was expected; never crashes, whatever
// the bytes. Time and memory are linear in the size of `bytes`.
absl::StatusOr<SpmFile> ParseSpmFile(std::string_view bytes, std::string_view name);

// 0..255 for "<0x00>".."<0xFF>", else -1.
int ByteOfPiece(std::string_view piece);

}  // namespace dragoman::engine
