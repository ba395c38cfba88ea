// What config.json says of a network of BART's kind (bart_network.h): shape, activation, scale and
// sharing of the embeddings.
//
// Pure functions; any thread.
#pragma once

#include "engine/model/families/family.h"

namespace dragoman {

// Family::read_shape of MarianMT, M2M-100, mBART, BART and Pegasus.
void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The same without what ties embeddings, by other names of the sizes of the vocabularies. Without
// the target's it is the source's.
struct VocabularyFields {
  std::string_view source;
  std::string_view target;
};
void ReadBartNetwork(const Family& family, const VocabularyFields& names, JsonFields* fields,
                     ModelSpec* spec);

}  // namespace dragoman
