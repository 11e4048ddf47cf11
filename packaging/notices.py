"""The Rust packages in a program: their licences, which must go with it, and a bill of materials."""

import collections
import functools
import json
import pathlib
import re
import subprocess


@functools.lru_cache
def linked(root, target):
    """The packages that are linked into the program for a target, as `cargo metadata` describes them, and what each needs:
    the program first."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    needs, waiting = {}, [metadata["resolve"]["root"]]
    for one in waiting:
        if one not in needs:
            needs[one] = [
                dependency["pkg"]
                for dependency in nodes[one]["deps"]
                if any(kind["kind"] is None for kind in dependency["dep_kinds"])
            ]
            waiting += needs[one]
    return {one: packages[one] for one in needs}, needs


def collect(root, target):
    """The text of THIRD-PARTY-LICENSES for one target: every package that is linked, each text once."""
    names_of = collections.defaultdict(list)
    for package in list(linked(root, target)[0].values())[1:]:
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


def materials(root, target):
    """The same packages as a bill of materials: CycloneDX 1.5 in JSON, with the checksums of crates.io."""
    packages, needs = linked(root, target)
    lock = (root / "Cargo.lock").read_text()
    sums = re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"', lock)
    checksums = {(name, version): checksum for name, version, checksum in sums}

    def reference(one):
        return f"pkg:cargo/{packages[one]['name']}@{packages[one]['version']}"

    def component(one):
        package = packages[one]
        name, version = package["name"], package["version"]
        about = {"type": "library", "bom-ref": reference(one), "name": name, "version": version}
        if (name, version) in checksums:
            about["hashes"] = [{"alg": "SHA-256", "content": checksums[name, version]}]
        about["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        return {**about, "purl": reference(one)}

    program, *libraries = packages
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program), "type": "application"}},
        "components": sorted(map(component, libraries), key=lambda about: about["bom-ref"]),
        "dependencies": sorted(
            ({"ref": reference(one), "dependsOn": sorted({reference(other) for other in needs[one]})} for one in needs),
            key=lambda entry: entry["ref"],
        ),
    }
    return (json.dumps(bill, indent=1) + "\n").encode()


NOTICE = """shaderbench contains these packages, each under the licence that follows its name, and the standard library
of Rust (https://www.rust-lang.org), under MIT or Apache-2.0."""
