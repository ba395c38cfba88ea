#include "engine/text/capitals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dragoman::engine {
namespace {

TEST(Capitals, AreTenLettersInTwoWordsAndNoLowerCase) {
  for (const char* text : {"BREAKING NEWS", "DER HUND SCHLÄFT.", "ЭТО НОВАЯ КНИГА!",
                           "ΤΟ ΝΕΟ ΒΙΒΛΙΟ", "50% OFF ALL BOOKS", "O'NEILL WON AGAIN",
                           "1º LUGAR NO CAMPEONATO", "UNESCO-INTERNATIONAL"}) {
    EXPECT_TRUE(IsInCapitals(text, {})) << text;
  }
  for (const char* text :
       {"", "IBM PC", "A B C D E F G H I J K L", "BREAKING News", "12 345 678 90", "你好 世界",
        "我们 IBM 和 MICROSOFT 合作", "ABCDEFGHIJKL"}) {
    EXPECT_FALSE(IsInCapitals(text, {})) << text;
  }
}

TEST(Capitals, KeptTextDoesNotCountAndStays) {
  const std::string text = "OPEN {name} IN THE EDITOR NOW";
  const std::vector<TextRange> kept = {{5, 11}};
  EXPECT_FALSE(IsInCapitals(text, {}));
  EXPECT_TRUE(IsInCapitals(text, kept));
  EXPECT_EQ(LowerCapitals(text, kept), "Open {name} in the editor now");
  std::string back = "Abra {name} no editor";
  PutInCapitals(kept, &back);
  EXPECT_EQ(back, "ABRA {name} NO EDITOR");
}

TEST(Capitals, EveryPositionStays) {
  for (const std::string text :
       {"ÀÉÎ ÕÜ \u0130 \u1E9E \u0178 \u03A3 \u0416 \u01C4 \U00010400", "\xff\xfe"}) {
    const std::string lowered = LowerCapitals(text, {});
    EXPECT_EQ(lowered.size(), text.size());
    std::string back = lowered;
    PutInCapitals({}, &back);
    EXPECT_EQ(back.size(), text.size());
  }
  EXPECT_EQ(LowerCapitals("«ÉTÉ À ÅS»", {}), "«Été à ås»");
  std::string street = "straße und Ärger";
  PutInCapitals({}, &street);
  EXPECT_EQ(street, "STRAßE UND ÄRGER");
}

TEST(Capitals, ADotlessIIsKnownByItsLanguage) {
  for (const char* language : {"tr", "tr-TR", "az_Latn", "tur_Latn"})
    EXPECT_TRUE(HasDotlessI(language));
  for (const char* language : {"", "de", "trv", "en"}) EXPECT_FALSE(HasDotlessI(language));
}

}  // namespace
}  // namespace dragoman::engine
