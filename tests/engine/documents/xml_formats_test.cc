// Formats that are XML, alone or in archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "engine/documents/archive.h"
#include "tests/engine/documents/document_test_support.h"
#include "tests/engine/model/zip_files.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kWordSpace[] = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

// Returns a Word document with these paragraphs.
std::string Word(const std::string& body) {
  return ZipOf({{"[Content_Types].xml", "<Types/>"},
                {"word/document.xml",
                 absl::StrCat("<w:document xmlns:w=\"", kWordSpace, "\" xmlns:x=\"urn:x\"><w:body>",
                              body, "</w:body></w:document>")},
                {"word/media/image.png", "png", kZipStored}});
}

std::string BodyOf(const std::string& docx) {
  const absl::StatusOr<Archive> archive = Archive::Open(docx);
  EXPECT_TRUE(archive.ok()) << archive.status();
  std::string xml = *archive->Read("word/document.xml", 1 << 20);
  const size_t begin = xml.find("<w:body>") + 8;
  return xml.substr(begin, xml.find("</w:body>") - begin);
}

TEST(Docx, JoinsSpansWithEqualProperties) {
  const std::string docx = Word(
      "<w:p><w:pPr><w:jc/></w:pPr><w:r w:rsidR=\"1\"><w:t>Hel</w:t></w:r><w:proofErr/>"
      "<w:r w:rsidR=\"2\"><w:t>lo, </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>big</w:t></w:r>"
      "<w:r><w:t xml:space=\"preserve\"> &lt;world&gt;</w:t></w:r><w:bookmarkEnd/></w:p>");
  EXPECT_THAT(TextsOf(*ReadForTest("docx", docx)),
              ElementsAre("Hello, <g0>big</g0> &lt;world&gt;"));
  EXPECT_EQ(BodyOf(WithTranslations("docx", docx, {"<g0>Große</g0> Welt &amp; hallo"})),
            "<w:p><w:pPr><w:jc/></w:pPr><w:r><w:rPr><w:b/></w:rPr>"
            "<w:t xml:space=\"preserve\">Große</w:t></w:r>"
            "<w:r><w:t xml:space=\"preserve\"> Welt &amp; hallo</w:t></w:r><w:bookmarkEnd/></w:p>");
}

TEST(Docx, KeepsLinksFieldsBreaksAndControls) {
  const std::string docx = Word(
      "<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink x:id=\"1\"><w:r><w:t>the page</w:t></w:r>"
      "</w:hyperlink><w:r><w:br/><w:t>now</w:t></w:r>"
      "<w:sdt><w:sdtPr><w:tag/></w:sdtPr><w:sdtContent><w:r><w:t>here</w:t></w:r></w:sdtContent>"
      "</w:sdt>"
      "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>7</w:t></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t> end</w:t></w:r></w:p>");
  EXPECT_THAT(TextsOf(*ReadForTest("docx", docx)),
              ElementsAre("See <g0>the page</g0><br 1>now<g2>here</g2><code 3>7</code> end"));
  const std::string body = BodyOf(InCapitals("docx", docx));
  EXPECT_THAT(body, HasSubstr("<w:hyperlink x:id=\"1\"><w:r><w:t xml:space=\"preserve\">THE "
                              "PAGE</w:t></w:r></w:hyperlink><w:r><w:br/></w:r>"));
  EXPECT_THAT(body, HasSubstr("<w:sdt><w:sdtPr><w:tag/></w:sdtPr><w:sdtContent><w:r><w:t "
                              "xml:space=\"preserve\">HERE</w:t></w:r></w:sdtContent></w:sdt>"));
  EXPECT_THAT(body, HasSubstr("<w:instrText>PAGE</w:instrText>"));
  EXPECT_THAT(body, HasSubstr("<w:t>7</w:t>"));
}

TEST(Docx, TranslatesTheResultOfALinkField) {
  const std::string docx = Word(
      "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>"
      "<w:r><w:instrText>HYPERLINK \"https://example.com\"</w:instrText></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>a page</w:t></w:r>"
      "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t> to read</w:t></w:r></w:p>");
  EXPECT_THAT(TextsOf(*ReadForTest("docx", docx)), ElementsAre("<g0>a page</g0> to read"));
  EXPECT_THAT(BodyOf(InCapitals("docx", docx)), HasSubstr(">A PAGE</w:t>"));
}

