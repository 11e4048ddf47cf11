"""README.md as a registry shows it: links and pictures are those of the repository on the web.

usage: readme.py REPOSITORY VERSION <README.md
"""

import re
import sys


def portable(text, repository, version):
    """Without a repository, links become their words, and pictures are left out."""

    def absolute(link):
        picture, words, path = link.groups()
        if re.match("https?:|#", path):
            return link[0]
        if not repository:
            return "" if picture else words
        return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/v{version}/{path})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", absolute, text)


if __name__ == "__main__":
    sys.stdout.write(portable(sys.stdin.read(), *sys.argv[1:]))
