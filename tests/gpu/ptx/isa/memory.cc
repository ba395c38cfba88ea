// Section 9.7.9 of the PTX ISA: loads, stores and cvta.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/ptx/isa/forms.h"

namespace dragoman::ptx::isa {
namespace {

constexpr size_t kLanes = 32;
constexpr size_t kLaneBytes = 64;

// Returns bytes whose neighbours differ, half of them with the upper bit set.
std::vector<uint8_t> Pattern() {
  std::vector<uint8_t> bytes(kLanes * kLaneBytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 151 + i / 256 * 7 + 129);
  return bytes;
}

std::string Number(size_t i) { return std::to_string(i); }

// %rd31 and %rd32 are the generic addresses of the lane's 64 bytes of `in` and `out`. %rd33 and
// %rd34 are their addresses in the global space. %r31 is the address of the lane's shared memory.
constexpr char kAddresses[] =
    "mul.wide.u32 %rd30, %r2, 64; add.s64 %rd31, %rd1, %rd30; add.s64 %rd32, %rd2, %rd30;"
    "cvta.to.global.u64 %rd33, %rd31; cvta.to.global.u64 %rd34, %rd32;"
    "shl.b32 %r30, %r2, 6; mov.u32 %r31, area; add.s32 %r31, %r31, %r30;";
constexpr char kShared[] = ".shared .align 16 .b8 area[2048];";

std::string EachWord(const std::string& load, const std::string& store) {
  std::string text;
  for (size_t at = 0; at < kLaneBytes; at += 4) {
    const std::string offset = "+" + Number(at) + "]";
    if (!load.empty()) text += load + offset + ";";
    text += store + offset + ", %r40;";
  }
  return text;
}

// Returns a register, or several registers in braces for a vector.
std::string Registers(const std::string& kind, size_t first, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) {
    list += (i == 0 ? "%" : ", %") + kind + Number(first + i);
  }
  return count == 1 ? list : "{" + list + "}";
}

// Returns the text that copies the register's bits to %rd40, zero-extended.
std::string ToWide(const std::string& kind, size_t number) {
  const std::string reg = "%" + kind + Number(number) + ";";
  if (kind == "rd") return "mov.u64 %rd40, " + reg;
  if (kind == "f") return "mov.b32 %r40, " + reg + "cvt.u64.u32 %rd40, %r40;";
  if (kind == "r") return "cvt.u64.u32 %rd40, " + reg;
  return "cvt.u32.u16 %r40, " + reg + "cvt.u64.u32 %rd40, %r40;";
}

size_t WidthOf(const std::string& kind) { return kind == "rd" ? 8 : kind == "rs" ? 2 : 4; }

// A load or store of `elements` elements, with registers of each of these kinds, which may be wider
// than the element's type.
struct Access {
  std::string name;
  std::vector<std::string> kinds;
  size_t elements = 1;
  size_t size = 4;

  bool shared() const { return name.find(".shared") != std::string::npos; }
  bool global() const { return name.find(".global") != std::string::npos; }
  bool is_signed() const { return name[name.rfind('.') + 1] == 's'; }
};

uint64_t ReadAt(const std::vector<uint8_t>& bytes, size_t at, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, size);
  return value;
}

// Returns the text that loads the lane's elements twice and stores each as 64 bits.
std::string LoadText(const Access& access, const std::string& kind) {
  const std::string base = access.shared() ? "%r31" : access.global() ? "%rd33" : "%rd31";
  const std::string beyond = access.shared() ? "%r32" : "%rd35";
  std::string body = kAddresses;
  if (access.shared()) body += EachWord("ld.global.u32 %r40, [%rd33", "st.shared.u32 [%r31");
  body += (access.shared() ? "add.s32 " : "add.s64 ") + beyond + ", " + base + ", 64;";
  body += access.name + " " + Registers(kind, 20, access.elements) + ", [" + base + "+16];";
  const std::string again = access.name + " " + Registers(kind, 24, access.elements) + ", [";
  if (access.shared()) {
    body +=
        "setp.eq.s32 %p1, %r2, 0; @%p1 " + again + "area+16]; @!%p1 " + again + beyond + "+-48];";
  } else {
    body += again + beyond + "+-48];";
  }
  for (size_t i = 0; i < 2 * access.elements; ++i) {
    const size_t number = i < access.elements ? 20 + i : 24 + i - access.elements;
    body += ToWide(kind, number) + "st.global.u64 [%rd34+" + Number(8 * i) + "], %rd40;";
  }
  return body;
}

