#!/usr/bin/env python3
"""Writes tokens.json: random HTML and its tokens as html5lib 1.1 cuts it, an implementation of the
HTML standard that has nothing to do with ours. pip install html5lib==1.1; run in this folder.

Left out are NUL and CR, which html5lib replaces before it reads, and script inside svg or math."""

import json
import random

import html5lib
from html5lib._tokenizer import HTMLTokenizer
from html5lib.constants import tokenTypes

assert html5lib.__version__ == "1.1"

RAW = {"script": "scriptDataState", "style": "rawtextState", "xmp": "rawtextState",
       "iframe": "rawtextState", "noembed": "rawtextState", "noframes": "rawtextState",
       "title": "rcdataState", "textarea": "rcdataState", "plaintext": "plaintextState"}

PARTS = ["<", ">", "/", "</", "<!", "<!--", "-->", "--!>", "--", "-", "!", "?", "<?", "=", '"', "'",
         "&", ";", "&amp", "&lt;", "&notit;", "&notin;", "&#", "&#x", "&#65;", "&#x41", "&#128;",
         "&#55296;", "&#1114112;", "&#99999999999999999999;", "&#0;", "&ngE;", "&copy2", "&AMP", "&Eacute",
         "&CounterClockwiseContourIntegral;", "&CounterClockwiseContourIntegrals;", "&bogus;",
         " ", "\n", "\t", "\f", "a", "b", "B", "x1", "é", "漢",
         "<b>", "</b>", "<p>", "</p>", "<br/>", "<a href=", "<a href=\"x>y\">", "<i class='n'>",
         "<img src=x/>", "<x-y z/>", "<b/ >", "<b a=1 a=2>", "</b a=1>", "<script>", "</script>",
         "</SCRIPT >", "<script", "</script/", "<style>", "</style>", "<title>", "</title>", "</titlex>",
         "<textarea>", "</textarea>", "<plaintext>", "<xmp>", "</xmp>", "<iframe>", "</iframe>",
         "<!doctype html>", "<!DOCTYPE html PUBLIC \"a>b\">", "<![CDATA[x]]>", "<?xml v?>", "</>", "</ a>",
         "<a translate=no>", "<a TRANSLATE='No'>", "<a class=\"x notranslate y\">", "<a class=notranslates>",
         "<a class=a class=notranslate>", "<a translate=yes>"]


def tokens_of(html):
    tokens = []
    tokenizer = HTMLTokenizer(html)

    def text(data):
        if tokens and tokens[-1][0] == "text":
            tokens[-1][1] += data
        else:
            tokens.append(["text", data])

    for token in tokenizer:
        kind = token["type"]
        if kind in (tokenTypes["Characters"], tokenTypes["SpaceCharacters"]):
            text(token["data"])
        elif kind in (tokenTypes["StartTag"], tokenTypes["EmptyTag"]):
            # html5lib gives {} or a list of pairs, depending on the state; first attributes win.
            attributes = {}
            for name, value in (token["data"].items() if isinstance(token["data"], dict)
                                else token["data"]):
                attributes.setdefault(name, value)
            no = (attributes.get("translate", "").lower() == "no" or
                  "notranslate" in attributes.get("class", "").split())
            tokens.append(["start", token["name"], bool(token["selfClosing"]), no])
            if token["name"] in RAW:
                tokenizer.state = getattr(tokenizer, RAW[token["name"]])
                # What rawtext, rcdata and script data compare end tags with.
                tokenizer.currentToken = {"type": tokenTypes["StartTag"], "name": token["name"],
                                          "data": [], "selfClosing": False}
        elif kind == tokenTypes["EndTag"]:
            tokens.append(["end", token["name"]])
        elif kind in (tokenTypes["Comment"], tokenTypes["Doctype"]):
            tokens.append(["comment"])
    return tokens


def main():
    rng = random.Random(5)
    cases = []
    while len(cases) < 500:
        html = "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 14)))
        cases.append([html, tokens_of(html)])
    with open("tokens.json", "w", encoding="ascii") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")


main()
