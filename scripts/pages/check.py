"""Checks a folder of static pages: each link leads to a file of the folder, and to an id that is there.

usage: check.py SITE. Links to other sites are counted and not followed.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and ids of a file."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.ids = path.resolve(), [], set()
        self.feed(path.read_text())
        # Modules name their parts, and no tag does.
        self.links += re.findall(r'^import [^"]*"([^"]+)";', path.read_text(), re.M)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)

    def local(self):
        """The links inside of the site, as link, path and fragment."""
        for link in self.links:
            address = urllib.parse.urlsplit(link)
            if not address.scheme and not address.netloc:
                yield link, urllib.parse.unquote(address.path), urllib.parse.unquote(address.fragment)

    def target(self, path):
        return (self.path.parent / path).resolve() if path else self.path

    def targets(self):
        return [self.target(path) for _, path, _ in self.local()]


def faults(site):
    """What is wrong, and the numbers of pages, of links inside of the site and of others."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*")) if path.suffix in (".html", ".js")}
    found, inside = [], 0
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for link, to, fragment in page.local():
            inside += 1
            target = page.target(to)
            if target.is_dir():
                target /= "index.html"
            if to.startswith("/") or not target.is_relative_to(site.resolve()):
                found.append(f"{name}: {link} leaves the folder")
            elif not target.is_file():
                found.append(f"{name}: {link} leads nowhere")
            elif fragment and fragment not in pages[target].ids:
                found.append(f"{name}: {link}: there is no such heading")
    return found, len(pages), inside, sum(len(page.links) for page in pages.values()) - inside


if __name__ == "__main__":
    found, pages, inside, outside = faults(pathlib.Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    print(f"links: {pages} files, {inside} links inside of the site, {outside} to others, {len(found)} faults")
    sys.exit(1 if found else 0)
