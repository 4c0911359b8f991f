"""Which known name is probably meant by a name that does not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Set

from .habits import find_our_name, fold_name, read_habits, split_words

SIMILARITY_MIN = 0.8
"""The minimum similarity of a suggested name, by difflib."""
LOW_SIMILARITY_MIN = 0.5
"""The minimum similarity where several names are suggested, of which one may be meant."""
CLOSE_NAMES_MAX = 3
NEAREST_NAMES_MAX = 5
"""The maximum number of names that are suggested by their spelling, and of all suggested names."""
NAME_LENGTH_MAX = 60
"""The characters of a wrong name that are compared."""
FILLERS = ("all", "an", "by", "for", "of", "the", "to")
"""Words of a name that tell nothing."""


def find_nearest_name(
    name: str, known: Iterable[str], similarity_min: float = SIMILARITY_MIN
) -> str | None:
    """The known name most similar to a name, ignoring case and underscores; None if none is.

    With a `similarity_min` of 1 only the same name is found. Below it, a name of the same letters
    in another order is found too, since two swapped letters put a short name below the minimum.

    >>> find_nearest_name("exchangeRate", ["exchange_rate", "total_fee"])
    'exchange_rate'
    """
    from difflib import get_close_matches  # only for a wrong name

    # Of two names that differ in case, such as wallet and WALLET, the one in the case of the guess.
    known_names = sorted(known, key=lambda known: (known.isupper() == name.isupper(), known))
    name_by_folded = {fold_name(known_name): known_name for known_name in known_names}
    folded_name = fold_name(name)
    folded_matches = get_close_matches(folded_name, name_by_folded, 1, similarity_min)
    if not folded_matches and similarity_min < 1:
        letters = sorted(folded_name)
        folded_matches = [
            folded_candidate
            for folded_candidate in name_by_folded
            if sorted(folded_candidate) == letters
        ]
    return name_by_folded[folded_matches[0]] if folded_matches else None


def find_nearest_names(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Find up to `NEAREST_NAMES_MAX` names near to a wrong one: by spelling, then a shared word."""
    from difflib import get_close_matches  # only for a wrong name

    compared_name = name[:NAME_LENGTH_MAX]
    close_names = get_close_matches(
        compared_name, known, n=CLOSE_NAMES_MAX, cutoff=LOW_SIMILARITY_MIN
    )
    name_words = {*name.lower().split("_")}
    names_with_word = [known_name for known_name in known if name_words & {*known_name.split("_")}]
    unique_names = dict.fromkeys([*close_names, *names_with_word])
    return tuple(unique_names)[:NEAREST_NAMES_MAX]


def find_suggestion(name: str, known: Iterable[str], noun: str = "") -> str | None:
    """What to use instead of an unknown name: a synonym, a similar name, or names that contain it.

    `noun` is what the owner of the names is about, which a guess may repeat, as in `get_transfer`.
    None if there is no such name.

    >>> find_suggestion("retrieve", ["create", "get", "list"])
    'get'
    >>> find_suggestion("amount", ["source_amount", "status", "destination_amount"])
    'source_amount or destination_amount'
    """
    known_names = set(known)
    name = name.removesuffix("_async")  # paylab has no calls to await
    if name in known_names:
        return name
    name_in_other_case = find_nearest_name(name, known_names, similarity_min=1.0)
    if name_in_other_case:
        return name_in_other_case
    our_name = find_our_name(name, known_names)
    if our_name:
        return our_name
    # A name of another SDK is no misspelling of one that is here.
    is_of_other_sdk = fold_name(name) in read_habits()
    nearest_name = None if is_of_other_sdk else find_nearest_name(name, known_names)
    return (
        nearest_name
        or _find_longer_names(name, known)
        or _find_shorter_name(name, known_names, noun)
        or _find_same_stem(name, known_names)
    )


_LONGER_NAMES_MAX = 3


def _find_longer_names(name: str, known_names: Iterable[str]) -> str | None:
    """The known names with all words of a guess, such as `source_amount` for `amount`.

    They are joined by commas and "or". None if there are none, or more than `_LONGER_NAMES_MAX`.
    """
    name_words = {*split_words(name)}
    if says_little(name):
        return None
    longer_names = [
        candidate for candidate in known_names if name_words <= {*split_words(candidate)}
    ]
    if not 1 <= len(longer_names) <= _LONGER_NAMES_MAX:
        return None
    *first_names, last_name = longer_names
    return f"{', '.join(first_names)} or {last_name}" if first_names else last_name


def find_misspelt_word(name: str, known_names: Iterable[str]) -> str | None:
    """The known names with a word that a guess misspells, as `_find_longer_names` writes them.

    >>> find_misspelt_word("amout", ["source_amount", "status", "destination_amount"])
    'source_amount or destination_amount'
    """
    known_words = {word for known_name in known_names for word in split_words(known_name)}
    right_words = [find_nearest_name(word, known_words) or word for word in split_words(name)]
    return _find_longer_names("_".join(right_words), known_names)


_GENERAL_WORDS = frozenset({"id", "at", "by", "is", "to", "get", "set", "of", "on", "type", "name"})
"""Words that say too little about what is meant."""


def says_little(name: str) -> bool:
    """Whether a name has only words that many names have, such as `type`."""
    return {*split_words(name)} <= _GENERAL_WORDS


def _find_shorter_name(name: str, known_names: Set[str], noun: str) -> str | None:
    """The known verb in a guess with its owner's noun: `get` for `get_transfer`; else None."""
    noun_words = split_words(noun)
    owner_words = {*noun_words, *(word.removesuffix("s") for word in noun_words)}
    guess_words = split_words(name)
    verbs = [word for word in guess_words if word not in {*owner_words, *FILLERS}]
    has_noun = len(verbs) < len(guess_words)
    if len(verbs) != 1 or not has_noun:
        return None
    return verbs[0] if verbs[0] in known_names else find_our_name(verbs[0], known_names)


_STEM_LENGTH = 6
"""The letters that two forms of a word share at least, such as `summary` and `summarize`."""


def _find_same_stem(name: str, known_names: Set[str]) -> str | None:
    """The only known name with the stem of a guess, such as `summarize` for `summary`; else None.

    A guess of several words has no stem.
    """
    stem = name[:_STEM_LENGTH].lower()
    if len(stem) < _STEM_LENGTH or len(split_words(name)) > 1:
        return None
    same_stem_names = [known_name for known_name in known_names if known_name.startswith(stem)]
    if len(same_stem_names) != 1 or "_" in same_stem_names[0]:  # several words say something else
        return None
    return same_stem_names[0]
