// The strings of a JSON document.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/escapes.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

constexpr size_t kMaxDepth = 256;

// Reads bytes and counts them. When the parser reports a string, it has read its last quote.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  size_t* count_;
};

class JsonStrings final : public SplicedDocument, private nlohmann::json_sax<nlohmann::json> {
 public:
  JsonStrings(std::string content, const DocumentOptions& options)
      : SplicedDocument(std::move(content)),
        options_(options),
        is_wanted_(options.fields.empty()) {}

  absl::Status Read() {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    last_ = read_ = ByteOrderMarkSize(bytes());
    const char* const data = bytes().data();
    nlohmann::json::sax_parse(CountingIterator(data + read_, &read_),
                              CountingIterator(data + bytes().size(), &read_),
                              static_cast<json_sax*>(this));
    return status_;
  }

 private:
  using Json = nlohmann::json;

  bool Other() {
    last_ = read_;
    return true;
  }
  bool null() override { return Other(); }
  bool boolean(bool) override { return Other(); }
  bool number_integer(Json::number_integer_t) override { return Other(); }
  bool number_unsigned(Json::number_unsigned_t) override { return Other(); }
  bool number_float(Json::number_float_t, const Json::string_t&) override { return Other(); }
  bool binary(Json::binary_t&) override { return false; }
  bool string(Json::string_t& value) override {
    // Only white space, ':' and ',' stand between the last event and the string.
    const auto begin = static_cast<int64_t>(bytes().find('"', last_));
    last_ = read_;
    if (!is_wanted_ || StripWhiteSpace(value).empty()) return true;
    status_ = Add({begin, static_cast<int64_t>(read_)}, {std::move(value)}, options_);
    return status_.ok();
  }
  bool Open() {
    wanted_.push_back(is_wanted_);
    if (wanted_.size() <= kMaxDepth) return Other();
    status_ = absl::InvalidArgumentError(Concat(LineOf(bytes(), static_cast<int64_t>(read_)),
                                                ": nested more than ", kMaxDepth, " deep"));
    return false;
  }
  bool Close() {
    is_wanted_ = wanted_.back();
    wanted_.pop_back();
    return Other();
  }
  bool start_object(std::size_t) override { return Open(); }
  bool start_array(std::size_t) override { return Open(); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(Json::string_t& name) override {
    // A member inside a named one is wanted too.
    is_wanted_ = options_.fields.empty() || wanted_.back() ||
                 std::ranges::find(options_.fields, name) != options_.fields.end();
    return Other();
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    const auto at = static_cast<int64_t>(std::min(position, bytes().size()));
    status_ = absl::InvalidArgumentError(Concat(LineOf(bytes(), at), ": not JSON at byte ", at));
    return false;
  }

  std::string Encode(size_t, string_view translation) const override {
    return EncodeJson(translation);
  }

  const DocumentOptions options_;
  absl::Status status_;
  size_t read_ = 0;
  size_t last_ = 0;           // read_ at the last event
  bool is_wanted_;            // whether the next value is
  std::vector<bool> wanted_;  // whether the open objects and arrays are
};

}  // namespace

ReadDocument ReadJsonStrings(std::string bytes, const DocumentOptions& options) {
  auto document = std::make_unique<JsonStrings>(std::move(bytes), options);
  if (absl::Status read = document->Read(); !read.ok()) return read;
  return document;
}

}  // namespace dragoman::engine