// 9.7.9.8: each element is extended to the register's width, by its sign if the type is signed and
// else by zeros. Each element is loaded twice, with a positive and a negative displacement. Lane 0
// uses the name of shared memory as the address.
void CheckLoad(const Access& access, const std::string& name) {
  const std::vector<uint8_t> in = Pattern();
  for (const std::string& kind : access.kinds) {
    const std::string body = LoadText(access, kind);
    TextOptions options;
    options.in = in;
    const TextRun run = RunForm(name, {body, kShared, ""}, options);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      for (size_t i = 0; i < 2 * access.elements; ++i) {
        uint64_t expected =
            ReadAt(in, lane * kLaneBytes + 16 + i % access.elements * access.size, access.size);
        const uint64_t sign = uint64_t{1} << (8 * access.size - 1);
        if (access.is_signed()) expected = (expected ^ sign) - sign;
        if (kind != "rd") expected &= (uint64_t{1} << (8 * WidthOf(kind))) - 1;
        ASSERT_EQ(run.At<uint64_t>(lane * kLaneBytes / 8 + i), expected)
            << name << " to %" << kind << ", lane " << lane << ", element " << i % access.elements;
      }
    }
  }
}

std::string StoreText(const Access& access, const std::string& kind) {
  std::string body = kAddresses;
  if (access.shared()) body += "mov.u32 %r40, 0;" + EachWord("", "st.shared.u32 [%r31");
  const std::string type = kind == "rd"   ? "u64"
                           : kind == "rs" ? "u16"
                           : kind == "f"  ? "f32"
                                          : "u32";
  const std::string load = "ld.global." + type + " %" + kind;
  for (size_t i = 0; i < access.elements; ++i) {
    body += load;
    body += Number(20 + i) + ", [%rd33+" + Number(8 * i) + "];";
  }
  const std::string to = access.shared() ? "%r31" : access.global() ? "%rd34" : "%rd32";
  const std::string place = "+16], " + Registers(kind, 20, access.elements) + ";";
  if (access.shared()) {
    body += "setp.eq.s32 %p1, %r2, 0; @%p1 " + access.name + " [area" + place + "@!%p1 ";
  }
  body += access.name + " [" + to + place;
  if (access.shared()) body += EachWord("ld.shared.u32 %r40, [%r31", "st.global.u32 [%rd34");
  return body;
}

// 9.7.9.11: the lower bits of each register are stored, and no neighbouring byte changes. Lane 0
// uses the name of shared memory as the address.
void CheckStore(const Access& access, const std::string& name) {
  const std::vector<uint8_t> in = Pattern();
  for (const std::string& kind : access.kinds) {
    const std::string body = StoreText(access, kind);
    TextOptions options;
    options.in = in;
    const TextRun run = RunForm(name, {body, kShared, ""}, options);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<uint8_t> expected(kLaneBytes);
      for (size_t i = 0; i < access.elements; ++i) {
        std::copy_n(in.begin() + lane * kLaneBytes + 8 * i, access.size,
                    expected.begin() + 16 + i * access.size);
      }
      const std::vector<uint8_t> written(run.out.begin() + lane * kLaneBytes,
                                         run.out.begin() + (lane + 1) * kLaneBytes);
      ASSERT_EQ(written, expected) << name << " of %" << kind << ", lane " << lane;
    }
  }
}

Form Load(const Access& access) {
  return {access.name, [=](const std::string& name) { CheckLoad(access, name); }};
}
Form Store(const Access& access) {
  return {access.name, [=](const std::string& name) { CheckStore(access, name); }};
}

// A vector in shared memory: 2 elements of 2 bytes, or 4 elements of 4 bytes.
struct SharedVector {
  size_t elements;
  size_t size;

  size_t bytes() const { return elements * size; }
};

// Builds stores, and the bytes that they must leave in a lane's 64 bytes, which are 0xee before.
class VectorStores {
 public:
  VectorStores(const std::string& name, const SharedVector& vector)
      : name_(name), vector_(vector) {}

