"""The C code on arm64, for which no Swift toolchain is at hand: it compiles without warnings, and its tests
(the folder `portability`) print under emulation what they print here."""

import re
from contextlib import closing

import pytest

from debian import ROOT, Debian, as_root, checked

pytestmark = pytest.mark.deep

#: The name of the compiler, and of the program that runs the result.
NATIVE, ARM64 = ("gcc", ""), ("aarch64-linux-gnu-gcc", "qemu-aarch64-static")
LIBRARIES = ("libjpeg62-turbo", "libv4l", "libssl", "libavformat", "libavcodec", "libasound2")
STRICT = ("-std=gnu11", "-O2", "-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-Wall", "-Wextra", "-Werror",
          # Some processors refuse access to an address that is not aligned.
          "-Wcast-align=strict")
#: The project's C targets, and what a program with one is linked with.
TARGETS = {
    "CLinux": (), "CJPEG": ("-ljpeg",), "CResampling": (), "CV4L2": ("-lv4lconvert", "-ljpeg", "-lm"), "CAV": ("-ldl",),
    "CALSA": ("-ldl",), "COpenSSL": ("-lssl", "-lcrypto")}
#: The tests: the target, and the words that the program gets.
TESTS = {
    "files": ("CLinux", "/tmp"), "jpeg": ("CJPEG",), "resampling": ("CResampling",), "conversion": ("CV4L2",),
    "movie": ("CAV", "/tmp/movie.mp4"), "digests": ("COpenSSL",),
    "sound": ("CALSA",), "certificate": ("COpenSSL", "/tmp/ca.pem", "/tmp/ca.key")}


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A Debian with compilers for both architectures, and the sources in /project."""
    with closing(Debian(tmp_path_factory.mktemp("portability"))) as debian:
        debian.check("dpkg", "--add-architecture", "arm64")
        headers = [f"{name}-dev:{machine}" for name in LIBRARIES for machine in ("amd64", "arm64")]
        # The encoder that recordings use is loaded by libavcodec.
        debian.install("gcc", "libc6-dev", "gcc-aarch64-linux-gnu", "qemu-user-static", *headers)
        checked(*as_root("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "3",
                         "-keyout", debian.root / "tmp/ca.key", "-out", debian.root / "tmp/ca.pem"))
        checked(*as_root("mkdir", debian.root / "project"))
        checked(*as_root("cp", "-r", ROOT / "Sources", ROOT / "Tests/Packages/portability", debian.root / "project"))
        yield debian


def sources(machine, target: str) -> list[str]:
    found = machine.check("find", f"/project/Sources/{target}", "-name", "*.c").split()
    assert found, f"no C sources in {target}"
    return found


def flags(target: str) -> list[str]:
    return [*STRICT, f"-I/project/Sources/{target}/include"]


@pytest.mark.parametrize("target", TARGETS)
def test_compiles_for_arm64_without_warnings(machine, target):
    for source in sources(machine, target):
        machine.check(ARM64[0], *flags(target), "-c", source, "-o", "/tmp/object.o", timeout=300)


@pytest.mark.parametrize("test", TESTS)
def test_has_the_same_results_on_arm64(machine, test):
    target, *words = TESTS[test]
    results = []
    for compiler, runner in (NATIVE, ARM64):
        program = f"/tmp/{test}-{compiler}"
        options = [*flags(target), "-I/project/portability"]
        machine.check(compiler, *options, f"/project/portability/{test}.c", *sources(machine, target),
                      "-o", program, *TARGETS[target], timeout=300)
        results.append(machine.check(*filter(None, [runner]), program, *words, timeout=300))
    assert results[0] == results[1] and results[0]


def test_no_code_assumes_a_page_size():
    """Pages have 4, 16 or 64 kB on arm64. A buffer may have 4,096 bytes, but nothing is mapped or aligned by
    this number."""
    names = r"PAGE_SIZE|getpagesize|_SC_PAGESIZE|MAP_HUGE"
    size = r"\b(4096|4095|0x1000|0xfff)\b"
    words = r"page|align(?!as)(?!of)|mmap|mremap|madvise|[%&]\s*~?\s*(4096|4095|0x1000|0xfff)"
    found = [
        f"{file}:{number}" for file in sorted((ROOT / "Sources").rglob("*")) if file.suffix in (".swift", ".c", ".h")
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if re.search(names, line) or re.search(size, line) and re.search(words, line, re.IGNORECASE)]
    assert found == []
