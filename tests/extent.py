"""How many combinations the tests try. `make test` tries a share of those that prove the same thing, such that each compiler and
each build is among them; with CAIRN_TEST_ALL in the environment, as `make test-all` sets it, all are tried.
"""
import os

ALL = bool(os.environ.get("CAIRN_TEST_ALL"))


def share(items, number, of):
    """Returns every item at a distance of `of`, from the one with this number on."""
    items = list(items)
    return items if ALL else items[number % of::of]


def size(whole, short):
    """Returns the first number if everything is tried, otherwise the second."""
    return whole if ALL else short
