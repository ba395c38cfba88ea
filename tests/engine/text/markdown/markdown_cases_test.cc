// Tables of Markdown, scripted translations (markup_script.h) and the rebuilt Markdown.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/text/markup/markup.h"
#include "tests/engine/text/markup/markup_script.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using Strings = std::vector<std::string>;
using Case = MarkupCase;

void Check(const std::vector<Case>& cases) { CheckMarkupCases(cases, TextFormat::kMarkdown); }

const Strings kSame = {"="};
const Strings kReversed = {"~"};

TEST(MarkdownCases, Blocks) {
  Check({
      {"nothing", "", {}, kReversed, ""},
      {"only white space", " \n\n", {}, kReversed, " \n\n"},
      {"text alone", "one two\n", {"one two"}, kReversed, "TWO ONE\n"},
      {"headings",
       "# a b\n\n## c d ##\n\ne f\n===\n\ng h\n---\n",
       {"a b", "c d", "e f", "g h"},
       kReversed,
       "# B A\n\n## D C ##\n\nF E\n===\n\nH G\n---\n"},
      {"paragraphs", "a\nb\n\nc\n  d", {"a b", "c d"}, kReversed, "B A\n\nD C"},
      {"a tight list",
       "- a b\n- c d\n  - e f\n",
       {"a b", "c d", "e f"},
       kReversed,
       "- B A\n- D C\n  - F E\n"},
      {"a loose list",
       "1. a b\n\n2. c d\n\n   e f\n",
       {"a b", "c d", "e f"},
       kReversed,
       "1. B A\n\n2. D C\n\n   F E\n"},
      {"tasks", "- [ ] a b\n- [x] c d\n", {"a b", "c d"}, kReversed, "- [ ] B A\n- [x] D C\n"},
      {"a quote", "> a b\n> c\n>\n> - d e\n", {"a b c", "d e"}, kReversed, "> C B A\n>\n> - E D\n"},
      {"code",
       "a b\n\n```sh\nls *x*\n```\n\n    int i;\n\nc d\n",
       {"a b", "c d"},
       kReversed,
       "B A\n\n```sh\nls *x*\n```\n\n    int i;\n\nD C\n"},
      {"a rule", "a b\n\n---\n\nc d", {"a b", "c d"}, kReversed, "B A\n\n---\n\nD C"},
      {"an HTML block",
       "<div>\na b\n</div>\n\nc d",
       {"c d"},
       kReversed,
       "<div>\na b\n</div>\n\nD C"},
      {"a table",
       "| a b | c d |\n|-----|:---:|\n| e f | `g` |\n| h | i j |\n",
       {"a b", "c d", "e f", "h", "i j"},
       kReversed,
       "| B A | D C |\n|-----|:---:|\n| F E | `g` |\n| H | J I |\n"},
      {"definitions",
       "[x]: https://a.b 'T'\n\na b [c d][x]\n",
       {"a b c d"},
       kSame,
       "[x]: https://a.b 'T'\n\na b [c d][x]\n"},
      {"front matter",
       "---\ntitle: a b\n---\n\nc d\n",
       {"c d"},
       kReversed,
       "---\ntitle: a b\n---\n\nD C\n"},
      {"a rule is no front matter", "---\na b\n", {"a b"}, kReversed, "---\nB A\n"},
      {"a hard break",
       "a b  \nc d\\\ne f\n",
       {"a b", "c d", "e f"},
       kReversed,
       "B A  \nD C\\\nF E\n"},
      {"a hard break in a quote",
       "> a b  \n> c d\n",
       {"a b", "c d"},
       kReversed,
       "> B A  \n> D C\n"},
      {"a footnote",
       "a b[^1] c\n\n[^1]: d e f\n",
       {"a b c", "d e f"},
       kSame,
       "a b[^1] c\n\n[^1]: d e f\n"},
      {"an alert", "> [!NOTE]\n> a b\n", {"a b"}, kReversed, "> [!NOTE]\n> B A\n"},
      {"line ends of Windows",
       "# a b\r\n\r\nc\r\nd\r\n",
       {"a b", "c d"},
       kReversed,
       "# B A\r\n\r\nD C\r\n"},
  });
}

