"""What is stored of a window: its resource, and the words of its title or their hashes.

A resource is a document, folder, site, application or editor's project.
"""

import os
import re
import secrets
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from selectron import SelectronError

from .windows import KINDS

WAYS = ("hashed", "plain", "dropped")
WORD = re.compile(r"[^\W\d_]\w+")
MOST = 64  # words of a title
BYTES = 32
BROWSERS = {
    "firefox": ("firefox", "librewolf", "waterfox", "zen", "floorp"),
    "chrome": ("chrome", "chromium"),
    **{name: (name,) for name in ("edge", "brave", "opera", "vivaldi", "safari", "arc")},
    "other": ("pale moon", "palemoon", "seamonkey", "falkon"),  # without a watcher of their tabs
}
EDITORS = (  # and terminals
    "code", "codium", "vim", "emacs", "sublime", "idea", "pycharm", "webstorm", "clion", "goland",
    "rider", "android studio", "xcode", "zed", "kate", "visual studio", "jetbrains", "cursor",
    "terminal", "alacritty", "kitty", "konsole", "xterm", "iterm", "wezterm", "foot", "tmux",
)  # fmt: skip
FOLDERS = ("nautilus", "finder", "explorer", "dolphin", "thunar", "nemo", "pcmanfm")
PARTS = re.compile(r"\s+[-\u2013\u2014|•]\s+|\s+\(")  # between the parts of a title
DOCUMENT = re.compile(
    r"[^/\\:*?\"<>|]{1,100}\.(?:docx?|xlsx?|pptx?|odt|ods|odp|rtf|pdf|epub|tex|bib|md|rst|txt|csv|"
    r"tsv|json|xml|html?|ipynb|py|rs|js|ts|c|h|cc|cpp|java|go|r|jl|svg|png|jpe?g|gif|xcf|psd|dwg)",
    re.IGNORECASE,
)
# The marks of private windows in titles, in the most used languages; ALWAYS_PRIVATE are browsers
# that have no other windows.
PRIVATE = re.compile(
    r"\b(?:private (?:browsing|window)|(?:tor|mullvad) browser|inprivate|incognito|inkognito"
    r"|privater modus|privates fenster"
    r"|navigation privée|navegación privada|incógnito|navegação privativa|anônima|navegação privada"
    r"|navigazione (?:anonima|privata)|privénavigatie|tryb prywatny|anonymt|privat browsing"
    r"|приватный просмотр|инкогнито)\b|プライベート(?:ブラウジング|ウィンドウ)|シークレット"
    r"|隐私浏览|无痕|隱私瀏覽|無痕|시크릿|사생활 보호",
    re.IGNORECASE,
)
ALWAYS_PRIVATE = ("tor browser", "torbrowser", "mullvad browser", "mullvadbrowser")
HIDDEN = "hidden"  # a private window: neither its resource nor its title is stored
LONGEST = 255  # characters of a resource's name
UNTITLED = "*●•✱ "  # marks of unsaved documents


class Titles:
    """Stores the words of titles in one of three ways: "hashed" with a key, "plain", "dropped".

    With one key, equal words have equal hashes; without the key, a guessed word cannot be checked.

    >>> Titles("plain").words("Chapter 2 - thesis.tex")
    ('chapter', 'thesis', 'tex')
    >>> Titles("hashed", b"key").words("Thesis")
    ('333a86ed6d1e',)
    >>> Titles("dropped").words("Thesis")
    ()
    """

    def __init__(self, way: str, key: bytes = b""):
        if way not in WAYS:
            raise SelectronError(f"titles={way!r}: must be one of {', '.join(WAYS)}.")
        if way == "hashed" and not key:
            raise SelectronError("titles='hashed' needs a key.")
        self.way, self.key = way, key
        self.hidden = lru_cache(100_000)(self._hidden)

    def words(self, title: str) -> tuple[str, ...]:
        """Return the words of a title, as they are stored."""
        if self.way == "dropped":
            return ()
        found = WORD.findall(title.casefold())[:MOST]
        return tuple(found) if self.way == "plain" else tuple(map(self.hidden, found))

    def name(self, name: str) -> str | None:
        """Return a name that was found in a title as it is stored, None if it is dropped."""
        if self.way == "dropped":
            return None
        return name if self.way == "plain" else self.hidden(name)

    def _hidden(self, text: str) -> str:
        found = text.encode("utf-8", "surrogatepass")
        return blake2b(found, key=self.key, digest_size=6).hexdigest()


