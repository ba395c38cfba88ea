// Reads the fields of config.json that describe a network of BART's kind (bart_network.h): shape,
// activation, scale and sharing of the embeddings.
//
// Pure functions; any thread.
#pragma once

#include "engine/model/families/family.h"

namespace dragoman {

// Family::read_shape of MarianMT, M2M-100, mBART, BART and Pegasus.
void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The same without the fields that tie embeddings, with other names for the fields of the
// vocabularies' sizes. Where the target's field is absent the source's size is used.
struct VocabularyFields {
  std::string_view source;
  std::string_view target;
};
void ReadBartNetwork(const Family& family, const VocabularyFields& names, JsonFields* fields,
                     ModelSpec* spec);

}  // namespace dragoman