TEST(MarkdownCases, Inline) {
  Check({
      {"emphasis",
       "a **b c** *d* ~~e~~ __f__ _g_",
       {"a b c d e f g"},
       kReversed,
       "_G_ __F__ ~~E~~ *D* **C B** A"},
      {"nested emphasis", "***a* b** c", {"a b c"}, kReversed, "C **B *A***"},
      {"a link",
       "a [b c](https://x.y/(z) \"T\") d",
       {"a b c d"},
       kReversed,
       "D [C B](https://x.y/(z) \"T\") A"},
      {"a link in bold",
       "- Download the **latest** release from [GitHub](https://x.y).",
       {"Download the latest release from GitHub."},
       {"A@3 última@2 versão@3 do@4 GitHub@5 _.@6"},
       "- A **última** versão do [GitHub](https://x.y)."},
      {"a label", "[a b][c] d\n\n[c]: u\n", {"a b d"}, kReversed, "D [B A][c]\n\n[c]: u\n"},
      {"a link by its text",
       "[a b] c [d][]\n\n[a b]: u\n[d]: v\n",
       {"a b c d"},
       kReversed,
       "[D][d] C [B A][a b]\n\n[a b]: u\n[d]: v\n"},
      {"an image", "a ![b *c*](d.png) e", {"a e"}, kSame, "a ![b *c*](d.png) e"},
      {"only an image", "![](a.png)\n\nb c", {"b c"}, kReversed, "![](a.png)\n\nC B"},
      {"an image without a text first", "- ![](a.png) b c", {"b c"}, kReversed, "- ![](a.png) C B"},
      {"a badge", "[![a b](c.svg)](d) e f", {"e f"}, kSame, "[![a b](c.svg)](d) e f"},
      {"code spans", "a `b*c` d ``e ` f``", {"a d"}, kSame, "a `b*c` d ``e ` f``"},
      {"code first", "`a` b c", {"b c"}, kSame, "`a` b c"},
      {"code in bold", "a **`b`** c", {"a c"}, kSame, "a **`b`** c"},
      {"an address", "a <https://b.c> <d@e.f> g", {"a g"}, kSame, "a <https://b.c> <d@e.f> g"},
      {"a bare URL",
       "a http://b.c/_d_e_f_ g",
       {"a http://b.c/_d_e_f_ g"},
       kSame,
       "a http://b.c/_d_e_f_ g"},
      {"HTML tags",
       "a <kbd>b</kbd> <b>c d</b><br>e <code>f</code> <img> <i>g",
       {"a b c d", "e g"},
       kSame,
       "a <kbd>b</kbd> <b>c d</b><br>e <code>f</code> <img> <i>g"},
      {"entities", "a &amp; b &lt; &eacute; &copy", {"a & b < é &copy"}, kSame, "a & b < é &copy"},
      {"escapes",
       "\\*a\\* b\\_ \\[c\\](d) \\# \\\\x 1\\. e",
       {"*a* b_ [c](d) # \\x 1. e"},
       kSame,
       "\\*a\\* b\\_ [c\\](d) # \\\\x 1. e"},
  });
}