def secret(path: Path) -> bytes:
    """Return the random bytes of a file, which is created, readable only by its owner.

    Raises SelectronError if the file has other content.
    """
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(file, "wb") as draft:
            draft.write(secrets.token_bytes(BYTES))
    found = path.read_bytes()
    if len(found) != BYTES:
        raise SelectronError(f"{path} must have {BYTES} random bytes: delete it to make new ones.")
    return found


class Seen(NamedTuple):
    """What a watcher saw: a resource, the words of its title, and the kind of window.

    `where` is a browser's family, "editor", `HIDDEN` or "" for windows; "away" or "here" for the
    watcher of presence.
    """

    resource: str
    words: tuple[str, ...] = ()
    where: str = ""


def window(data: Mapping[str, str], titles: Titles) -> Seen:
    """Return what a window shows: a document or folder that its title names, or an application.

    >>> window({"app": "Word", "title": "*Report.docx - Word"}, Titles("plain"))
    Seen(resource='document:report.docx', words=('report', 'docx', 'word'), where='')
    """
    app, title = data["app"].casefold().removesuffix(".exe").strip(), data["title"]
    where = family(app) or ("editor" if _among(app, EDITORS) else "")
    private = where not in ("", "editor") and PRIVATE.search(unicodedata.normalize("NFC", title))
    if private or _among(app, ALWAYS_PRIVATE):
        return Seen("", (), HIDDEN)
    return Seen(_resource(app, title, where, titles), titles.words(title), where)


def _resource(app: str, title: str, where: str, titles: Titles) -> str:
    parts = PARTS.split(title)
    if not where or where == "editor":
        for part in parts:
            name = part.strip(UNTITLED).casefold()
            if DOCUMENT.fullmatch(name) and (kept := titles.name(name)):
                return f"document:{kept}"
    first = parts[0].strip().casefold()
    if _among(app, FOLDERS) and first and first != app and (kept := titles.name(first)):
        return f"folder:{kept}"
    return f"application:{app or 'unknown'}"


def tab(data: Mapping[str, str], titles: Titles) -> Seen | None:
    """Return what a browser's tab shows, None if its address has no host.

    >>> tab({"url": "https://www.example.org/a?b", "title": "A"}, Titles("dropped"))
    Seen(resource='site:example.org', words=(), where='')
    """
    host = _host(data["url"])
    return Seen(f"site:{host}", titles.words(data["title"])) if host else None


def _host(address: str) -> str:
    """Return the host of an address; "" if it has none."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return host.casefold().removeprefix("www.").strip(".")


def project(data: Mapping[str, str], titles: Titles) -> Seen | None:
    """Return an editor's project, or the file if there is none, with the words of the file.

    >>> project({"project": "/home/me/Thesis/", "file": "a.tex"}, Titles("dropped"))
    Seen(resource='project:thesis', words=(), where='')
    """
    name = re.split(r"[\\/]", data["project"].rstrip("\\/"))[-1].casefold()
    file = re.split(r"[\\/]", data["file"])[-1].casefold()
    words = titles.words(file)
    if name and name not in ("unknown", "none"):
        return Seen(f"project:{name}", words)
    kept = titles.name(file) if file and file != "unknown" else None
    return Seen(f"document:{kept}", words) if kept else None


def resource(text: str, titles: Titles) -> str:
    """Return a resource that the user names, as it is stored; raises SelectronError.

    A site may be named by the address of a page.

    >>> resource("site:www.Example.org", Titles("dropped"))
    'site:example.org'
    """
    kind, _, name = text.strip().partition(":")
    name = name.strip().casefold()
    if kind == "site" and name.isprintable():
        name = _host(name if "//" in name else f"//{name}")
    if kind not in KINDS or not name or len(name) > LONGEST or not name.isprintable():
        raise SelectronError(
            f"{text!r:.120} is not a resource such as site:example.org or document:thesis.tex; the "
            f"kinds are {', '.join(KINDS)}."
        )
    if kind not in ("document", "folder"):
        return f"{kind}:{name}"
    if (kept := titles.name(name)) is None:
        raise SelectronError(f"{text!r:.120}: this folder stores no names from titles.")
    return f"{kind}:{kept}"


def family(name: str) -> str:
    """Return the family of a browser, given its window or its watcher; "" if it is not a browser.

    >>> family("google-chrome"), family("aw-watcher-web-firefox"), family("word")
    ('chrome', 'firefox', '')
    """
    return next((kind for kind, names in BROWSERS.items() if _among(name.casefold(), names)), "")


def _among(name: str, known: tuple[str, ...]) -> bool:
    parts = re.split(r"[^\w]+", name)
    return any(one in parts or name.endswith(one) or (" " in one and one in name) for one in known)
