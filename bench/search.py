# SPDX-License-Identifier: MIT
"""The highest rate at which nothing is lost, found by search.

A search is a generator: it yields (rate, seconds) to try and is sent True when the pace was kept
and nothing was lost. So two searches can take turns, and a neighbour's load falls on both.
"""

TRY_SECONDS = 1
PROOF_SECONDS = 5
STEP = 1.04  # the search ends when it knows the rate this well
TRIES = 3  # machines have other things to do


def attempt(rate, seconds):
    """True when a try succeeds; a failure counts when it happens TRIES times."""
    for _ in range(TRIES):
        if (yield rate, seconds):
            return True
    return False


def highest_rate(ceiling):
    """Returns the highest proven rate, 0 when none is; never more than `ceiling`."""
    low, high = ceiling / 32, ceiling
    while high / low > STEP:
        middle = (low * high) ** 0.5
        if (yield from attempt(middle, TRY_SECONDS)):
            low = middle
        else:
            high = middle
    return (yield from prove(low, ceiling / 64))


def prove(rate, least):
    """Lowers the rate, faster and faster, until it is kept for PROOF_SECONDS."""
    step = STEP
    while rate > least and not (yield from attempt(rate, PROOF_SECONDS)):
        rate /= step
        step *= STEP
    return rate if rate > least else 0


def take_turns(searches, probe):
    """Runs searches {name: generator} in turn with probe(name, rate, seconds); {name: result}."""
    results = {}
    answers = dict.fromkeys(searches)
    while searches:
        for name, search in list(searches.items()):
            try:
                answers[name] = probe(name, *search.send(answers[name]))
            except StopIteration as end:
                results[name] = end.value
                del searches[name]
    return results
