#include "engine/model/formats/zip_directory.h"

#include <cstddef>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

// Magic numbers and sizes of the records, from APPNOTE.TXT 4.3 (end records 4.3.14 to 4.3.16,
// entries 4.3.7 and 4.3.12).
constexpr uint32_t kEndMagic = 0x06054b50;
constexpr size_t kEndSize = 22;
constexpr uint32_t kEnd64LocatorMagic = 0x07064b50;
constexpr size_t kEnd64LocatorSize = 20;
constexpr uint32_t kEnd64Magic = 0x06064b50;
constexpr size_t kEnd64Size = 56;
constexpr uint32_t kEntryMagic = 0x02014b50;
constexpr size_t kEntrySize = 46;
constexpr uint32_t kLocalMagic = 0x04034b50;
constexpr size_t kLocalSize = 30;
constexpr size_t kMaxComment = 0xffff;
constexpr uint64_t kMaxEntries = 1 << 16;
constexpr size_t kMaxNameBytes = 1024;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kInZip64 = 0xffffffff;

absl::Status BrokenEntry(std::string_view file, std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(Concat(
      file, ": zip entry '", absl::CHexEscape(std::string(name.substr(0, 128))), "' ", what));
}

template <typename Number>
Number Load(std::span<const uint8_t> bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

bool HasMagic(std::span<const uint8_t> bytes, uint64_t at, size_t size, uint32_t magic) {
  return at <= bytes.size() && bytes.size() - at >= size && Load<uint32_t>(bytes, at) == magic;
}

struct DirectoryPlace {
  uint64_t offset = 0;
  uint64_t entries = 0;
};

std::optional<DirectoryPlace> FindDirectory(std::span<const uint8_t> bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t last = bytes.size() - kEndSize;
  const size_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (!HasMagic(bytes, at, kEndSize, kEndMagic)) continue;
    DirectoryPlace place{.offset = Load<uint32_t>(bytes, at + 16),
                         .entries = Load<uint16_t>(bytes, at + 10)};
    if (at >= kEnd64LocatorSize &&
        HasMagic(bytes, at - kEnd64LocatorSize, kEnd64LocatorSize, kEnd64LocatorMagic)) {
      const auto end64 = Load<uint64_t>(bytes, at - kEnd64LocatorSize + 8);
      if (!HasMagic(bytes, end64, kEnd64Size, kEnd64Magic)) return std::nullopt;
      place.entries = Load<uint64_t>(bytes, end64 + 32);
      place.offset = Load<uint64_t>(bytes, end64 + 48);
    }
    return place;
  }
  return std::nullopt;
}

struct Entry {
  uint64_t stored_size = 0;
  uint64_t size = 0;
  uint64_t local_offset = 0;
};

// Replaces the values of `entry` that do not fit in 32 bits by their values in the zip64 extra
// field. The field has them in a fixed order.
bool ReadZip64(std::span<const uint8_t> extra, Entry* entry) {
  if (entry->size != kInZip64 && entry->stored_size != kInZip64 &&
      entry->local_offset != kInZip64) {
    return true;
  }
  while (extra.size() >= 4) {
    const auto id = Load<uint16_t>(extra, 0);
    const auto size = Load<uint16_t>(extra, 2);
    if (extra.size() - 4 < size) return false;
    std::span<const uint8_t> field = extra.subspan(4, size);
    extra = extra.subspan(4 + size);
    if (id != kZip64Extra) continue;
    for (uint64_t* value : {&entry->size, &entry->stored_size, &entry->local_offset}) {
      if (*value != kInZip64) continue;
      if (field.size() < sizeof(uint64_t)) return false;
      *value = Load<uint64_t>(field, 0);
      field = field.subspan(sizeof(uint64_t));
    }
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ZipEntries> ReadZipEntries(std::span<const uint8_t> bytes, std::string_view file) {
  const auto broken = [&](std::string_view what) {
    return absl::InvalidArgumentError(Concat(file, ": ", what));
  };
  const std::optional<DirectoryPlace> place = FindDirectory(bytes);
  if (!place) return broken("the end of the zip archive is missing: the file is cut short");
  if (place->entries > kMaxEntries) {
    return broken(
        Concat("zip archive of ", place->entries, " entries, expected at most ", kMaxEntries));
  }

  ZipEntries entries;
  uint64_t at = place->offset;
  for (uint64_t i = 0; i < place->entries; ++i) {
    if (!HasMagic(bytes, at, kEntrySize, kEntryMagic)) {
      return broken("the zip archive's directory is damaged or cut short");
    }
    const std::span<const uint8_t> header = bytes.subspan(at);
    const size_t name_size = Load<uint16_t>(header, 28);
    const size_t extra_size = Load<uint16_t>(header, 30);
    const size_t whole_size = kEntrySize + name_size + extra_size + Load<uint16_t>(header, 32);
    if (header.size() < whole_size) return broken("the zip archive's directory is cut short");
    if (name_size > kMaxNameBytes) {
      return broken(Concat("the name of zip entry number ", i, " has ", name_size,
                           " bytes, expected at most ", kMaxNameBytes));
    }
    const std::string name(reinterpret_cast<const char*>(header.data()) + kEntrySize, name_size);
    const auto broken_entry = [&](std::string_view what) { return BrokenEntry(file, name, what); };
    const auto method = Load<uint16_t>(header, 10);
    Entry entry{.stored_size = Load<uint32_t>(header, 20),
                .size = Load<uint32_t>(header, 24),
                .local_offset = Load<uint32_t>(header, 42)};
    if (!ReadZip64(header.subspan(kEntrySize + name_size, extra_size), &entry) ||
        (method == kStored && entry.size != entry.stored_size)) {
      return broken_entry("has no valid size");
    }
    if (!HasMagic(bytes, entry.local_offset, kLocalSize, kLocalMagic)) {
      return broken_entry("is not where the directory says");
    }
    const std::span<const uint8_t> local = bytes.subspan(entry.local_offset);
    const size_t data_at =
        kLocalSize + Load<uint16_t>(local, 26) + size_t{Load<uint16_t>(local, 28)};
    if (local.size() < data_at || local.size() - data_at < entry.stored_size) {
      return broken_entry("ends after the end of the file");
    }
    const ZipEntry made{.stored = local.subspan(data_at, entry.stored_size),
                        .size = entry.size,
                        .crc = Load<uint32_t>(header, 16),
                        .method = method,
                        .is_encrypted = (Load<uint16_t>(header, 8) & 1U) != 0,
                        .record = header.first(whole_size),
                        .local_offset = entry.local_offset};
    if (!entries.emplace(name, made).second) return broken_entry("appears twice");
    at += whole_size;
  }
  return entries;
}

absl::StatusOr<ZipDirectory> ReadZipDirectory(std::span<const uint8_t> bytes,
                                              std::string_view file) {
  const absl::StatusOr<ZipEntries> entries = ReadZipEntries(bytes, file);
  if (!entries.ok()) return entries.status();
  ZipDirectory directory;
  for (const auto& [name, entry] : *entries) {
    if (entry.is_encrypted) return BrokenEntry(file, name, "is encrypted");
    if (entry.method != kStored) {
      return BrokenEntry(file, name, "is compressed, expected stored");
    }
    directory.emplace(name, entry.stored);
  }
  return directory;
}

}  // namespace dragoman::engine
