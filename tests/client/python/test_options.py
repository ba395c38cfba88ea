"""Keyword arguments: every field of the contract has one, and every value arrives."""

import typing
import unittest

import dragoman
import generate_module
from dragoman import _request
from dragoman.v1 import translation_pb2 as pb
from google.protobuf import text_format

# A keyword with a value, and the field that it makes.
CASES = [
    ({"model": "m"}, "model: 'm'"),
    ({"html": True}, "mime_type: 'text/html'"),
    ({"markdown": True}, "mime_type: 'text/markdown'"),
    ({"glossary": "names"}, "glossary_config { glossary: 'names' }"),
    ({"glossary_ignore_case": True}, "glossary_config { ignore_case: true }"),
    ({"labels": {"job": "7"}}, "labels { key: 'job' value: '7' }"),
    ({"request_id": "r"}, "request_id: 'r'"),
    ({"do_not_translate": ["a", "b"]}, "do_not_translate: 'a' do_not_translate: 'b'"),
    ({"preserve": False}, "preserve: false"),
    ({"recase": False}, "recase: false"),
    ({"guard": "retry"}, "guard: RETRY"),
    ({"terms": {"Hund": "hound"}}, "terms { source: 'Hund' target: 'hound' }"),
    (
        {"terms": [dragoman.Term(source="Hund", target="hound", ignore_case=True)]},
        "terms { source: 'Hund' target: 'hound' ignore_case: true }",
    ),
    ({"target_prefixes": ["x", ""]}, "target_prefixes: 'x' target_prefixes: ''"),
    ({"priority": "bulk"}, "priority: BULK"),
    ({"split": "none"}, "segmentation { split: NONE }"),
    ({"on_too_long": "reject"}, "segmentation { on_too_long: REJECT }"),
    ({"return_scores": True}, "return_options { scores: true }"),
    ({"return_tokens": True}, "return_options { tokens: true }"),
    ({"return_token_scores": True}, "return_options { token_scores: true }"),
    ({"return_alignment": True}, "return_options { alignment: true }"),
    ({"return_timings": True}, "return_options { timings: true }"),
    ({"profile": "ct2"}, "decoding { profile: CT2 }"),
    ({"beam_size": 12}, "decoding { beam_size: 12 }"),
    ({"num_alternatives": 3}, "decoding { num_alternatives: 3 }"),
    ({"length_penalty": 0.5}, "decoding { length_penalty: 0.5 }"),
    ({"penalty": "gnmt"}, "decoding { penalty: GNMT }"),
    ({"finalisation": "on_beam"}, "decoding { finalisation: ON_BEAM }"),
    ({"stop_rule": "FIRST_K"}, "decoding { stop_rule: FIRST_K }"),
    ({"patience": 2}, "decoding { patience: 2 }"),
    ({"forced_eos": "none"}, "decoding { forced_eos: NONE }"),
    ({"max_output_tokens": 50}, "decoding { max_output_tokens: 50 }"),
    ({"max_length_ratio": 4}, "decoding { max_length_ratio: 4 }"),
    ({"max_length_extra": 0}, "decoding { max_length_extra: 0 }"),
    ({"min_output_tokens": 0}, "decoding { min_output_tokens: 0 }"),
    ({"no_repeat_ngram": 3}, "decoding { no_repeat_ngram: 3 }"),
    ({"repetition_penalty": 1.5}, "decoding { repetition_penalty: 1.5 }"),
    ({"pruning_absolute_delta": 0}, "decoding { pruning { absolute_delta: 0 } }"),
    ({"pruning_relative": 0.5}, "decoding { pruning { relative: 0.5 } }"),
    ({"pruning_max_candidates": 5}, "decoding { pruning { max_candidates: 5 } }"),
    (
        {"required_phrases": ["a b", dragoman.RequiredPhrase(text="end.", at_end=True)]},
        "decoding { required_phrases { text: 'a b' } required_phrases { text: 'end.' at_end: true } }",
    ),
    ({"forbidden_phrases": ["x", "y"]}, "decoding { forbidden_phrases: 'x' forbidden_phrases: 'y' }"),
    ({"constraint_prune": 5}, "decoding { constraint_prune: 5 }"),
    ({"constraint_allocation": "banks"}, "decoding { constraint_allocation: BANKS }"),
    ({"term_placement": "aligned"}, "decoding { term_placement: ALIGNED }"),
    ({"alignment_layer": 0}, "decoding { alignment_layer: 0 }"),
    ({"alignment_heads": [4, 0]}, "decoding { alignment_heads: 4 alignment_heads: 0 }"),
    ({"eos_penalty": 0.5}, "decoding { eos_penalty: 0.5 }"),
    ({"temperature": 0.5}, "decoding { temperature: 0.5 }"),
    ({"sampling": True}, "decoding { sampling { } }"),
    ({"sampling": True, "sampling_top_k": 8}, "decoding { sampling { top_k: 8 } }"),
    ({"sampling": True, "sampling_top_p": 0.5}, "decoding { sampling { top_p: 0.5 } }"),
    ({"sampling": True, "sampling_seed": 2**64 - 1}, "decoding { sampling { seed: 18446744073709551615 } }"),
]


def request_of(**options):
    return _request.make_request([], None, None, options)