TEST(Docx, TranslatesTextBoxesInsideParagraphs) {
  const std::string docx = Word(
      "<w:p><w:r><w:t>out </w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>in the box"
      "</w:t></w:r></w:p></w:txbxContent></w:pict></w:r><w:r><w:t>side</w:t></w:r></w:p>");
  EXPECT_THAT(TextsOf(*ReadForTest("docx", docx)), ElementsAre("out <img 0>side", "in the box"));
  EXPECT_THAT(BodyOf(WithTranslations("docx", docx, {"aus<img 0>sen", "im Kasten"})),
              HasSubstr("<w:pict><w:txbxContent><w:p><w:r><w:t xml:space=\"preserve\">im "
                        "Kasten</w:t></w:r></w:p></w:txbxContent></w:pict>"));
  // The box alone, in a paragraph that stays.
  const auto document = ReadForTest("docx", docx);
  const absl::StatusOr<std::string> written =
      document->Write(std::vector<std::optional<std::string>>{std::nullopt, "im Kasten"});
  EXPECT_THAT(BodyOf(*written), HasSubstr("<w:r><w:t>out </w:t></w:r>"));
  EXPECT_THAT(BodyOf(*written), HasSubstr("im Kasten"));
}

TEST(Docx, KeepsTextInStylesForCode) {
  const std::string docx = Word(
      "<w:p><w:pPr><w:pStyle w:val=\"SourceCode\"/></w:pPr><w:r><w:t>int x;</w:t></w:r></w:p>"
      "<w:p><w:r><w:t xml:space=\"preserve\">Call </w:t></w:r>"
      "<w:r><w:rPr><w:rStyle w:val=\"HTMLCode\"/></w:rPr><w:t>main</w:t></w:r>"
      "<w:r><w:rPr><w:rStyle w:val=\"HTMLCode\"/></w:rPr><w:t>()</w:t></w:r>"
      "<w:r><w:t xml:space=\"preserve\"> now</w:t></w:r></w:p>");
  EXPECT_THAT(TextsOf(*ReadForTest("docx", docx)), ElementsAre("Call <code 0>main()</code> now"));
  const std::string written =
      BodyOf(WithTranslations("docx", docx, {"<code 0>main()</code> rufen"}));
  EXPECT_THAT(written, HasSubstr("<w:t>int x;</w:t>"));
  EXPECT_THAT(written,
              HasSubstr("<w:p><w:r><w:rPr><w:rStyle w:val=\"HTMLCode\"/></w:rPr><w:t>main</w:t>"
                        "</w:r><w:r><w:rPr><w:rStyle w:val=\"HTMLCode\"/></w:rPr><w:t>()</w:t>"
                        "</w:r><w:r><w:t xml:space=\"preserve\"> rufen</w:t></w:r></w:p>"));
}

TEST(Docx, RefusesATranslationThatLostAThing) {
  const std::string docx = Word("<w:p><w:r><w:t>a</w:t><w:drawing/><w:t>b</w:t></w:r></w:p>");
  const auto document = ReadForTest("docx", docx);
  for (const char* lost : {"ab", "a<img 0><g1>b</g1>", "a<b>c</b><img 0>"}) {
    const auto written = document->Write(std::vector<std::optional<std::string>>{lost});
    EXPECT_EQ(written.status().code(), absl::StatusCode::kInvalidArgument) << lost;
    EXPECT_EQ(CheckTranslation(document->texts()[0], lost), written.status()) << lost;
  }
  // A repeated one is left out.
  EXPECT_EQ(BodyOf(WithTranslations("docx", docx, {"A<img 0><img 0>B"})),
            BodyOf(InCapitals("docx", docx)));
}

TEST(Archives, KeepEveryOtherMember) {
  const std::string docx = Word("<w:p><w:r><w:t>hello</w:t></w:r></w:p>");
  const std::string written = InCapitals("docx", docx);
  const absl::StatusOr<Archive> archive = Archive::Open(written);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_THAT(archive->names(),
              ElementsAre("[Content_Types].xml", "word/document.xml", "word/media/image.png"));
  EXPECT_EQ(*archive->Read("word/media/image.png", 100), "png");
  EXPECT_TRUE(written.starts_with(docx.substr(0, docx.find("word/document.xml") - 30)));
}

