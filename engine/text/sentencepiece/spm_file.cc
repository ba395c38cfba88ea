#include "engine/text/sentencepiece/spm_file.h"

#include <array>
#include <cmath>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

constexpr size_t kMaxFileBytes = size_t{256} << 20;
constexpr size_t kMaxPieces = 4'000'000;
constexpr size_t kMaxPieceBytes = 8000;

// The numbers of the fields of sentencepiece_model.proto that the parser reads.
enum ModelField { kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3, kDenormalizerSpec = 5 };
enum PieceField { kText = 1, kScore = 2, kType = 3 };
enum TrainerField {
  kModelType = 3,
  kTreatWhitespaceAsSuffix = 24,
  kByteFallback = 35,
  kUnkSurface = 44
};
enum NormalizerField { kCharsmap = 2, kDummyPrefix = 3, kExtraWhitespaces = 4, kEscape = 5 };

// One field of a message. `bytes` is a view into the input.
struct Field {
  int number = 0;
  int wire_type = 0;
  uint64_t value = 0;      // for wire types 0, 1 and 5
  std::string_view bytes;  // for wire type 2
};

// Walks over the fields of one message.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Returns false at the end of the message. Also returns false if the bytes are not a message;
  // then broken() is true.
  bool Next(Field& field) {
    if (rest_.empty() || broken_) return false;
    uint64_t tag = 0;
    if (!Varint(tag) || tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) return Broken();
    field = {};
    field.number = static_cast<int>(tag >> 3);
    field.wire_type = static_cast<int>(tag & 7);
    switch (field.wire_type) {
      case 0:
        return Varint(field.value) || Broken();
      case 1:
        return Fixed(8, field.value) || Broken();
      case 2: {
        uint64_t size = 0;
        if (!Varint(size) || size > rest_.size()) return Broken();
        field.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
      case 5:
        return Fixed(4, field.value) || Broken();
      default:  // groups: not used by these messages
        return Broken();
    }
  }

  bool broken() const { return broken_; }

 private:
  bool Broken() {
    broken_ = true;
    return false;
  }

  bool Varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (rest_.empty()) return false;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool Fixed(size_t size, uint64_t& value) {
    if (rest_.size() < size) return false;
    value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  bool broken_ = false;
};

absl::Status Bad(std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), ": ", std::string(what)));
}

absl::Status NotAMessage(std::string_view name, std::string_view part) {
  return Bad(name, absl::StrCat("not a SentencePiece model: the ", std::string(part),
                                " is cut off or not a protobuf message"));
}

absl::Status ReadPiece(std::string_view message, size_t index, std::string_view name,
                       SpmPiece& piece) {
  const auto bad = [&](std::string_view what) {
    return Bad(name, absl::StrCat("piece ", index, " ", std::string(what)));
  };
  WireReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == kText && field.wire_type == 2) {
      piece.text = field.bytes;
    } else if (field.number == kScore && field.wire_type == 5) {
      const auto bits = static_cast<uint32_t>(field.value);
      std::memcpy(&piece.score, &bits, sizeof(bits));
    } else if (field.number == kType && field.wire_type == 0) {
      if (field.value < SpmPiece::kNormal || field.value > SpmPiece::kByte) {
        return bad(absl::StrCat("has type ", field.value, ", expected 1 to 6"));
      }
      piece.type = static_cast<SpmPiece::Type>(field.value);
    }
  }
  if (reader.broken()) return NotAMessage(name, absl::StrCat("piece ", index));
  if (piece.text.empty()) return bad("is empty");
  if (piece.text.size() > kMaxPieceBytes) {
    return bad(
        absl::StrCat("has ", piece.text.size(), " bytes, expected at most ", kMaxPieceBytes));
  }
  if (piece.text.find('\0') != std::string::npos) return bad("contains a NUL");
  if (FirstInvalidUtf8(piece.text)) return bad("is not UTF-8");
  if (!std::isfinite(piece.score)) return bad("has a score that is not a finite number");
  return absl::OkStatus();
}

absl::Status ReadTrainerSpec(std::string_view message, std::string_view name, SpmFile& file) {
  WireReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == kModelType && field.wire_type == 0) {
      if (field.value < SpmFile::kUnigram || field.value > SpmFile::kChar) {
        return Bad(name, absl::StrCat("trainer_spec.model_type is ", field.value,
                                      ", expected 1 (UNIGRAM), 2 (BPE), 3 (WORD) or 4 (CHAR)"));
      }
      file.model_type = static_cast<SpmFile::ModelType>(field.value);
    } else if (field.number == kTreatWhitespaceAsSuffix && field.wire_type == 0) {
      file.treat_whitespace_as_suffix = field.value != 0;
    } else if (field.number == kByteFallback && field.wire_type == 0) {
      file.byte_fallback = field.value != 0;
    } else if (field.number == kUnkSurface && field.wire_type == 2) {
      if (FirstInvalidUtf8(field.bytes)) {
        return Bad(name, "trainer_spec.unk_surface is not UTF-8");
      }
      file.unk_surface = field.bytes;
    }
  }
  return reader.broken() ? NotAMessage(name, "trainer_spec") : absl::OkStatus();
}

