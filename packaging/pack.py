"""Makes the packages of a release from built programs: `scripts/release.sh` calls this.

usage: pack.py PROGRAMS PACKAGES, two folders: PROGRAMS/<target>/shaderbench[.exe], and where the packages go.
The environment has VERSION, SOURCE_DATE_EPOCH (seconds), PAGES (a folder with man/ and completions/) and
REPOSITORY (the address of the repository, or nothing). Equal programs give equal packages on one machine.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import notices
import readme

NAME = "shaderbench"
HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent
LIMIT = 15_000_000  # bytes of one package
VERSION = os.environ["VERSION"]
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
REPOSITORY = os.environ.get("REPOSITORY", "")
SUMMARY = "Compute-shader benchmarks with verified results"
AUTHORS = "The shaderbench authors"
KEYWORDS = json.loads(re.search(r"^keywords = (\[.*\])", (ROOT / "Cargo.toml").read_text(), re.M)[1])
CLASSIFIERS = [
    "Environment :: Console",
    "Intended Audience :: Developers",
    "License :: OSI Approved :: Apache Software License",
    "License :: OSI Approved :: MIT License",
    "Operating System :: MacOS",
    "Operating System :: Microsoft :: Windows",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Python :: 3",
    "Programming Language :: Rust",
    "Topic :: System :: Benchmark",
]
GLIBC = "2.17"

# target: tags of the wheel; name, system and processor for npm; architecture of Debian.
LINUX_WHEEL = "manylinux_2_17_{0}.manylinux2014_{0}"
TARGETS = {
    "x86_64-unknown-linux-gnu": (LINUX_WHEEL.format("x86_64"), ("linux-x64", "linux", "x64"), "amd64"),
    "aarch64-unknown-linux-gnu": (LINUX_WHEEL.format("aarch64"), ("linux-arm64", "linux", "arm64"), "arm64"),
    "x86_64-pc-windows-msvc": ("win_amd64", ("win32-x64", "win32", "x64"), None),
    "x86_64-pc-windows-gnu": ("win_amd64", ("win32-x64", "win32", "x64"), None),
    "aarch64-pc-windows-msvc": ("win_arm64", ("win32-arm64", "win32", "arm64"), None),
    "aarch64-apple-darwin": ("macosx_11_0_arm64", ("darwin-arm64", "darwin", "arm64"), None),
    "x86_64-apple-darwin": ("macosx_11_0_x86_64", ("darwin-x64", "darwin", "x64"), None),
}
MANIFESTS = ["aur", "homebrew", "nix", "phoronix", "scoop", "winget"]
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]


def folder_of(target):
    return f"{NAME}-{VERSION}-{target}"


def archive_of(target):
    return folder_of(target) + (".zip" if "windows" in target else ".tar.gz")


def write_tar(path, files):
    """A tar.gz of {name: (bytes, is_program)}, in the order of the names."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, is_program) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), EPOCH, 0o755 if is_program else 0o644
            tar.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(plain.getvalue(), 9, mtime=EPOCH))