TEST(Archives, MembersThatOverlapAreRefused) {
  std::string docx = Word("<w:p/>");
  // The second record of the directory names the first member's place.
  const size_t first = docx.find("PK\x01\x02");
  const size_t second = docx.find("PK\x01\x02", first + 4);
  docx.replace(second + 42, 4, docx.substr(first + 42, 4));
  EXPECT_EQ(FaultOf("docx", docx), "two members of the archive overlap");
}

TEST(Archives, NameTheMemberThatIsWrong) {
  EXPECT_EQ(FaultOf("docx", "no archive"), "not a zip archive");
  EXPECT_EQ(FaultOf("docx", ZipOf({{"a", "b"}})),
            "the archive has no member word/document.xml, which this format needs");
  EXPECT_THAT(FaultOf("docx", Word("<w:p>")), HasSubstr("word/document.xml, line 1: not XML"));
  DocumentOptions options;
  options.max_bytes = 1000;
  const auto large = FindDocumentFormat("docx")->read(Word(std::string(1000, ' ')), options);
  EXPECT_TRUE(absl::IsResourceExhausted(large.status()));
  EXPECT_THAT(
      std::string(large.status().message()),
      HasSubstr("word/document.xml: 1129 bytes after decompression; 1000 of 1000 are left"));
  EXPECT_THAT(FaultOf("docx", Word("<w:p>")), HasSubstr("not XML"));
}

TEST(Xlsx, KeepsTheHeadingsOfTables) {
  const std::string strings =
      "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>Price</t>"
      "</si><si><t>A cell</t></si><si><r><t>Rich </t></r><r><rPr><b/></rPr><t>text</t></r></si>"
      "</sst>";
  const std::string xlsx = ZipOf(
      {{"xl/workbook.xml", "<a/>"},
       {"xl/sharedStrings.xml", strings},
       {"xl/tables/table1.xml",
        "<table xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><tableColumns>"
        "<tableColumn id=\"1\" name=\"Price\"/></tableColumns></table>"}});
  EXPECT_THAT(TextsOf(*ReadForTest("xlsx", xlsx)), ElementsAre("A cell", "Rich <g0>text</g0>"));
  const std::string written =
      *Archive::Open(InCapitals("xlsx", xlsx))->Read("xl/sharedStrings.xml", 1 << 20);
  EXPECT_THAT(written, HasSubstr("<si><t>Price</t></si><si><t>A CELL</t></si>"));
  EXPECT_THAT(written, HasSubstr("<r><rPr><b/></rPr><t xml:space=\"preserve\">TEXT</t></r></si>"));
}

TEST(Xlsx, TranslatesCommentsChartsAndTextBoxes) {
  const std::string drawing =
      "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><a:p><a:r><a:t>";
  const std::string xlsx = ZipOf(
      {{"xl/workbook.xml", "<workbook/>"},
       {"xl/comments1.xml",
        "<comments xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
        "<authors><author>me</author></authors><comment><text><t>a comment</t></text></comment>"
        "</comments>"},
       {"xl/charts/chart1.xml", absl::StrCat("<c ", drawing, "a title</a:t></a:r></a:p></c>")},
       {"xl/drawings/drawing1.xml", absl::StrCat("<d ", drawing, "a box</a:t></a:r></a:p></d>")}});
  EXPECT_THAT(TextsOf(*ReadForTest("xlsx", xlsx)), ElementsAre("a comment", "a title", "a box"));
  EXPECT_THAT(*Archive::Open(InCapitals("xlsx", xlsx))->Read("xl/comments1.xml", 1 << 20),
              HasSubstr("<author>me</author></authors><comment><text>"
                        "<t>A COMMENT</t></text>"));
}

TEST(OpenDocument, KeepsTheLayoutOfCode) {
  const std::string content =
      "<x xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><text:p>if it rains"
      "<text:line-break/><text:s text:c=\"4\"/>stay<text:s/> in</text:p></x>";
  const std::string odt = ZipOf({{"content.xml", content}});
  EXPECT_THAT(TextsOf(*ReadForTest("odt", odt)), ElementsAre("if it rains<br 0><br 1>stay in"));
  EXPECT_THAT(*Archive::Open(InCapitals("odt", odt))->Read("content.xml", 1 << 20),
              HasSubstr("IF IT RAINS<text:line-break/><text:s text:c=\"4\"/>STAY IN"));
}

