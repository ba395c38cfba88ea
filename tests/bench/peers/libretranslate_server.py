"""LibreTranslate's server with the packages in ARGOS_PACKAGES_DIR; the arguments are its own. Runs in LibreTranslate's environment.

Two things would be downloaded, and are left out: its catalogue of models, and the model by which it splits a text into
sentences. Every text is one sentence here: nothing is spent on splitting, its best case.
"""
import argostranslate.sbd
import libretranslate.init
from libretranslate.main import main

argostranslate.sbd.MiniSBDSentencizer.split_sentences = lambda self, text: [text]
libretranslate.init.boot = lambda *arguments: None

if __name__ == "__main__":
    main()
