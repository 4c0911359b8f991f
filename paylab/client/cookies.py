"""A client of httpx that takes no cookies."""

from __future__ import annotations

import httpx


class NoCookies(httpx.Cookies):
    """Keeps nothing of what an answer sets, and does not spend time on reading it."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Leave them where they are."""


NONE = NoCookies()


class CookielessClient(httpx.Client):
    """Sends no cookie, whatever it was answered."""

    @property
    def cookies(self) -> httpx.Cookies:
        """None, ever."""
        return NONE

    @cookies.setter
    def cookies(self, cookies: object) -> None:
        """Ignore them."""
