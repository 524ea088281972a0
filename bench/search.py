# SPDX-License-Identifier: MIT
"""Searches the highest rate at which nothing is lost.

A search is a generator: it yields (rate, seconds) to try and is sent True if the pace was kept and
nothing was lost. So two searches can run in turn, and other load of the machine affects both.
"""

TRY_SECONDS = 1
PROOF_SECONDS = 2
STEP = 1.12  # the precision at which the search ends
TRIES = 2  # a try may fail because of other load


def attempt(rate, seconds):
    """True if one of TRIES tries succeeds."""
    for _ in range(TRIES):
        if (yield rate, seconds):
            return True
    return False


def highest_rate(ceiling):
    """Returns the highest proven rate, at most `ceiling`; 0 if none is proven."""
    low, high = ceiling / 16, ceiling
    while high / low > STEP:
        middle = (low * high) ** 0.5
        if (yield from attempt(middle, TRY_SECONDS)):
            low = middle
        else:
            high = middle
    return (yield from prove(low, ceiling / 64))


def prove(rate, least):
    """Lowers the rate, in growing steps, until it is kept for PROOF_SECONDS."""
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
