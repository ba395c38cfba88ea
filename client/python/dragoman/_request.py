"""Makes a TranslateRequest from keyword arguments.

The keywords are made from the messages' descriptors, so that every field has one. The keyword of a field of
TranslateRequest, DecodingOptions or Segmentation is the field's name. In a group of DecodingOptions, the group's name
precedes it: `pruning_relative`. For ReturnOptions, `return_` precedes it. SPECIAL lists the exceptions.
"""

from __future__ import annotations

import difflib
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from google.protobuf.descriptor import FieldDescriptor

from .v1 import translation_pb2 as pb
from .v1.translation_pb2 import RequiredPhrase, Term

PLAIN_GROUPS = ("decoding", "segmentation")
PREFIXES = {"return_options": "return_", "glossary_config": "glossary_"}
FORMATS = {"html": "text/html", "markdown": "text/markdown"}
# Fields that have a keyword with another name (html=True), a parameter of its own (to=), or no keyword.
SPECIAL = {
    "contents",
    "mime_type",
    "source_language_code",
    "target_language_code",
    "parent",
    "return_options.partials",
}


class RequestOptions(TypedDict, total=False):
    """The keywords of a request that are not decoding options."""

    model: str
    html: bool
    markdown: bool
    glossary: str
    glossary_ignore_case: bool
    terms: Union[Mapping[str, str], Sequence[Term]]
    do_not_translate: Sequence[str]
    preserve: bool
    recase: bool
    guard: Literal["warn", "retry", "off"]
    target_prefixes: Sequence[str]
    labels: Mapping[str, str]
    request_id: str
    priority: Literal["interactive", "normal", "bulk"]
    split: Literal["none", "sentences", "lines"]
    on_too_long: Literal["reject", "split"]
    return_scores: bool
    return_tokens: bool
    return_token_scores: bool
    return_alignment: bool
    return_timings: bool


class ScoreOptions(TypedDict, total=False):
    """The keywords of a request for scores."""

    model: str
    labels: Mapping[str, str]
    request_id: str
    priority: Literal["interactive", "normal", "bulk"]
    profile: Literal["hf", "ct2", "marian", "paper", "article"]
    penalty: Literal["power", "gnmt"]
    length_penalty: float
    return_tokens: bool


# The field of a keyword: the names of the messages that contain it, from the outermost, and the field itself.
Place = Tuple[Tuple[str, ...], FieldDescriptor]


def is_repeated(field: FieldDescriptor) -> bool:
    # protobuf 6.31 has the property and warns if `label` is read. Older versions only have `label`.
    known: Any = field
    return bool(known.is_repeated if hasattr(known, "is_repeated") else known.label == known.LABEL_REPEATED)


def is_group(field: FieldDescriptor) -> bool:
    return field.message_type is not None and not is_repeated(field)


def keyword_of(groups: Tuple[str, ...], name: str) -> str:
    if groups and groups[0] in PLAIN_GROUPS:
        groups = groups[1:]
    if groups and groups[0] in PREFIXES:
        prefix = PREFIXES[groups[0]]
        return name if prefix == name + "_" else prefix + name
    return "_".join((*groups, name))


def find_places(descriptor: Any, groups: Tuple[str, ...] = ()) -> Dict[str, Place]:
    places: Dict[str, Place] = {}
    for field in descriptor.fields:
        path = ".".join((*groups, field.name))
        if path in SPECIAL:
            continue
        if is_group(field):
            # `sampling` is a keyword too, because the presence of the empty message already requests sampling.
            if field.name == "sampling":
                places[keyword_of(groups, field.name)] = (groups, field)
            places.update(find_places(field.message_type, (*groups, field.name)))
        else:
            places[keyword_of(groups, field.name)] = (groups, field)
    return places


PLACES: Dict[str, Place] = find_places(pb.TranslateRequest.DESCRIPTOR)


def make_request(
    texts: Iterable[str], to: Optional[str], from_: Optional[str], options: Mapping[str, Any]
) -> pb.TranslateRequest:
    """Returns the request. An option whose value is None counts as not given.

    Raises TypeError for an unknown keyword or a value of a wrong type, and ValueError for a value that the field cannot
    have. The server checks ranges and names the field in its error.
    """
    request = pb.TranslateRequest()
    request.contents.extend(checked_text(text, "the text") for text in texts)
    if to:
        request.target_language_code = to
    if from_:
        request.source_language_code = from_
    if all(options.get(keyword) for keyword in FORMATS):
        raise ValueError("html=True and markdown=True do not go together")
    for keyword, value in options.items():
        if value is None:
            continue
        if keyword in FORMATS:
            if value:
                request.mime_type = FORMATS[keyword]
        elif keyword in PLACES:
            set_field(request, keyword, value)
        else:
            raise TypeError(unknown(keyword))
    if options.get("sampling") is not True:
        for keyword in ("sampling_top_k", "sampling_top_p", "sampling_seed"):
            if options.get(keyword) is not None:
                raise ValueError(f"{keyword} needs sampling=True")
    return request


def unknown(keyword: str) -> str:
    near = difflib.get_close_matches(keyword, [*FORMATS, *PLACES], 1)
    return f"unknown option '{keyword}'" + (f", did you mean '{near[0]}'?" if near else "")


def checked_text(text: Any, what: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} is of type {type(text).__name__}, expected str")
    return text


def set_field(request: Union[pb.TranslateRequest, pb.ScoreRequest], keyword: str, value: Any) -> None:
    groups, field = PLACES[keyword]
    message: Any = request
    for group in groups:
        message = getattr(message, group)
    try:
        if keyword == "terms":
            message.terms.extend(terms_of(value))
        elif keyword == "required_phrases":
            message.required_phrases.extend(phrases_of(value))
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            getattr(message, field.name).update(value)
        elif is_repeated(field):
            getattr(message, field.name).extend(list_of(value))
        elif is_group(field):
            if checked_bool(value):
                getattr(message, field.name).SetInParent()
        elif field.enum_type is not None:
            setattr(message, field.name, choice_of(field.enum_type, value))
        elif field.type == FieldDescriptor.TYPE_BOOL:
            setattr(message, field.name, checked_bool(value))
        elif isinstance(value, bool):
            raise TypeError("expected a number or a text, found a bool")
        else:
            setattr(message, field.name, value)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{keyword}: {error}") from None


def checked_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"found {value!r}, expected True or False")
    return value


def list_of(value: Any) -> List[Any]:
    # A str is a sequence of str too, so passing a text instead of a list would go unnoticed.
    if isinstance(value, (str, bytes)):
        raise TypeError(f"found the text {value!r}, expected a list")
    return list(value)


def choice_of(enum: Any, value: Any) -> int:
    names: Dict[str, int] = {number.name.lower(): number.number for number in enum.values if number.number != 0}
    if not isinstance(value, str) or value.lower() not in names:
        raise ValueError(f"found {value!r}, expected one of {', '.join(names)}")
    return names[value.lower()]


def terms_of(value: Any) -> List[Term]:
    if isinstance(value, Mapping):
        return [Term(source=source, target=target) for source, target in value.items()]
    return list_of(value)


def phrases_of(value: Any) -> List[RequiredPhrase]:
    return [RequiredPhrase(text=phrase) if isinstance(phrase, str) else phrase for phrase in list_of(value)]
