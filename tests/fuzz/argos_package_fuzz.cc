// Input: a zip archive, read as a package of Argos Translate.

#include "engine/model/layouts/argos/package.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/model/formats/zip_directory.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxBytes = uint64_t{4} << 20;
  const auto entries = dragoman::engine::ReadZipEntries({data, size}, "fuzz");
  if (!entries.ok()) return 0;
  for (const auto& [name, entry] : *entries) {
    dragoman::FuzzCheck(entry.stored.data() >= data &&
                        entry.stored.data() + entry.stored.size() <= data + size);
    std::string text;
    const absl::Status status = dragoman::engine::ReadZipEntry(
        "fuzz", entry, kMaxBytes, [&text](std::span<const uint8_t> bytes) {
          text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          dragoman::FuzzCheck(text.size() <= kMaxBytes);
          return absl::OkStatus();
        });
    dragoman::FuzzCheck(text.size() <= entry.size);
    if (!status.ok()) continue;
    dragoman::FuzzCheck(text.size() == entry.size);
    const auto metadata = dragoman::engine::ParseArgosMetadata(text, "metadata.json");
    dragoman::FuzzCheck(!metadata.ok() || (!metadata->source.empty() && !metadata->target.empty()));
  }
  return 0;
}
