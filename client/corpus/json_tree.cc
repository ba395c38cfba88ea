#include "client/corpus/json_tree.h"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// Reads the text and counts what the parser has read. When the parser reports a value, it has read
// the value and, after a number, one byte more.
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

// Builds the tree from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const size_t* read) : text_(text), read_(*read) {
    open_.push_back(&root_);
  }

  bool null() override { return Add(JsonNode::Kind::kOther); }
  bool boolean(bool) override { return Add(JsonNode::Kind::kOther); }
  bool number_integer(number_integer_t) override { return Add(JsonNode::Kind::kOther); }
  bool number_unsigned(number_unsigned_t) override { return Add(JsonNode::Kind::kOther); }
  bool number_float(number_float_t, const string_t&) override {
    return Add(JsonNode::Kind::kOther);
  }
  bool binary(binary_t&) override { return false; }
  bool string(string_t& value) override {
    // Only white space, ':' and ',' stand between the last event and the string.
    const size_t begin = text_.find('"', last_);
    Add(JsonNode::Kind::kString);
    JsonNode& node = open_.back()->members.back().second;
    node.begin = begin;
    node.text = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override { return Open(JsonNode::Kind::kObject); }
  bool start_array(std::size_t) override { return Open(JsonNode::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    key_ = std::move(name);
    last_ = read_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    error_ = absl::StrCat("not JSON at byte ", position);
    return false;
  }

  absl::StatusOr<JsonNode> Take(bool is_parsed) {
    if (!is_parsed) return absl::InvalidArgumentError(error_);
    return std::move(root_.members.front().second);
  }

 private:
  bool Add(JsonNode::Kind kind) {
    JsonNode& node = open_.back()->members.emplace_back(std::move(key_), JsonNode()).second;
    key_.clear();
    node.kind = kind;
    node.end = last_ = read_;
    return true;
  }
  bool Open(JsonNode::Kind kind) {
    Add(kind);
    // The parent gets no other member before this one is closed, so the pointer stays valid.
    open_.push_back(&open_.back()->members.back().second);
    if (open_.size() <= kMaxJsonDepth) return true;
    error_ = absl::StrCat("JSON nested more than ", kMaxJsonDepth, " deep");
    return false;
  }
  bool Close() {
    open_.back()->end = last_ = read_;
    open_.pop_back();
    return true;
  }

  const std::string_view text_;
  const size_t& read_;
  size_t last_ = 0;  // read_ at the last event
  std::string key_;
  std::string error_;
  JsonNode root_;  // has the value as its only member
  std::vector<JsonNode*> open_;
};

}  // namespace

const JsonNode* JsonNode::Find(std::string_view name) const {
  for (const auto& [key, node] : members) {
    if (key == name) return &node;
  }
  return nullptr;
}

absl::StatusOr<JsonNode> ParseJsonTree(std::string_view text) {
  size_t read = 0;
  Builder builder(text, &read);
  const bool is_parsed =
      nlohmann::json::sax_parse(CountingIterator(text.data(), &read),
                                CountingIterator(text.data() + text.size(), &read), &builder);
  return builder.Take(is_parsed);
}

}  // namespace dragoman::client