absl::Status ReadNormalizerSpec(std::string_view message, std::string_view name,
                                std::string_view part, SpmNormalizerSpec& spec) {
  WireReader reader(message);
  Field field;
  while (reader.Next(field)) {
    if (field.number == kCharsmap && field.wire_type == 2) {
      spec.charsmap = field.bytes;
    } else if (field.wire_type == 0) {
      if (field.number == kDummyPrefix) spec.add_dummy_prefix = field.value != 0;
      if (field.number == kExtraWhitespaces) spec.remove_extra_whitespaces = field.value != 0;
      if (field.number == kEscape) spec.escape_whitespaces = field.value != 0;
    }
  }
  return reader.broken() ? NotAMessage(name, part) : absl::OkStatus();
}

// Checks the rules about all pieces together: types, duplicates and byte pieces.
absl::Status CheckPieces(const SpmFile& file, std::string_view name) {
  size_t unknown = 0;
  size_t normal = 0;
  std::array<bool, 256> byte_found = {};
  std::unordered_set<std::string_view> text_pieces;
  std::unordered_set<std::string_view> reserved;
  text_pieces.reserve(file.pieces.size());
  for (size_t i = 0; i < file.pieces.size(); ++i) {
    const SpmPiece& piece = file.pieces[i];
    unknown += piece.type == SpmPiece::kUnknown;
    normal += piece.type == SpmPiece::kNormal;
    const bool is_text = piece.type == SpmPiece::kNormal || piece.type == SpmPiece::kUserDefined ||
                         piece.type == SpmPiece::kUnused;
    if (!(is_text ? text_pieces : reserved).insert(piece.text).second) {
      return Bad(name, absl::StrCat("piece ", i, " '", piece.text, "' appears twice"));
    }
    if (piece.type != SpmPiece::kByte) continue;
    const int byte = ByteOfPiece(piece.text);
    if (byte < 0) {
      return Bad(name, absl::StrCat("byte piece ", i, " is '", piece.text,
                                    "', expected a name like <0x0A>"));
    }
    if (!file.byte_fallback) {
      return Bad(name, absl::StrCat("byte piece ", i, ", expected none: byte_fallback is off"));
    }
    byte_found[static_cast<size_t>(byte)] = true;
  }
  if (unknown != 1) {
    return Bad(name, absl::StrCat(unknown, " pieces of type unknown, expected 1 (<unk>)"));
  }
  if (normal == 0) return Bad(name, "0 pieces of type normal, expected at least 1");
  if (file.byte_fallback) {
    for (const bool found : byte_found) {
      if (!found)
        return Bad(name, "byte_fallback is on, but some of the 256 byte pieces are missing");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SpmFile> ParseSpmFile(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) return Bad(name, "empty, expected a SentencePiece model");
  if (bytes.size() > kMaxFileBytes) {
    return Bad(name,
               absl::StrCat(bytes.size(), " bytes, expected at most ", kMaxFileBytes, " bytes"));
  }
  SpmFile file;
  WireReader reader(bytes);
  Field field;
  while (reader.Next(field)) {
    if (field.wire_type != 2) continue;
    absl::Status status;
    if (field.number == kPieces) {
      if (file.pieces.size() == kMaxPieces) {
        return Bad(name, absl::StrCat("more than ", kMaxPieces, " pieces"));
      }
      SpmPiece piece;
      status = ReadPiece(field.bytes, file.pieces.size(), name, piece);
      file.pieces.push_back(std::move(piece));
    } else if (field.number == kTrainerSpec) {
      status = ReadTrainerSpec(field.bytes, name, file);
    } else if (field.number == kNormalizerSpec) {
      status = ReadNormalizerSpec(field.bytes, name, "normalizer_spec", file.normalizer);
    } else if (field.number == kDenormalizerSpec) {
      status = ReadNormalizerSpec(field.bytes, name, "denormalizer_spec", file.denormalizer);
    }
    if (!status.ok()) return status;
  }
  if (reader.broken()) return NotAMessage(name, "file");
  if (const absl::Status status = CheckPieces(file, name); !status.ok()) return status;
  return file;
}

int ByteOfPiece(std::string_view piece) {
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return -1;
  int value = 0;
  for (const char c : piece.substr(3, 2)) {
    value *= 16;
    if (c >= '0' && c <= '9') {
      value += c - '0';
    } else if (c >= 'A' && c <= 'F') {
      value += c - 'A' + 10;
    } else {
      return -1;
    }
  }
  return value;
}

std::string PieceOfByte(char byte) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  return std::string("<0x") + kHex[value >> 4] + kHex[value & 15] + ">";
}

}  // namespace dragoman::engine
