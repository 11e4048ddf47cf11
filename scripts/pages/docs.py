"""Writes the repository's documents as HTML below a folder, by pandoc, with the files that they link to.

usage: docs.py SITE, in the root of the repository.
"""

import html
import pathlib
import re
import shutil
import subprocess
import sys

from check import Page

HERE = pathlib.Path(__file__).parent
SITE = pathlib.Path(sys.argv[1])
TEMPLATE = (HERE / "page.html").read_text()
TRACKED = set(subprocess.check_output(["git", "ls-files"], text=True).splitlines())


def root_of(path):
    return "../" * (len(path.parts) - 1)


def convert(path):
    """One document. Its title is its first heading."""
    title = re.search(r"^# (.*)", path.read_text(), re.M)
    out = SITE / path.with_suffix(".html")
    out.parent.mkdir(parents=True, exist_ok=True)
    options = [f"--template={HERE / 'page.html'}", f"--lua-filter={HERE / 'links.lua'}", "--no-highlight", "--wrap=none"]
    facts = [f"--variable=pagetitle:{title[1] if title else path.name}", f"--variable=root:{root_of(path)}"]
    subprocess.run(["pandoc", "--from=gfm", "--to=html5", *options, *facts, path, "--output", out], check=True)
    return out


def listing(folder):
    """A page that lists the files of a folder, which are copied."""
    path = folder / "index.html"
    names = sorted(name for name in TRACKED if pathlib.Path(name).is_relative_to(folder) and not name.endswith(".md"))
    items = []
    for name in names:
        copy(name)
        text = html.escape(str(pathlib.Path(name).relative_to(folder)))
        items.append(f'<li><a href="{text}">{text}</a></li>')
    body = f"<h1>{html.escape(str(folder))}</h1>\n<ul>\n" + "\n".join(items) + "\n</ul>"
    page = TEMPLATE.replace("$pagetitle$", html.escape(str(folder))).replace("$root$", root_of(path))
    (SITE / folder).mkdir(parents=True, exist_ok=True)
    (SITE / path).write_text(page.replace("$body$", body))


def copy(name):
    (SITE / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(name, SITE / name)


shutil.copyfile(HERE / "docs.css", SITE / "docs.css")
documents = [pathlib.Path(name) for name in sorted(TRACKED) if name.endswith(".md") and not name.startswith(".github/")]
pages = [convert(path) for path in documents]
for page in pages:
    for target in Page(page).targets():
        inside = target.relative_to(SITE.resolve()) if target.is_relative_to(SITE.resolve()) else None
        if inside is None or target.is_file():
            continue
        if str(inside) in TRACKED:
            copy(str(inside))
        elif any(name.startswith(f"{inside}/") for name in TRACKED):
            listing(inside)
print(f"docs: {len(pages)} pages")