TEST(OpenDocument, KeepsTextInStylesForCode) {
  const std::string content =
      "<x xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" "
      "xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\"><style:style "
      "style:name=\"T1\" style:parent-style-name=\"Source_20_Text\"/><text:p "
      "text:style-name=\"Preformatted_20_Text\">int x;</text:p><text:p>Call <text:span "
      "text:style-name=\"T1\">main<text:s/>()</text:span> now</text:p></x>";
  EXPECT_THAT(TextsOf(*ReadForTest("odt", ZipOf({{"content.xml", content}}))),
              ElementsAre("Call <code 0>main()</code> now"));
}

TEST(OpenDocument, KeepsSpansNotesAndNumbers) {
  const std::string content =
      "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" "
      "xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" "
      "xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\"><text:p><text:span "
      "text:style-name=\"T1\">all bold</text:span></text:p><text:p>one<text:s/>"
      "<text:span>two</text:span>\n  three<text:note><text:note-body><text:p>a note</text:p>"
      "</text:note-body></text:note> four</text:p><table:table-cell "
      "office:value-type=\"float\"><text:p>1,5 Mio.</text:p></table:table-cell>"
      "</office:document-content>";
  const std::string odt =
      ZipOf({{"mimetype", "application/vnd", kZipStored}, {"content.xml", content}});
  EXPECT_THAT(TextsOf(*ReadForTest("odt", odt)),
              ElementsAre("all bold", "one <g0>two</g0> three<img 1> four", "a note"));
  const std::string written = *Archive::Open(InCapitals("odt", odt))->Read("content.xml", 1 << 20);
  EXPECT_THAT(written, HasSubstr("\"T1\">ALL BOLD</text:span></text:p>"));
  EXPECT_THAT(written, HasSubstr("<text:p>ONE <text:span>TWO</text:span> THREE<text:note>"
                                 "<text:note-body><text:p>A NOTE</text:p></text:note-body>"
                                 "</text:note> FOUR</text:p>"));
}

TEST(Epub, TranslatesChaptersAndContents) {
  const std::string epub = ZipOf(
      {{"META-INF/container.xml", "<container/>"},
       {"toc.ncx",
        "<ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\"><text>one</text><x>no</x></ncx>"},
       {"a.xhtml",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"x.dtd\"><html "
        "xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>book</title><style>p {}</style></head>"
        "<body><p>a&nbsp;<b>bold</b> <code>x</code> word<br/>line</p><div>text<p>in</p>tail</div>"
        "</body></html>"}});
  EXPECT_THAT(TextsOf(*ReadForTest("epub", epub)),
              ElementsAre("one", "book", "a\u00A0<g0>bold</g0> <code 1>x</code> word<br 2>line",
                          "text", "in", "tail"));
  const std::string written = *Archive::Open(InCapitals("epub", epub))->Read("a.xhtml", 1 << 20);
  EXPECT_THAT(written, HasSubstr("<p>A\u00A0<b>BOLD</b> <code>x</code> WORD<br/>LINE</p><div>TEXT"
                                 "<p>IN</p>TAIL</div>"));
}

constexpr char kXliff[] =
    R"(<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a" source-language="en"><body>
    <trans-unit id="1">
      <source>Hello <g id="1">big</g> world<x id="2"/>!</source>
    </trans-unit>
    <trans-unit id="2"><source>Done</source><target>Fertig</target></trans-unit>
    <trans-unit id="3" translate="no"><source>No</source></trans-unit>
    <trans-unit id="4">
      <source>New</source><target state="new"/>
      <alt-trans><source>x</source><target>y</target></alt-trans>
    </trans-unit>
  </body></file>
</xliff>)";

TEST(Epub, KeepsCodeAsAWordOfItsSentence) {
  const std::string epub = ZipOf(
      {{"META-INF/container.xml", "<container/>"},
       {"a.xhtml",
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p><code>a &lt; b</code> is true, "
        "says <i translate=\"no\">Max</i></p><p><code>x</code></p></body></html>"}});
  EXPECT_THAT(TextsOf(*ReadForTest("epub", epub)),
              ElementsAre("<code 0>a &lt; b</code> is true, says <code 1>Max</code>"));
  EXPECT_THAT(*Archive::Open(WithTranslations("epub", epub,
                                              {"<code 1>Max</code> sagt: <code 0>a &lt; b</code>"}))
                   ->Read("a.xhtml", 1 << 20),
              HasSubstr("<p><i translate=\"no\">Max</i> sagt: <code>a &lt; b</code></p>"));
  EXPECT_THAT(*Archive::Open(InCapitals("epub", epub))->Read("a.xhtml", 1 << 20),
              HasSubstr("<p><code>a &lt; b</code> IS TRUE, SAYS <i translate=\"no\">Max</i></p>"));
}