def write_zip(path, files):
    """A zip of the same, in the given order: in a wheel, the list of files comes last."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, is_program) in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.create_system = 3
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)


def pages():
    """Manual pages and shell completions: the same on every platform."""
    folder = pathlib.Path(os.environ["PAGES"])
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pack_archive(out, target, program, documents):
    files = {f"{folder_of(target)}/{name}": (content, False) for name, content in {**documents, **pages()}.items()}
    files[f"{folder_of(target)}/{program.name}"] = (program.read_bytes(), True)
    write = write_zip if "windows" in target else write_tar
    write(out / archive_of(target), dict(sorted(files.items())))


def pack_wheel(out, target, program, documents):
    tags = TARGETS[target][0]
    info = f"{NAME}-{VERSION}.dist-info"
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", NAME),
        ("Version", VERSION),
        ("Summary", SUMMARY),
        ("Author", AUTHORS),
        ("License", "MIT OR Apache-2.0"),
        ("Keywords", ",".join(KEYWORDS)),
        *(("Classifier", classifier) for classifier in CLASSIFIERS),
        *([("Home-page", REPOSITORY), ("Project-URL", f"Repository, {REPOSITORY}")] if REPOSITORY else []),
        ("Requires-Python", ">=3.7"),
        ("Description-Content-Type", "text/markdown"),
    ]
    metadata = "".join(f"{name}: {value}\n" for name, value in fields).encode() + b"\n" + documents["README.md"]
    wheel = "Wheel-Version: 1.0\nGenerator: shaderbench\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files = {f"{NAME}-{VERSION}.data/scripts/{program.name}": (program.read_bytes(), True)}
    files[f"{NAME}.py"] = ((pathlib.Path(__file__).parent / "python" / f"{NAME}.py").read_bytes(), False)
    for name, content in documents.items():
        if "LICENSE" in name:
            files[f"{info}/licenses/{name}"] = (content, False)
    files[f"{info}/METADATA"] = (metadata, False)
    files[f"{info}/WHEEL"] = (wheel.encode(), False)
    record = ""
    for name, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)
    write_zip(out / f"{NAME}-{VERSION}-py3-none-{tags}.whl", files)


def npm_package(name, **more):
    about = {"name": name, "version": VERSION, "description": SUMMARY, "license": "MIT OR Apache-2.0"}
    about |= {"author": AUTHORS, "keywords": KEYWORDS}
    if REPOSITORY:
        about |= {"homepage": REPOSITORY, "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"}}
    return (json.dumps({**about, **more}, indent=2) + "\n").encode()


def write_npm(out, name, about, files):
    files = {f"package/{path}": content for path, content in {**files, "package.json": (about, False)}.items()}
    write_tar(out / f"{name}-{VERSION}.tgz", files)


def pack_npm_platform(out, target, program, documents):
    platform, system, processor = TARGETS[target][1]
    limits = {"os": [system], "cpu": [processor], **({"libc": ["glibc"]} if system == "linux" else {})}
    files = {name: (content, False) for name, content in documents.items() if "LICENSE" in name}
    files["README.md"] = (f"The program of the package {NAME} for {platform}.\n".encode(), False)
    files[f"bin/{program.name}"] = (program.read_bytes(), True)
    name = f"{NAME}-{platform}"
    write_npm(out, name, npm_package(name, preferUnplugged=True, **limits), files)


def pack_npm(out, targets, documents):
    """The package that users install: it starts the program of the package for their platform."""
    platforms = sorted({f"{NAME}-{TARGETS[target][1][0]}" for target in targets})
    about = npm_package(
        NAME,
        bin={NAME: "shaderbench.js"},
        engines={"node": ">=12"},
        optionalDependencies={platform: VERSION for platform in platforms},
    )
    files = {name: (documents[name], False) for name in DOCUMENTS if name != "CHANGELOG.md"}
    files["shaderbench.js"] = ((HERE / "npm/shaderbench.js").read_bytes(), True)
    write_npm(out, NAME, about, files)


def pack_deb(out, target, program, documents):
    architecture = TARGETS[target][2]
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "root"
        share = root / "usr/share"
        doc = share / f"doc/{NAME}"
        copyright_text = (HERE / "deb/copyright").read_bytes() + b"License: Expat\n"
        copyright_text += indented(documents["LICENSE-MIT"]) + b"\nLicense: Apache-2.0\n"
        copyright_text += b" On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n"
        maintainer = f"{AUTHORS} <{REPOSITORY.split('/')[-2]}@users.noreply.github.com>" if REPOSITORY else AUTHORS
        day = time.strftime("%a, %d %b %Y %T +0000", time.gmtime(EPOCH))
        changelog = f"{NAME} ({VERSION}) unstable; urgency=medium\n\n  * CHANGELOG.md.gz has the changes.\n\n"
        changelog += f" -- {maintainer}  {day}\n"
        files = {
            root / f"usr/bin/{NAME}": program.read_bytes(),
            doc / "copyright": copyright_text,
            doc / "changelog.gz": gzip.compress(changelog.encode(), 9, mtime=0),
            doc / "CHANGELOG.md.gz": gzip.compress(documents["CHANGELOG.md"], 9, mtime=0),
            doc / "README.md": documents["README.md"],
            doc / "THIRD-PARTY-LICENSES.gz": gzip.compress(documents["THIRD-PARTY-LICENSES"], 9, mtime=0),
        }
        for name, content in pages().items():
            page = pathlib.PurePosixPath(name)
            if page.parent.name == "man":
                files[share / f"man/man1/{page.name}.gz"] = gzip.compress(content, 9, mtime=0)
            elif page.suffix == ".bash":
                files[share / f"bash-completion/completions/{NAME}"] = content
            elif page.suffix == ".fish":
                files[share / f"fish/vendor_completions.d/{page.name}"] = content
            elif page.name.startswith("_shaderbench") and not page.suffix:
                files[share / f"zsh/vendor-completions/{page.name}"] = content
        control = (HERE / "deb/control").read_text()
        kib = sum((len(content) + 1023) // 1024 for content in files.values())
        home = f"Homepage: {REPOSITORY}\n" if REPOSITORY else ""
        for key, value in {
            "VERSION": VERSION, "MAINTAINER": maintainer, "ARCHITECTURE": architecture, "GLIBC": GLIBC,
            "INSTALLED_KIB": kib, "HOMEPAGE": home,
        }.items():
            control = control.replace(f"@{key}@", str(value))
        files[root / "DEBIAN/control"] = control.encode()
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if path.name == NAME and path.parent.name == "bin" else 0o644)
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (EPOCH, EPOCH))
        # Debian 11 reads no newer compression than xz.
        deb = out / f"{NAME}_{VERSION}_{architecture}.deb"
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, deb]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def indented(text):
    """A licence as a field of a Debian file."""
    return b"".join(b" " + (line or b".") + b"\n" for line in text.rstrip().split(b"\n"))


def write_manifests(out, targets, sums):
    """The files for package managers of others, from the templates beside this file."""

    def value(found):
        key, _, target = found[1].partition(" ")
        if target and target not in targets:
            raise KeyError(target)
        return {
            "VERSION": lambda: VERSION,
            "REPOSITORY": lambda: REPOSITORY,
            "OWNER": lambda: REPOSITORY.split("/")[-2],
            "URL": lambda: f"{REPOSITORY}/releases/download/v{VERSION}/{archive_of(target)}",
            "SHA256": lambda: sums[archive_of(target)],
            "FOLDER": lambda: folder_of(target),
        }[key]()

    for folder in MANIFESTS:
        texts = {}
        try:
            for template in sorted((HERE / folder).iterdir()):
                name = f"{REPOSITORY.split('/')[-2]}.{template.name}" if folder == "winget" else template.name
                texts[name] = re.sub(r"@([A-Z0-9]+(?: [A-Za-z0-9_-]+)?)@", value, template.read_text())
        except KeyError as missing:
            print(f"SKIPPED: {folder}: there is no program for {missing.args[0]}")
            continue
        (out / "manifests" / folder).mkdir(parents=True)
        for name, text in texts.items():
            (out / "manifests" / folder / name).write_text(text)


def check_binstall(out, targets):
    """What Cargo.toml tells cargo-binstall names the archives, and the program in them."""
    cargo = (ROOT / "Cargo.toml").read_text()
    about = re.search(r"(?ms)^\[package\.metadata\.binstall\]\n(.*?)^\[(?!package\.metadata)", cargo)[1]
    for target in targets:
        of_target = re.search(rf"(?ms)^\[package\.metadata\.binstall\.overrides\.{target}\]\n(.*?)(?=^\[|\Z)", about)
        text = of_target[1] if of_target else about
        url = re.search(r'^pkg-url = "(.*)"', text, re.M)[1]
        program = re.search(r'^bin-dir = "(.*)"', about, re.M)[1]
        for key, of in {"name": NAME, "version": VERSION, "target": target, "bin": NAME, "repo": "",
                        "binary-ext": ".exe" if "windows" in target else ""}.items():
            url, program = url.replace(f"{{ {key} }}", of), program.replace(f"{{ {key} }}", of)
        path = out / url.rsplit("/", 1)[1]
        names = zipfile.ZipFile(path).namelist() if path.suffix == ".zip" else tarfile.open(path).getnames()
        assert url.startswith(f"/releases/download/v{VERSION}/") and program in names, (url, program)


def main():
    programs, out = map(pathlib.Path, sys.argv[1:3])
    targets = [target for target in TARGETS if (programs / target).is_dir()]
    if "x86_64-pc-windows-msvc" in targets and "x86_64-pc-windows-gnu" in targets:
        targets.remove("x86_64-pc-windows-gnu")  # One wheel and one npm package for each platform.
    if not targets:
        sys.exit(f"error: no program in {programs}")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    documents = {name: (ROOT / name).read_bytes() for name in DOCUMENTS}
    documents["README.md"] = readme.portable(documents["README.md"].decode(), REPOSITORY, VERSION).encode()
    for target in targets:
        program = next((programs / target).iterdir())
        documents["THIRD-PARTY-LICENSES"] = notices.collect(ROOT, target)
        pack_archive(out, target, program, documents)
        (out / f"{folder_of(target)}.cdx.json").write_bytes(notices.materials(ROOT, target))
        pack_wheel(out, target, program, documents)
        pack_npm_platform(out, target, program, documents)
        if TARGETS[target][2] and shutil.which("dpkg-deb"):
            pack_deb(out, target, program, documents)
        elif TARGETS[target][2]:
            print(f"SKIPPED: dpkg-deb is not installed: no .deb for {target}")
    pack_npm(out, targets, documents)
    check_binstall(out, targets)
    packages = sorted(path for path in out.iterdir() if path.is_file())
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in packages}
    (out / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    if REPOSITORY:
        write_manifests(out, targets, sums)
    else:
        print(f"SKIPPED: {', '.join(MANIFESTS)}: the repository has no address: set `repository` in Cargo.toml")
    for path in packages:
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.name}")
    large = [path.name for path in packages if path.stat().st_size > LIMIT]
    if large:
        sys.exit(f"error: larger than {LIMIT / 1e6:.0f} MB: {', '.join(large)}")


main()
