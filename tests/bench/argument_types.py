"""Types of command-line arguments that are numbers, for argparse."""

import argparse


def positive(word):
    number = float(word)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{word}, expected a number above 0")
    return number


def count(word):
    return at_least(1, word)


def natural(word):
    return at_least(0, word)


def at_least(least, word):
    number = int(word)
    if number < least:
        raise argparse.ArgumentTypeError(f"{word}, expected {least} or more")
    return number