TEST(Epub, ReadsAChapterThatIsNotWellFormedAsHtml) {
  const std::string epub =
      ZipOf({{"META-INF/container.xml", "<container/>"},
             {"a.xhtml",
              "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>one</s> <b>two</b><br>"
              "three &amp; four<p translate=\"no\">kept</p></body></html>"}});
  EXPECT_THAT(TextsOf(*ReadForTest("epub", epub)),
              ElementsAre("one", "<g0>two</g0><br 1>three &amp; four"));
  EXPECT_THAT(*Archive::Open(InCapitals("epub", epub))->Read("a.xhtml", 1 << 20),
              HasSubstr("<p>ONE</s> <b>TWO</b><br>THREE &amp; FOUR<p translate=\"no\">kept</p>"));
}

TEST(Xliff, WritesTargetsAndObeysStates) {
  DocumentOptions options;
  options.target_language = "de";
  EXPECT_EQ(InCapitals("xliff", kXliff, options),
            R"(<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a" source-language="en" target-language="de"><body>
    <trans-unit id="1">
      <source>Hello <g id="1">big</g> world<x id="2"/>!</source>
      <target state="needs-review-translation" state-qualifier="mt-suggestion">HELLO <g id="1">BIG</g> WORLD<x id="2"/>!</target>
    </trans-unit>
    <trans-unit id="2"><source>Done</source><target>Fertig</target></trans-unit>
    <trans-unit id="3" translate="no"><source>No</source></trans-unit>
    <trans-unit id="4">
      <source>New</source><target state="needs-review-translation" state-qualifier="mt-suggestion">NEW</target>
      <alt-trans><source>x</source><target>y</target></alt-trans>
    </trans-unit>
  </body></file>
</xliff>)");
  options.retranslate = true;
  EXPECT_THAT(InCapitals("xliff", kXliff, options), HasSubstr(">DONE</target>"));
}

TEST(Xliff, WritesVersion2) {
  DocumentOptions options;
  options.target_language = "de";
  EXPECT_EQ(
      InCapitals("xliff",
                 "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" version=\"2.0\" "
                 "srcLang=\"en\"><file id=\"f\"><unit id=\"u\"><segment><source>one <pc id=\"1\">"
                 "two</pc></source></segment><ignorable><source>x</source></ignorable><segment "
                 "state=\"final\"><source>a</source><target>b</target></segment></unit></file>"
                 "</xliff>",
                 options),
      "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\" version=\"2.0\" "
      "srcLang=\"en\" trgLang=\"de\"><file id=\"f\"><unit id=\"u\"><segment "
      "state=\"translated\"><source>one <pc id=\"1\">two</pc></source><target>ONE <pc id=\"1\">"
      "TWO</pc></target></segment><ignorable><source>x</source></ignorable><segment "
      "state=\"final\"><source>a</source><target>b</target></segment></unit></file></xliff>");
  EXPECT_EQ(FaultOf("xliff", "<tmx/>"), "the root element is not <xliff>");
}

TEST(Xliff, KeepsProtectedText) {
  EXPECT_THAT(
      TextsOf(*ReadForTest(
          "xliff",
          "<xliff><file><body><trans-unit id=\"1\"><source>Run <mrk mtype=\"protected\">git "
          "pull</mrk> now.</source></trans-unit><trans-unit id=\"2\"><source><mrk "
          "mtype=\"protected\">git pull</mrk></source></trans-unit></body></file></xliff>")),
      ElementsAre("Run <code 0>git pull</code> now."));
}

TEST(Xml, RefusesEntitiesAndDepth) {
  EXPECT_THAT(FaultOf("xliff", "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>"),
              HasSubstr("the entity \"a\" is declared"));
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "<a>";
  EXPECT_THAT(FaultOf("xliff", deep), HasSubstr("nested more than 1000 deep"));
}

}  // namespace
}  // namespace dragoman::engine
