#include "engine/documents/archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// Positions in the records of an archive (APPNOTE.TXT 4.3). The fields from the flags to the length
// of the extra fields are the same in a local header and in an entry of the directory.
constexpr size_t kLocalSize = 30;
constexpr size_t kRecordSize = 46;
constexpr size_t kLocalFlags = 6;
constexpr size_t kRecordFlags = 8;
constexpr size_t kCrc = 8;  // from the flags
constexpr size_t kStoredSize = 12;
constexpr size_t kFullSize = 16;
constexpr size_t kNameLength = 20;
constexpr size_t kExtraLength = 22;
constexpr size_t kRecordOffset = 42;
constexpr string_view kEndMagic = "PK\5\6";
constexpr size_t kEndSize = 22;
constexpr size_t kEndDirectorySize = 12;
constexpr size_t kEndDirectoryOffset = 16;
constexpr uint16_t kSizesFollow = 8;  // a flag: the sizes follow the data
constexpr uint16_t kZip64 = 1;
// Deflate compresses at most by this factor, so max_bytes alone is the limit.
constexpr uint64_t kAnyExpansion = 2'000;

template <class Number>
Number Load(string_view bytes, size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

template <class Number>
void Store(Number number, size_t at, std::string* bytes) {
  std::memcpy(bytes->data() + at, &number, sizeof(number));
}

std::string Deflated(string_view content) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string stored(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_out = static_cast<uInt>(stored.size());
  deflate(&stream, Z_FINISH);
  stored.resize(stream.total_out);
  deflateEnd(&stream);
  return stored;
}

// Returns the extra fields without that of Zip64, which this archive does not need.
std::string WithoutZip64(string_view extra) {
  std::string kept;
  while (extra.size() >= 4) {
    const size_t size = std::min(extra.size(), size_t{4} + Load<uint16_t>(extra, 2));
    if (Load<uint16_t>(extra, 0) != kZip64) kept += extra.substr(0, size);
    extra.remove_prefix(size);
  }
  return kept;
}

// A new content of a member.
struct Replacement {
  std::string stored;
  uint32_t crc = 0;
  uint32_t size = 0;
};

// Writes sizes and checksum into a header whose flags are at `flags`.
void SetSizes(const Replacement& replacement, size_t flags, std::string* header) {
  const auto old = Load<uint16_t>(*header, flags);
  Store(static_cast<uint16_t>(old & ~kSizesFollow), flags, header);
  Store(replacement.crc, flags + kCrc, header);
  Store(static_cast<uint32_t>(replacement.stored.size()), flags + kStoredSize, header);
  Store(replacement.size, flags + kFullSize, header);
}

}  // namespace

absl::StatusOr<Archive> Archive::Open(std::string bytes) {
  Archive archive;
  archive.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  const std::string& all = *archive.bytes_;
  if (!all.starts_with("PK")) return absl::InvalidArgumentError("not a zip archive");
  absl::StatusOr<ZipEntries> entries = ReadZipEntries(
      std::span(reinterpret_cast<const uint8_t*>(all.data()), all.size()), "the archive");
  if (!entries.ok()) return entries.status();
  archive.entries_ = *std::move(entries);
  if (archive.entries_.size() > UINT16_MAX) {
    return absl::InvalidArgumentError(Concat("the archive has ", archive.entries_.size(),
                                             " members, expected at most ", UINT16_MAX));
  }
  std::vector<const ZipEntries::value_type*> in_order;
  for (const auto& entry : archive.entries_) in_order.push_back(&entry);
  std::ranges::sort(in_order, {}, [](const auto* entry) { return entry->second.record.data(); });
  for (const auto* entry : in_order) archive.names_.push_back(entry->first);
  if (absl::Status order = archive.CheckOrder(); !order.ok()) return order;
  return archive;
}

absl::Status Archive::CheckOrder() {
  const string_view all = *bytes_;
  const auto position = [&](const uint8_t* at) {
    return static_cast<size_t>(reinterpret_cast<const char*>(at) - all.data());
  };
  // ReadZipEntries has found an end at this place or before.
  end_ = all.rfind(kEndMagic, all.size() - kEndSize);
  size_t after = end_;  // the beginning of what follows in the file
  for (auto name = names_.rbegin(); name != names_.rend(); ++name) {
    const std::span<const uint8_t> record = entries_.find(*name)->second.record;
    if (position(record.data()) + record.size() > after) {
      return absl::InvalidArgumentError("the archive's directory is not before its end");
    }
    after = position(record.data());
  }
  std::vector<const ZipEntry*> by_offset;
  for (const auto& [name, entry] : entries_) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, std::greater<>(),
                    [](const auto* entry) { return entry->local_offset; });
  for (const ZipEntry* const entry : by_offset) {
    if (position(entry->stored.data()) + entry->stored.size() > after) {
      return absl::InvalidArgumentError("two members of the archive overlap");
    }
    after = entry->local_offset;
  }
  return absl::OkStatus();
}

