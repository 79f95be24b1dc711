"""Polynomials with coefficients above zero: a bound of what something takes, whatever the sizes turn out to be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import mul

Monomial = tuple[str, ...]

HIGHEST_DEGREE = 8


class DegreeTooHigh(Exception):
    """A polynomial of a degree that no bound is worked out for; it never leaves this room."""


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of products of sizes: `3 + 2·a·b` is `{(): 3, ("a", "b"): 2}`."""

    terms: Mapping[Monomial, float]

    def __add__(self, other: "Polynomial") -> "Polynomial":
        """Return the sum."""
        return total([self, other])

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        """Return the product; raises DegreeTooHigh."""
        terms: dict[Monomial, float] = {}
        for (first, factor), (second, other_factor) in product(self.terms.items(), other.terms.items()):
            names = tuple(sorted((*first, *second)))
            if len(names) > HIGHEST_DEGREE:
                raise DegreeTooHigh
            terms[names] = terms.get(names, 0.0) + factor * other_factor
        return Polynomial(terms)

    def times(self, factor: float) -> "Polynomial":
        """Return the polynomial so many times."""
        return Polynomial({names: factor * coefficient for names, coefficient in self.terms.items()})

    def at(self, sizes: Mapping[str, int]) -> float:
        """Return its value where these are the sizes."""
        value = 0.0
        for names, coefficient in self.terms.items():
            product_of_sizes = 1
            for name in names:
                product_of_sizes *= sizes[name]
            value += coefficient * product_of_sizes
        return value

    def over(self, element: frozenset[str], *, length: "Polynomial", size: "Polynomial") -> "Polynomial":
        """Return the sum over all elements of a list, where this is for an element of the sizes `element`.

        The sizes of the elements add up to no more than the size of the list, so a sum of their powers is at most that
        power of it: what lies within the elements is counted once and not once for each of them.
        """
        sums = []
        for names, coefficient in self.terms.items():
            rest = tuple(name for name in names if name not in element)
            factors = [size] * (len(names) - len(rest)) or [length]
            sums.append(reduce(mul, factors, Polynomial({rest: coefficient})))
        return total(sums)


def constant(value: float) -> Polynomial:
    """Return the polynomial that is this value."""
    return Polynomial({(): value})


def size_named(name: str) -> Polynomial:
    """Return the polynomial that is one size."""
    return Polynomial({(name,): 1.0})


def total(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Return the sum of some polynomials."""
    terms: dict[Monomial, float] = {}
    for polynomial in polynomials:
        for names, coefficient in polynomial.terms.items():
            terms[names] = terms.get(names, 0.0) + coefficient
    return Polynomial(terms)