  // Adds a store. Element i is the lower bits of a register of the kind, which holds the value at
  // byte 8 * order[i] of the lane's bytes of `in`.
  void Add(const std::string& guard, const std::string& address, const std::string& kind,
           const std::vector<size_t>& order) {
    text_ += guard + name_ + " [" + address + "], {";
    for (size_t i = 0; i < order.size(); ++i) {
      text_ += (i == 0 ? "%" : ", %") + kind + Number((kind == "rd" ? 50 : 20) + order[i]);
    }
    text_ += "};";
  }
  void Expect(std::vector<uint8_t>* bytes, const std::vector<uint8_t>& in, size_t lane, size_t at,
              const std::vector<size_t>& order) const {
    for (size_t i = 0; i < order.size(); ++i) {
      std::copy_n(in.begin() + lane * kLaneBytes + 8 * order[i], vector_.size,
                  bytes->begin() + at + i * vector_.size);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string name_;
  SharedVector vector_;
  std::string text_;
};

// Loads registers 20 to 23 of each kind, and %rd50 to %rd53, from `in`.
std::string VectorRegisters() {
  std::string text = kAddresses;
  text += "mov.u32 %r40, 0xeeeeeeee;" + EachWord("", "st.shared.u32 [%r31");
  for (size_t i = 0; i < 4; ++i) {
    const std::string from = ", [%rd33+" + Number(8 * i) + "];";
    text += "ld.global.u64 %rd" + Number(50 + i) + from;
    text += "ld.global.u32 %r" + Number(20 + i) + from;
    text += "ld.global.u16 %rs" + Number(20 + i) + from;
  }
  return text + "and.b32 %r50, %r2, 1; setp.ne.u32 %p2, %r50, 0; add.s32 %r51, %r31, 64;";
}

// 9.7.9.11, st of vectors: elements are stored "low to high" from the address on. Each is the lower
// bits of a register that may be wider (9.4.1). No neighbouring byte changes. The later one of two
// stores of a thread wins. The address must be "naturally aligned to a multiple of the access
// size", which is the vector's size (5.4.2, 6.4.1). Otherwise "the resulting behavior is
// undefined", which is a finding here.
void CheckVectorStore(const std::string& name) {
  const SharedVector vector = name == "st.shared.v2.u16" ? SharedVector{2, 2} : SharedVector{4, 4};
  const size_t bytes = vector.bytes();
  const std::vector<uint8_t> in = Pattern();
  const std::vector<size_t> in_order =
      vector.elements == 2 ? std::vector<size_t>{0, 1} : std::vector<size_t>{0, 1, 2, 3};
  const std::vector<size_t> turned =
      vector.elements == 2 ? std::vector<size_t>{3, 2} : std::vector<size_t>{3, 1, 0, 2};
  const std::vector<size_t> one = std::vector<size_t>(vector.elements, 1);
  std::vector<std::string> kinds = {"r", "rd"};
  if (vector.size == 2) kinds.emplace_back("rs");
  TextOptions options;
  options.in = in;
  const std::string store_all = EachWord("ld.shared.u32 %r40, [%r31", "st.global.u32 [%rd34");
  for (const std::string& kind : kinds) {
    VectorStores stores(name, vector);
    stores.Add("", "%r31", kind, in_order);
    stores.Add("", "%r31+" + Number(48 - bytes), kind, one);
    stores.Add("", "%r51+-16", kind, one);
    stores.Add("", "%r51+-16", kind, turned);
    stores.Add("@%p2 ", "%r31+16", kind, turned);
    stores.Add("@!%p2 ", "%r31+" + Number(16 + bytes), kind, in_order);
    stores.Add("@!%p3 ", "%r31", kind, one);
    const TextRun run = RunForm(
        name,
        {VectorRegisters() + "setp.eq.u32 %p3, %r2, %r2;" + stores.text() + store_all, kShared, ""},
        options);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<uint8_t> expected(kLaneBytes, 0xee);
      stores.Expect(&expected, in, lane, 0, in_order);
      stores.Expect(&expected, in, lane, 48 - bytes, one);
      if (lane % 2 == 1) {
        stores.Expect(&expected, in, lane, 16, turned);
      } else {
        stores.Expect(&expected, in, lane, 16 + bytes, in_order);
      }
      stores.Expect(&expected, in, lane, 48, turned);
      const std::vector<uint8_t> written(run.out.begin() + lane * kLaneBytes,
                                         run.out.begin() + (lane + 1) * kLaneBytes);
      ASSERT_EQ(written, expected) << name << " of %" << kind << ", lane " << lane;
    }
  }
  // One lane stores at the name of shared memory, with each displacement that is aligned.
  for (size_t at = 0; at < kLaneBytes; at += vector.size) {
    VectorStores store(name, vector);
    store.Add("@%p4 ", "area+" + Number(at), "r", turned);
    const std::string body =
        VectorRegisters() + "setp.eq.u32 %p4, %r2, 0;" + store.text() + store_all;
    if (at % bytes != 0) {
      const TextRun run = RunText(ModuleText(body, kShared), options);
      EXPECT_TRUE(run.report.Has(FindingKind::kMisaligned)) << at << ": " << run.report.Text();
      continue;
    }
    std::vector<uint8_t> expected(kLanes * kLaneBytes, 0xee);
    store.Expect(&expected, in, 0, at, turned);
    TextRun run = RunForm(name, {body, kShared, ""}, options);
    run.out.resize(expected.size());
    ASSERT_EQ(run.out, expected) << name << " at " << at;
  }
  // The last vector of the area, and the vector after it.
  for (const bool beyond : {false, true}) {
    VectorStores store(name, vector);
    store.Add("@%p4 ", "area+" + Number(2048 - (beyond ? 0 : bytes)), "r", in_order);
    const TextRun run =
        RunText(ModuleText(VectorRegisters() + "setp.eq.u32 %p4, %r2, 31;" + store.text(), kShared),
                options);
    EXPECT_EQ(run.report.Has(FindingKind::kOutOfBounds), beyond) << run.report.Text();
  }
}

// 9.7.9.8 in the space .param: a parameter's bytes can be read at its name, and at an address that
// was made of its name.
Form LoadParameter(const std::string& name, const std::string& operands, const std::string& kind,
                   uint64_t expected) {
  return {name, [=](const std::string& form) {
            const std::string body =
                "mov.b64 %rd30, count; mov.b64 %rd31, in; add.s64 %rd32, %rd30, 8;" + form + " " +
                operands + ";" + ToWide(kind, 20) +
                "st.global.u64 [%rd2], %rd40; st.global.u64 [%rd2+8], %rd1;";
            TextOptions options;
            options.grid.threads = {1, 1, 1};
            options.in = std::vector<uint8_t>(16);
            options.count = 0x80c3a501;
            const TextRun run = RunForm(form, {body, "", ""}, options);
            const uint64_t in = run.At<uint64_t>(1);
            EXPECT_EQ(run.At<uint64_t>(0), expected == kAnyNan ? in : expected);
          }};
}

}  // namespace

