"""The licences of the Rust packages in a program, which must go with it."""

import collections
import json
import pathlib
import subprocess


def collect(root, target):
    """The text of THIRD-PARTY-LICENSES for one target: every package that is linked, each text once."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    linked, waiting = set(), [metadata["resolve"]["root"]]
    while waiting:
        one = waiting.pop()
        if one not in linked:
            linked.add(one)
            for dependency in nodes[one]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    names_of = collections.defaultdict(list)
    for one in linked - {metadata["resolve"]["root"]}:
        package = packages[one]
        folder = pathlib.Path(package["manifest_path"]).parent
        names = ("licen", "copying", "notice", "unlicense")
        files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(names))
        texts = [path.read_text("utf-8", "replace").strip().replace("\r\n", "\n") for path in files]
        for text in texts or [f"Licence: {package['license']}"]:
            names_of[text].append(f"{package['name']} {package['version']}")
    parts = [f"{NOTICE}\n"]
    for text, names in sorted(names_of.items(), key=lambda part: sorted(part[1])):
        parts.append(", ".join(sorted(names)) + "\n\n" + text + "\n")
    return ("\n" + "-" * 80 + "\n\n").join(parts).encode()


NOTICE = """shaderbench contains these packages, each under the licence that follows its name, and the standard library
of Rust (https://www.rust-lang.org), under MIT or Apache-2.0."""