bool Archive::Has(string_view name) const { return entries_.contains(name); }

int64_t Archive::SizeOf(string_view name) const {
  return static_cast<int64_t>(std::min<uint64_t>(entries_.find(name)->second.size, INT64_MAX));
}

absl::StatusOr<std::string> Archive::Read(string_view name, int64_t max_bytes) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    return absl::InvalidArgumentError(Concat("the archive has no member ", name));
  }
  std::string content;
  absl::Status read = ReadZipEntry(
      name, found->second, static_cast<uint64_t>(max_bytes),
      [&](std::span<const uint8_t> bytes) {
        content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return absl::OkStatus();
      },
      kAnyExpansion);
  if (!read.ok()) return read;
  return content;
}

std::string Archive::With(const std::map<std::string, std::string>& contents) const {
  const string_view all = *bytes_;
  if (contents.empty() || entries_.empty()) return *bytes_;
  std::map<string_view, Replacement> replacements;
  for (const auto& [name, content] : contents) {
    Replacement& made = replacements[name];
    const bool is_stored = entries_.find(name)->second.method == kStored;
    made.stored = is_stored ? content : Deflated(content);
    made.size = static_cast<uint32_t>(content.size());
    made.crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  }
  const auto record_of = [&](const std::string& name) {
    const std::span<const uint8_t> record = entries_.find(name)->second.record;
    return string_view(reinterpret_cast<const char*>(record.data()), record.size());
  };
  const auto directory = static_cast<size_t>(record_of(names_.front()).data() - all.data());
  std::vector<const ZipEntries::value_type*> by_offset;
  for (const auto& entry : entries_) by_offset.push_back(&entry);
  std::ranges::sort(by_offset, {}, [](const auto* entry) { return entry->second.local_offset; });

  std::string out(all.substr(0, by_offset.front()->second.local_offset));
  std::map<string_view, uint32_t> offsets;
  for (size_t i = 0; i < by_offset.size(); ++i) {
    const auto& [name, entry] = *by_offset[i];
    offsets[name] = static_cast<uint32_t>(out.size());
    const size_t end = i + 1 < by_offset.size() ? by_offset[i + 1]->second.local_offset : directory;
    const string_view local = all.substr(entry.local_offset, end - entry.local_offset);
    const auto found = replacements.find(name);
    if (found == replacements.end()) {
      out += local;
      continue;
    }
    std::string header(local.substr(0, kLocalSize));
    const std::string extra =
        WithoutZip64(local.substr(kLocalSize + Load<uint16_t>(local, kLocalFlags + kNameLength),
                                  Load<uint16_t>(local, kLocalFlags + kExtraLength)));
    SetSizes(found->second, kLocalFlags, &header);
    Store(static_cast<uint16_t>(extra.size()), kLocalFlags + kExtraLength, &header);
    out += header;
    out += name;
    out += extra;
    out += found->second.stored;
  }
  const size_t new_directory = out.size();
  for (const std::string& name : names_) {
    const string_view old = record_of(name);
    std::string record(old);
    const auto extra_length = Load<uint16_t>(old, kRecordFlags + kExtraLength);
    const std::string extra = WithoutZip64(old.substr(kRecordSize + name.size(), extra_length));
    record.replace(kRecordSize + name.size(), extra_length, extra);
    Store(static_cast<uint16_t>(extra.size()), kRecordFlags + kExtraLength, &record);
    const ZipEntry& entry = entries_.find(name)->second;
    if (const auto found = replacements.find(name); found != replacements.end()) {
      SetSizes(found->second, kRecordFlags, &record);
    } else {
      Store(static_cast<uint32_t>(entry.stored.size()), kRecordFlags + kStoredSize, &record);
      Store(static_cast<uint32_t>(entry.size), kRecordFlags + kFullSize, &record);
    }
    Store(offsets[name], kRecordOffset, &record);
    out += record;
  }
  // The records of Zip64 before the end are not needed any more.
  std::string end(all.substr(end_));
  const auto members = static_cast<uint16_t>(names_.size());
  Store(members, 8, &end);
  Store(members, 10, &end);
  Store(static_cast<uint32_t>(out.size() - new_directory), kEndDirectorySize, &end);
  Store(static_cast<uint32_t>(new_directory), kEndDirectoryOffset, &end);
  out += end;
  return out;
}

}  // namespace dragoman::engine
