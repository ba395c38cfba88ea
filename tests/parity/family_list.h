// The supported model families and formats, each with a small model: README.md's table.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace dragoman::parity {

inline constexpr char kModels[] = DRAGOMAN_SOURCE_DIR "/tests/data/models/";

struct Family {
  const char* name;                 // in the table
  std::vector<const char*> models;  // several models: an ensemble
  const char* source = "";
  const char* target = "";
  // If the tokenizer differs: a text of the model's tokenizer_config.json and its replacement.
  const char* replaced = "";
  const char* replacement = "";
  bool is_trained = false;  // otherwise its weights are random
};

inline std::vector<Family> AllFamilies() {
  return {
      {"MarianMT (OPUS-MT)", {"tiny-a"}},
      {"MarianMT, two vocabularies", {"tiny-b"}},
      {"MarianMT, several targets", {"tiny-multi"}, "", "fr"},
      {"M2M-100", {"tiny-m2m"}, "de", "en"},
      {"SMaLL-100", {"tiny-m2m"}, "de", "en", "M2M100Tokenizer", "SMALL100Tokenizer"},
      {"NLLB-200", {"tiny-nllb"}, "de", "en"},
      {"NLLB-200, legacy_behaviour",
       {"tiny-nllb"},
       "de",
       "en",
       R"("legacy_behaviour": false)",
       R"("legacy_behaviour": true)"},
      {"mBART-50", {"tiny-mbart"}, "de", "en"},
      {"mBART-25", {"tiny-mbart25"}, "de", "en"},
      {"BART", {"tiny-bart"}},
      {"Pegasus", {"tiny-pegasus"}},
      {"FSMT", {"tiny-fsmt"}, "de", "en"},
      {"T5", {"tiny-t5"}, "en", "de"},
      {"FLAN-T5", {"tiny-flan"}},
      {"mT5", {"tiny-mt5"}},
      {"UMT5", {"tiny-umt5"}},
      {"MADLAD-400", {"tiny-madlad"}, "", "de"},
      {"CTranslate2: OPUS-MT", {"ct2-tiny-a-int8"}},
      {"CTranslate2: NLLB-200", {"ct2-tiny-nllb-int8"}, "de", "en"},
      {"CTranslate2: NLLB-200, tokenizer.json", {"ct2-tiny-nllb-json-int8"}, "de", "en"},
      {"CTranslate2: mBART-25", {"ct2-tiny-mbart25-int8"}, "de", "en"},
      {"CTranslate2: BART", {"ct2-tiny-bart-float32"}},
      {"CTranslate2: T5", {"ct2-tiny-t5-float32"}},
      {"Argos package (OpenNMT-py)", {"argos-de-en.argosmodel"}},
      {"Marian .npz", {"marian-npz"}},
      {"Marian .bin", {"marian-bin"}},
      {"Firefox student (SSRU)", {"marian-firefox"}},
      {"ensemble of three", {"tiny-a", "tiny-a2", "tiny-a3"}},
  };
}

inline void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

// Returns the name of a suite's parameter.
inline std::string FamilyName(const ::testing::TestParamInfo<Family>& info) {
  std::string name = info.param.name;
  const auto is_mark = [](char c) {
    return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z');
  };
  std::replace_if(name.begin(), name.end(), is_mark, '_');
  return name;
}

}  // namespace dragoman::parity