std::vector<Form> MemoryForms() {
  std::vector<Form> forms = {
      // Parameters: `in` and `out` are pointers; the count is 0x80c3a501.
      LoadParameter("ld.param.u8", "%rs20, [count+2]", "rs", 0xc3),
      LoadParameter("ld.param.u32", "%r20, [%rd32+-8]", "r", 0x80c3a501),
      LoadParameter("ld.param.s32", "%rd20, [count]", "rd", 0xffffffff80c3a501),
      LoadParameter("ld.param.f32", "%f20, [count]", "f", 0x80c3a501),
      LoadParameter("ld.param.u64", "%rd20, [%rd31]", "rd", kAnyNan),
      {"ld.param.v2.u32",
       [](const std::string& name) {
         TextOptions options;
         options.grid.threads = {1, 1, 1};
         options.in.resize(16);
         const TextRun run = RunForm(name,
                                     {name + " {%r20, %r21}, [in]; st.global.u64 [%rd2], %rd1; "
                                             "st.global.v2.u32 [%rd2+8], {%r20, %r21};",
                                      "", ""},
                                     options);
         EXPECT_EQ(run.At<uint64_t>(1), run.At<uint64_t>(0));
       }},
      // 9.7.9.20: global addresses equal generic ones, and so does the result of cvta for a
      // parameter.
      {"cvta.to.global.u64",
       [](const std::string& name) {
         TextOptions options;
         options.grid.threads = {1, 1, 1};
         options.in = Bytes<uint32_t>({0xdeadbeef});
         const TextRun run = RunForm(
             name,
             {name + " %rd20, %rd1; ld.u32 %r20, [%rd1]; ld.global.u32 %r21, [%rd20];" + name +
                  " %rd21, %rd2; st.global.u32 [%rd21], %r20; st.u32 [%rd2+4], %r21;",
              "", ""},
             options);
         EXPECT_EQ(run.At<uint32_t>(0), 0xdeadbeef);
         EXPECT_EQ(run.At<uint32_t>(1), 0xdeadbeef);
       }},
      {"cvta.param.u64",
       [](const std::string& name) {
         TextOptions options;
         options.grid.threads = {1, 1, 1};
         options.in.resize(16);
         options.count = 0x13572468;
         const TextRun run =
             RunForm(name,
                     {"mov.b64 %rd20, count;" + name +
                          " %rd21, %rd20; ld.u32 %r20, [%rd21]; st.global.u32 [%rd2], %r20;",
                      "", ""},
                     options);
         EXPECT_EQ(run.At<uint32_t>(0), 0x13572468U);
       }},
  };
  const Access loads[] = {
      {"ld.f32", {"f"}},
      {"ld.s16", {"r"}, 1, 2},
      {"ld.s32", {"rd"}},
      {"ld.s8", {"rs", "r", "rd"}, 1, 1},
      {"ld.u16", {"rs", "r"}, 1, 2},
      {"ld.u32", {"r", "rd"}},
      {"ld.u64", {"rd"}, 1, 8},
      {"ld.u8", {"rs", "r", "rd"}, 1, 1},
      {"ld.v2.u16", {"rs"}, 2, 2},
      {"ld.v2.u32", {"r"}, 2, 4},
      {"ld.v4.u16", {"rs"}, 4, 2},
      {"ld.v4.u8", {"rs"}, 4, 1},
      {"ld.global.f32", {"f"}},
      {"ld.global.s32", {"rd"}},
      {"ld.global.s8", {"rs", "r", "rd"}, 1, 1},
      {"ld.global.u16", {"rs"}, 1, 2},
      {"ld.global.u32", {"r"}},
      {"ld.global.u64", {"rd"}, 1, 8},
      {"ld.global.u8", {"rs", "rd"}, 1, 1},
      {"ld.global.v2.f32", {"f"}, 2, 4},
      {"ld.global.v2.u32", {"r"}, 2, 4},
      {"ld.global.v4.f32", {"f"}, 4, 4},
      {"ld.global.v4.u32", {"r"}, 4, 4},
      {"ld.global.nc.f32", {"f"}},
      {"ld.global.nc.u32", {"r", "rd"}},
      {"ld.global.nc.v2.f32", {"f"}, 2, 4},
      {"ld.global.nc.v4.u32", {"r"}, 4, 4},
      {"ld.volatile.global.u32", {"r"}},
      {"ld.shared.f32", {"f"}},
      {"ld.shared.u32", {"r"}},
      {"ld.shared.u64", {"rd"}, 1, 8},
      {"ld.shared.u8", {"rs", "r", "rd"}, 1, 1},
      {"ld.shared.v2.f32", {"f"}, 2, 4},
      {"ld.shared.v2.u32", {"r"}, 2, 4},
      {"ld.shared.v4.u32", {"r"}, 4, 4},
  };
  const Access stores[] = {
      {"st.f32", {"f"}},
      {"st.u16", {"rs", "r"}, 1, 2},
      {"st.u32", {"r"}},
      {"st.u64", {"rd"}, 1, 8},
      {"st.u8", {"rs", "r", "rd"}, 1, 1},
      {"st.v2.u16", {"rs"}, 2, 2},
      {"st.v2.u32", {"r"}, 2, 4},
      {"st.v4.u16", {"rs"}, 4, 2},
      {"st.volatile.f32", {"f"}},
      {"st.global.f32", {"f"}},
      {"st.global.u16", {"rs"}, 1, 2},
      {"st.global.u32", {"r", "rd"}},
      {"st.global.u64", {"rd"}, 1, 8},
      {"st.global.u8", {"rs"}, 1, 1},
      {"st.global.v2.f32", {"f"}, 2, 4},
      {"st.global.v2.u16", {"rs"}, 2, 2},
      {"st.global.v2.u32", {"r"}, 2, 4},
      {"st.global.v2.u8", {"rs"}, 2, 1},
      {"st.global.v4.f32", {"f"}, 4, 4},
      {"st.global.v4.u32", {"r"}, 4, 4},
      {"st.global.v4.u8", {"rs"}, 4, 1},
      {"st.global.wb.v4.u32", {"r"}, 4, 4},
      {"st.shared.f32", {"f"}},
      {"st.shared.u32", {"r"}},
      {"st.shared.u64", {"rd"}, 1, 8},
      {"st.shared.v2.f32", {"f"}, 2, 4},
      {"st.shared.v2.u32", {"r"}, 2, 4},
  };
  for (const char* name : {"st.shared.v2.u16", "st.shared.v4.u32"}) {
    forms.push_back({name, CheckVectorStore});
  }
  for (const Access& access : loads) forms.push_back(Load(access));
  for (const Access& access : stores) forms.push_back(Store(access));
  return forms;
}

}  // namespace dragoman::ptx::isa