// Characters of a translation that would be markup are escaped.
TEST(MarkdownCases, Escapes) {
  Check({
      {"a number first", "May 1", {"May 1"}, {"1@1 _.@1 Mai@0"}, "1\\. Mai"},
      {"marks of lists", "a b", {"a b"}, {"-@0 b@1"}, "\\- b"},
      {"a heading", "a b", {"a b"}, {"#@0 b@1"}, "\\# b"},
      {"a hash in a word", "a b", {"a b"}, {"#x@0 C#@1"}, "\\#x C#"},
      {"a quote", "a b", {"a b"}, {">@0 b@1"}, "\\> b"},
      {"stars", "a b", {"a b"}, {"2@0 *@0 3@0 *x*@1"}, "2 \\* 3 \\*x\\*"},
      {"low lines", "a b", {"a b"}, {"a_b_c@0 (_d_)@1"}, "a_b_c (\\_d\\_)"},
      {"code", "a b", {"a b"}, {"`x`@0"}, "\\`x\\`"},
      {"tags", "a b", {"a b"}, {"<b>@0 <@0 3@1 <3@1"}, "\\<b> < 3 <3"},
      {"references", "a b", {"a b"}, {"&lt;@0 AT&T@1 &@1"}, "&amp;lt; AT&T &"},
      {"a link", "a b", {"a b"}, {"[x](y)@0"}, "\\[x\\](y)"},
      {"brackets in a link", "[a b](u)", {"a b"}, {"x]y@0 [z@1"}, "[x\\]y \\[z](u)"},
      {"a bar in a table",
       "|a b|c|\n|-|-|\n|d|e|",
       {"a b", "c", "d", "e"},
       {"x|y@0", "=", "=", "="},
       "|x\\|y|c|\n|-|-|\n|d|e|"},
      {"a bar elsewhere", "a b", {"a b"}, {"x@0 |@0 y@1"}, "x | y"},
      {"a rule", "a b  \nc d", {"a b", "c d"}, {"=", "---@0"}, "a b  \n\\---"},
      {"an exclamation mark before a link", "a [b](u)", {"a b"}, {"a@0 !@- _b@1"}, "a \\![b](u)"},
      {"a backslash", "a b", {"a b"}, {"\\*@0 C:\\x@1"}, "\\\\\\* C:\\\\x"},
  });
}

// Marks of emphasis are moved or dropped where CommonMark would not recognise them.
TEST(MarkdownCases, EmphasisThatWouldNotBeRead) {
  Check({
      {"punctuation at its end", "**a b.** c", {"a b. c"}, {"A@0 B@1 _。@2 _C@3"}, "**A B**。C"},
      {"punctuation at its beginning",
       "a **(b)** c",
       {"a (b) c"},
       {"A@0 _（@1 _B@2 _）@3 _C@4"},
       "A（**B**）C"},
      {"two that touch", "**a** **b** c", {"a b c"}, {"甲@0 _乙@1 C@2"}, "**甲**乙 C"},
      {"low lines in a word", "_a_ b c", {"a b c"}, {"甲@0 _乙@1 C@2"}, "甲乙 C"},
      {"stars in a word", "*a* b c", {"a b c"}, {"甲@0 _乙@1 C@2"}, "*甲*乙 C"},
      {"emphasis without a word", "a *b* c", {"a b c"}, {"A@0 C@2"}, "A C"},
      {"code in bold", "a **`b`** c", {"a c"}, {"甲@0 _乙@1"}, "甲 **`b`** 乙"},
  });
}

// The model sees the code, and the caller must keep it in the translation.
TEST(MarkdownCases, CodeThatIsText) {
  const std::string markdown = "Use **`ls *x*`** or ``a`b`` on <https://a.b/_c_/d>, \\`d`.";
  const auto document =
      ExpectOk(MarkupDocument::Parse(markdown, TextFormat::kMarkdown, /*code_is_text=*/true));
  ASSERT_EQ(document->runs(), 1);
  EXPECT_EQ(document->text(0), "Use `ls-*x*` or on https://a.b/_c_/d, `d`.");
  EXPECT_EQ(RebuiltByScript(*document, {"="}),
            "Use **`ls *x*`** or ``a`b`` on <https://a.b/_c_/d>, \\`d\\`.");
}

// A full stop after an address may be aligned with the address. A lost address is restored.
TEST(MarkdownCases, AddressesAreWhole) {
  const auto document = ExpectOk(
      MarkupDocument::Parse("a <https://b.c/d/>.", TextFormat::kMarkdown, /*code_is_text=*/true));
  EXPECT_EQ(document->text(0), "a https://b.c/d/.");
  const int url = 1;
  const std::string at = "@" + std::to_string(url);
  EXPECT_EQ(RebuiltByScript(*document, {"A@0 https://b.c/d/" + at + " _." + at}),
            "A <https://b.c/d/>.");
  EXPECT_EQ(RebuiltByScript(*document, {"A@0"}), "A <https://b.c/d/>");
}

}  // namespace
}  // namespace dragoman::engine
