// Input: the pickle of a state dict. It is read from a zip archive and from the older stream
// format, each with storages "0", "1" and "2", so that the parser can load the tensors that the
// pickle describes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/formats/pickle.h"
#include "engine/model/formats/tensor_file.h"
#include "tests/engine/model/byte_files.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dragoman::engine::Raw;
  constexpr size_t kStorageBytes = 48;
  const std::string pickle(reinterpret_cast<const char*>(data), size);
  const std::string storage(kStorageBytes, 'x');

  const std::string zip = dragoman::engine::Zip({{"m/data.pkl", pickle},
                                                 {"m/data/0", storage},
                                                 {"m/data/1", storage},
                                                 {"m/data/2", storage}});
  const auto from_zip = dragoman::engine::ParseTorchFile(dragoman::engine::Bytes(zip), "fuzz");
  if (from_zip.ok()) dragoman::ReadAll(*from_zip, zip.size());

  // torch.save's magic number, protocol 1001, {"little_endian": True}; then the list ["0"] and its
  // storage of twelve floats.
  std::string stream("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  stream += std::string("\x80\x02M\xe9\x03.", 6);
  stream += std::string("\x80\x02}X\x0d\x00\x00\x00", 8) + "little_endian" + "\x88s.";
  stream += pickle;
  stream += std::string("\x80\x02]X\x01\x00\x00\x00", 8) + "0" + "a.";
  stream += dragoman::engine::Raw(int64_t{kStorageBytes / sizeof(float)}) + storage;
  const auto from_stream =
      dragoman::engine::ParseTorchFile(dragoman::engine::Bytes(stream), "fuzz");
  if (from_stream.ok()) dragoman::ReadAll(*from_stream, stream.size());

  constexpr std::array<std::string_view, 1> kGlobals = {"collections.OrderedDict"};
  const auto alone = dragoman::engine::ParsePickle({data, size}, "fuzz", kGlobals);
  if (alone.ok()) {
    dragoman::FuzzCheck(alone->bytes_used <= size && alone->nodes.size() <= size);
  }
  return 0;
}
