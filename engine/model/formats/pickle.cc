#include "engine/model/formats/pickle.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

// The limits of a pickle. For comparison: a checkpoint of 100 layers has about 30,000 nodes.
constexpr size_t kMaxNodes = 1 << 19;
constexpr size_t kMaxStack = 1 << 19;
constexpr size_t kMaxMemo = 1 << 19;
constexpr size_t kMaxMarks = 256;  // nesting depth of tuples, lists and dicts
constexpr size_t kMaxStringBytes = 1 << 16;

// Opcodes, as Python's pickletools names them.
enum Op : uint8_t {
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kBinFloat = 'G',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
};

using Kind = PickleNode::Kind;

// In the order of Kind.
constexpr std::string_view kKindNames[] = {"None",    "a bool",   "an int",    "an int",
                                           "a float", "a string", "a class",   "a tuple",
                                           "a list",  "a dict",   "an object", "a storage"};

// Parses in one pass over the opcodes. A handler of an opcode returns false after it has called
// Fail.
class PickleParser {
 public:
  PickleParser(std::span<const uint8_t> bytes, std::string_view file,
               std::span<const std::string_view> globals)
      : bytes_(bytes), file_(file), globals_(globals) {}

  absl::StatusOr<Pickle> Run() {
    uint8_t op = 0;
    do {
      op_at_ = at_;
      if (!Fixed(&op) || !Step(op)) return status_;
    } while (op != kStop);
    pickle_.bytes_used = at_;
    return std::move(pickle_);
  }

 private:
  bool Fail(std::string_view what) {
    status_ = absl::InvalidArgumentError(Concat(file_, ": pickle at byte ", op_at_, ": ", what));
    return false;
  }

  // --- the stream ---

  template <typename Number>
  bool Fixed(Number* number) {
    if (bytes_.size() - at_ < sizeof(Number)) return Fail("the stream is cut short");
    std::memcpy(number, bytes_.data() + at_, sizeof(Number));
    at_ += sizeof(Number);
    return true;
  }

  bool Text(size_t size, std::string_view* text) {
    if (size > kMaxStringBytes) {
      return Fail(Concat("string of ", size, " bytes, expected at most ", kMaxStringBytes));
    }
    if (bytes_.size() - at_ < size) return Fail("the stream is cut short");
    *text = std::string_view(reinterpret_cast<const char*>(bytes_.data() + at_), size);
    at_ += size;
    return true;
  }

  template <typename Size>
  bool SizedText(std::string_view* text) {
    Size size = 0;
    return Fixed(&size) && Text(size, text);
  }

  bool Line(std::string_view* line) {
    const uint8_t* begin = bytes_.data() + at_;
    const size_t limit = std::min(bytes_.size() - at_, kMaxStringBytes);
    const void* end = limit == 0 ? nullptr : std::memchr(begin, '\n', limit);
    if (end == nullptr) return Fail("a name that does not end");
    const auto size = static_cast<size_t>(static_cast<const uint8_t*>(end) - begin);
    *line = std::string_view(reinterpret_cast<const char*>(begin), size);
    at_ += size + 1;
    return true;
  }

  // --- the stack ---

  bool PushId(PickleId id) {
    if (stack_.size() >= kMaxStack) return Fail("the stack is too deep");
    stack_.push_back(id);
    return true;
  }

  bool Push(PickleNode node) {
    if (pickle_.nodes.size() >= kMaxNodes) {
      return Fail(Concat("more than ", kMaxNodes, " values"));
    }
    pickle_.nodes.push_back(std::move(node));
    return PushId(static_cast<PickleId>(pickle_.nodes.size() - 1));
  }

  bool PushNumber(Kind kind, int64_t number) { return Push({.kind = kind, .number = number}); }
  bool PushText(Kind kind, std::string_view text) { return Push({.kind = kind, .text = text}); }

  // Returns the number of values above the innermost mark, which an opcode may pop.
  size_t Available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  bool Need(size_t count) {
    return Available() >= count || Fail("an operation finds too few values on the stack");
  }