def leaves(descriptor, prefix=""):
    """The paths of all fields that are not groups of others."""
    for field in descriptor.fields:
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.message_type is not None and not is_map:
            yield from leaves(field.message_type, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


def set_leaves(message, prefix=""):
    """The paths of those that are set."""
    for field, value in message.ListFields():
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.message_type is None or is_map:
            yield prefix + field.name
        else:
            for part in value if _request.is_repeated(field) else [value]:
                yield from set_leaves(part, f"{prefix}{field.name}.")


class Options(unittest.TestCase):
    def test_every_keyword_makes_its_field(self):
        for options, expected in CASES:
            with self.subTest(options):
                self.assertEqual(request_of(**options), text_format.Parse(expected, pb.TranslateRequest()))

    def test_no_field_is_out_of_reach(self):
        missing = set(leaves(pb.TranslateRequest.DESCRIPTOR))
        for options, _ in CASES:
            missing -= set(set_leaves(request_of(**options)))
        missing -= set(set_leaves(_request.make_request(["text"], "en", "de", {})))
        # stream() sets the first by an argument of its own; the second is there for Google's clients and ignored.
        self.assertEqual(missing, {"return_options.partials", "parent"})

    def test_every_keyword_has_a_type_and_every_type_a_keyword(self):
        known = {*_request.FORMATS, *_request.PLACES}
        self.assertEqual(set(dragoman.Options.__annotations__), known)
        self.assertEqual({keyword for options, _ in CASES for keyword in options}, known)

    def test_the_types_are_those_of_the_fields(self):
        hints = typing.get_type_hints(dragoman.Options)
        for keyword, (_, field) in _request.PLACES.items():
            with self.subTest(keyword):
                if field.enum_type is not None:
                    names = {value.name.lower() for value in field.enum_type.values if value.number != 0}
                    self.assertEqual(set(typing.get_args(hints[keyword])), names)
                elif field.message_type is None and not _request.is_repeated(field):
                    python = {"bool": bool, "float": float, "string": str}
                    kind = {field.TYPE_BOOL: "bool", field.TYPE_FLOAT: "float", field.TYPE_STRING: "string"}
                    self.assertIs(hints[keyword], python.get(kind.get(field.type), int))

    def test_the_table_of_options_has_every_field_of_decoding_options(self):
        rows = {row["keyword"] for row in generate_module.read_table()}
        fields = {keyword for keyword, (groups, _) in _request.PLACES.items() if groups[:1] == ("decoding",)}
        self.assertEqual(rows, fields)
        for row in generate_module.read_table():
            self.assertIn(row["help"].strip()[:40], dragoman.Options.__doc__)

    def test_none_leaves_an_option_to_the_server(self):
        nothing = {keyword: None for keyword in dragoman.Options.__annotations__}
        self.assertEqual(request_of(**nothing), pb.TranslateRequest())

    def test_wrong_values_are_refused_by_the_keyword(self):
        for options, kind, message in [
            ({"beam_sise": 4}, TypeError, "unknown option 'beam_sise', did you mean 'beam_size'?"),
            ({"zzz": 4}, TypeError, "unknown option 'zzz'"),
            ({"profile": "gpt"}, ValueError, "profile: found 'gpt', expected one of hf, ct2, marian, paper, article"),
            ({"profile": "profile_unspecified"}, ValueError, "profile: found 'profile_unspecified', expected one of"),
            ({"beam_size": "4"}, TypeError, "beam_size: "),
            ({"beam_size": True}, TypeError, "beam_size: expected a number"),
            ({"beam_size": 2**40}, ValueError, "beam_size: "),
            ({"return_scores": 1}, TypeError, "return_scores: found 1, expected True or False"),
            ({"forbidden_phrases": "abc"}, TypeError, "forbidden_phrases: found the text 'abc', expected a list"),
            ({"required_phrases": "abc"}, TypeError, "required_phrases: found the text 'abc', expected a list"),
            ({"sampling_top_k": 3}, ValueError, "sampling_top_k needs sampling=True"),
            ({"sampling_seed": 3, "sampling": False}, ValueError, "sampling_seed needs sampling=True"),
        ]:
            with self.subTest(options), self.assertRaises(kind) as raised:
                request_of(**options)
            self.assertTrue(str(raised.exception).startswith(message), raised.exception)

    def test_texts_have_to_be_texts(self):
        with self.assertRaisesRegex(TypeError, "the text is of type bytes, expected str"):
            _request.make_request([b"x"], None, None, {})


class Results(unittest.TestCase):
    def test_every_field_of_a_translation_can_be_read(self):
        renamed = {"translated_text": "text", "detected_language_code": "detected_language"}
        for field in pb.Translation.DESCRIPTOR.fields:
            self.assertTrue(hasattr(dragoman.Translation, renamed.get(field.name, field.name)), field.name)
        for field in pb.StreamTranslateResponse.DESCRIPTOR.fields:
            # A text's error is that of its translation.
            self.assertTrue(field.name == "error" or hasattr(dragoman.Update, field.name), field.name)

    def test_a_failed_text_raises_when_it_is_read(self):
        failed = pb.Translation(index=1)
        failed.error.code = 3
        failed.error.message = "too long"
        translation = dragoman.Translation(failed)
        self.assertIsInstance(translation.error, dragoman.InvalidArgument)
        with self.assertRaises(dragoman.InvalidArgument):
            translation.text
        with self.assertRaises(dragoman.InvalidArgument):
            str(translation)
        self.assertEqual(repr(translation), "<Translation failed: INVALID_ARGUMENT: too long>")


if __name__ == "__main__":
    unittest.main()