  PickleId Pop() {
    const PickleId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  bool PopToMark(std::vector<PickleId>* items) {
    if (marks_.empty()) return Fail("an operation finds no mark on the stack");
    items->assign(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return true;
  }

  bool PushTuple(size_t count) {
    if (!Need(count)) return false;
    PickleNode tuple{.kind = Kind::kTuple};
    tuple.items.assign(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return Push(std::move(tuple));
  }

  bool Put(uint64_t key) {
    if (!Need(1)) return false;
    if (memo_.size() >= kMaxMemo) return Fail(Concat("more than ", kMaxMemo, " memo entries"));
    memo_[key] = stack_.back();
    return true;
  }

  bool Get(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return Fail(Concat("memo entry ", key, " does not exist"));
    return PushId(found->second);
  }

  // --- what the opcodes mean ---

  bool AddItems(std::span<const PickleId> items) {
    if (!Need(1)) return false;
    PickleNode& target = pickle_.nodes[stack_.back()];
    const bool pairs = target.kind == Kind::kDict || target.kind == Kind::kCall;
    if (!pairs || items.size() % 2 != 0) return Fail("items are set on a value that is not a dict");
    target.items.insert(target.items.end(), items.begin(), items.end());
    return true;
  }

  bool Append(std::span<const PickleId> items) {
    if (!Need(1)) return false;
    PickleNode& target = pickle_.nodes[stack_.back()];
    if (target.kind != Kind::kList) return Fail("a value is appended to one that is not a list");
    target.items.insert(target.items.end(), items.begin(), items.end());
    return true;
  }

  bool Global(std::string_view module, std::string_view name) {
    for (const std::string_view allowed : globals_) {
      if (allowed.size() == module.size() + 1 + name.size() && allowed.starts_with(module) &&
          allowed[module.size()] == '.' && allowed.ends_with(name)) {
        return PushText(Kind::kGlobal, allowed);
      }
    }
    const auto shown = [](std::string_view text) {
      return absl::CHexEscape(std::string(text.substr(0, 64)));
    };
    return Fail(Concat("global '", shown(module), ".", shown(name),
                       "' is not one that a checkpoint needs: refused"));
  }

  bool StackGlobal() {
    if (!Need(2)) return false;
    const PickleNode& name = pickle_.nodes[Pop()];
    const PickleNode& module = pickle_.nodes[Pop()];
    if (name.kind != Kind::kString || module.kind != Kind::kString) {
      return Fail("the name of a global is not a string");
    }
    return Global(module.text, name.text);
  }

  bool Reduce() {
    if (!Need(2)) return false;
    const PickleId arguments = Pop();
    const PickleId callable = Pop();
    if (pickle_.nodes[callable].kind != Kind::kGlobal ||
        pickle_.nodes[arguments].kind != Kind::kTuple) {
      return Fail("a call of an unknown function");
    }
    return Push({.kind = Kind::kCall, .items = {callable, arguments}});
  }

  // Ignores the state that BUILD sets on an object. In a state dict, it is the `_metadata` that
  // torch.save adds, which is not needed here.
  bool Build() {
    if (!Need(2)) return false;
    Pop();
    if (pickle_.nodes[stack_.back()].kind != Kind::kCall)
      return Fail("state is set on a value that is not an object");
    return true;
  }

  bool Long1() {
    uint8_t size = 0;
    std::string_view digits;
    if (!Fixed(&size) || !Text(size, &digits)) return false;
    if (digits.size() > sizeof(int64_t)) return PushText(Kind::kBigInt, digits);
    // The digits are two's complement, little-endian and of minimal length.
    const bool negative = !digits.empty() && (static_cast<uint8_t>(digits.back()) & 0x80U) != 0;
    uint64_t number = negative ? ~uint64_t{0} : 0;
    std::memcpy(&number, digits.data(), digits.size());
    return PushNumber(Kind::kInt, static_cast<int64_t>(number));
  }

  bool Stop() {
    if (stack_.size() != 1 || !marks_.empty()) return Fail("ends with values left on the stack");
    pickle_.root_id = stack_.back();
    return true;
  }

  template <typename Number>
  bool Integer() {
    Number number = 0;
    return Fixed(&number) && PushNumber(Kind::kInt, number);
  }

  bool Step(uint8_t op) {
    std::string_view text;
    std::vector<PickleId> items;
    switch (op) {
      case kProto: {
        uint8_t version = 0;
        if (!Fixed(&version)) return false;
        return (version >= 2 && version <= 5) ||
               Fail(Concat("protocol ", version, ", expected 2 to 5"));
      }
      case kFrame: {
        uint64_t size = 0;
        return Fixed(&size);
      }
      case kMark:
        if (marks_.size() >= kMaxMarks) {
          return Fail(Concat("nested deeper than ", kMaxMarks, " levels"));
        }
        marks_.push_back(stack_.size());
        return true;
      case kStop:
        return Stop();
      case kNone:
        return Push({});
      case kNewTrue:
        return PushNumber(Kind::kBool, 1);
      case kNewFalse:
        return PushNumber(Kind::kBool, 0);
      case kBinInt:
        return Integer<int32_t>();
      case kBinInt1:
        return Integer<uint8_t>();
      case kBinInt2:
        return Integer<uint16_t>();
      case kLong1:
        return Long1();
      case kBinFloat: {
        uint64_t ignored = 0;
        return Fixed(&ignored) && PushNumber(Kind::kFloat, 0);
      }
      case kBinUnicode:
      case kBinString:
        return SizedText<uint32_t>(&text) && PushText(Kind::kString, text);
      case kShortBinUnicode:
      case kShortBinString:
        return SizedText<uint8_t>(&text) && PushText(Kind::kString, text);
      case kGlobal: {
        std::string_view module;
        return Line(&module) && Line(&text) && Global(module, text);
      }
      case kStackGlobal:
        return StackGlobal();
      case kEmptyTuple:
        return PushTuple(0);
      case kTuple1:
        return PushTuple(1);
      case kTuple2:
        return PushTuple(2);
      case kTuple3:
        return PushTuple(3);
      case kTuple:
        return PopToMark(&items) && Push({.kind = Kind::kTuple, .items = std::move(items)});
      case kEmptyList:
        return Push({.kind = Kind::kList});
      case kEmptyDict:
        return Push({.kind = Kind::kDict});
      case kAppend:
        if (!Need(2)) return false;
        items.push_back(Pop());
        return Append(items);
      case kAppends:
        return PopToMark(&items) && Append(items);
      case kSetItem:
        if (!Need(3)) return false;
        items = {stack_[stack_.size() - 2], stack_.back()};
        stack_.resize(stack_.size() - 2);
        return AddItems(items);
      case kSetItems:
        return PopToMark(&items) && AddItems(items);
      case kBuild:
        return Build();
      case kReduce:
        return Reduce();
      case kBinPersId:
        if (!Need(1)) return false;
        items.push_back(Pop());
        return Push({.kind = Kind::kPersistent, .items = std::move(items)});
      case kBinPut: {
        uint8_t key = 0;
        return Fixed(&key) && Put(key);
      }
      case kLongBinPut: {
        uint32_t key = 0;
        return Fixed(&key) && Put(key);
      }
      case kMemoize:
        return Put(memo_.size());
      case kBinGet: {
        uint8_t key = 0;
        return Fixed(&key) && Get(key);
      }
      case kLongBinGet: {
        uint32_t key = 0;
        return Fixed(&key) && Get(key);
      }
      default:
        return Fail(Concat("opcode 0x", absl::Hex(op, absl::kZeroPad2),
                           " is not one that a checkpoint needs: refused"));
    }
  }

  std::span<const uint8_t> bytes_;
  std::string_view file_;
  std::span<const std::string_view> globals_;
  size_t at_ = 0;
  size_t op_at_ = 0;
  absl::Status status_;
  Pickle pickle_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // the stack's size at each mark
  std::unordered_map<uint64_t, PickleId> memo_;
};

}  // namespace

absl::StatusOr<Pickle> ParsePickle(std::span<const uint8_t> bytes, std::string_view file,
                                   std::span<const std::string_view> globals) {
  return PickleParser(bytes, file, globals).Run();
}

std::string_view PickleKindName(PickleNode::Kind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}

}  // namespace dragoman::engine
