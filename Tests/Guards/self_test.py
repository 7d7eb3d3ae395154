"""Plants a violation of each rule in a temporary package and expects the rule to find it."""
import subprocess
import tempfile
from pathlib import Path

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription
let hardened: [CSetting] = [
    .define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release)), .unsafeFlags(["-fstack-protector-strong"])]
let package = Package(
    name: "guarded",
    targets: [
        .target(name: "CLinux", cSettings: hardened),
        .target(name: "CAllocations", cSettings: hardened),
        .systemLibrary(name: "CMosquitto"),
        .target(name: "CJPEG", cSettings: hardened),
        .target(name: "Base", dependencies: ["CLinux"]),
        .target(name: "Bus", dependencies: ["CMosquitto"]),
        .target(name: "State", dependencies: ["CLinux"]),
        .target(name: "ZoomModel"),
        .target(name: "Core", dependencies: ["CLinux", "ZoomModel"]),
        .target(name: "Media", dependencies: ["CJPEG", "CLinux"]),
        .target(name: "FrontEnds", dependencies: ["Core", .target(name: "Bus")]),
        .executableTarget(name: "v4l2mqtt", dependencies: ["FrontEnds", "State", "Media"]),
        .executableTarget(name: "Player", path: "Tests/Player"),
        .executableTarget(name: "Benchmark", dependencies: ["Media"], path: "Tests/Benchmark"),
        .testTarget(name: "CameraCoreTests", dependencies: ["Core"]),
    ])
"""
LONG = "word " * 23
SOURCES = {
    "Sources/CLinux/CLinux.c": "",
    "Sources/CLinux/module.modulemap": "",
    "Sources/CAllocations/CAllocations.c": "",
    "Sources/CMosquitto/module.modulemap": "",
    "Sources/CJPEG/CJPEG.c": f"int {'x' * 110};\n",
    "Sources/Bus/Bus.swift": "internal import CMosquitto\n",
    "Sources/Base/Files/Files.swift":
        "package enum Files {\n    package static func rename() { clinux_rename(a, b) }\n}\npackage struct FileLock {}\n",
    "Sources/State/Store.swift":
        "internal import CLinux\ninternal import FoundationEssentials\ntry Files.rename(path, to: name)\n"
        "// JSONEncoder, rename(2)\n",
    "Sources/FrontEnds/HomeAssistant/Device.swift": "",
    "Sources/Media/Imaging/Photo.swift": "internal import CJPEG\ninternal import CLinux\n// import Foundation\n",
    "Sources/Core/Camera.swift":
        "internal import CLinux\nfunc open(files: [String]) { output.open(files) }\n// No unowned references.\nlet unownedness = 1\n{ [weak self] in let weakness = 1 }\n",
    "Sources/FrontEnds/MQTT/FrontEnd.swift": "internal import Bus\n",
    "Sources/V4L2MQTTClient/Client.swift": "public struct Client {}\n",
    "Sources/ZoomModel/Zoom.swift": "internal import Glibc\n",
    "Sources/v4l2mqtt/Program.swift": "struct Program { var port = 1 }  // class\nlet text = Files.read(path)\n",
    "Tests/Player/Player.swift": "final class Player {}\n",
    "Tests/Benchmark/Benchmark.swift": "import Foundation\n",
    "Tests/CameraCoreTests/Tests.swift": "@testable import Core\n",
    # What may be longer: a heading, a table, code, HTML, a badge, a target of a link, and a word.
    # What is none of an archive: a document of Debian, the address of a Swift package.
    "deploy/debian/copyright": "Format: https://www.debian.org/doc\nhttps://github.com/apple/swift-log\n",
    "README.md":
        f"# {LONG}\n\n[![{LONG}](a)](b)\n\n<p>\n{LONG}\n</p>\n\nProse.\n\n| {LONG} |\n|---|\n\n```\n{LONG}\n```\n\n"
        f"- https://example.org/{'x' * 110}\n- `{LONG}`\n\n[link]: https://example.org {LONG}\n",
    ".build/README.md": f"{LONG}\n",
    # Long lines of code and of texts are not comments, nor is data.
    "Tests/Broker/test_zoom.py": f'"""Short."""\nTEXT = """\n{LONG}# no comment\n"""\nCODE = "#{LONG}"\n',
    "deploy/debian/generators/packaged_documents": 'PACKAGED = {"a": {\n    "deploy/README.md": "operation.md",\n}}\n',
    "Tests/sanitize": f"#!/usr/bin/env bash\necho ${{#list}} {LONG}\n",
    "Tests/Fuzz/corpus/state.txt": f"# {LONG}\n",
    "schemas/asyncapi.yaml": f"description: {LONG}\n",
}

# What other rules say of a violation too.
ALSO = {
    "c_modules_have_one_importer": {"imports_are_declared"},
    "programs_have_no_logic": {"imports_are_declared", "c_modules_have_one_importer"},
}

# A rule, the file to change, and the text to add to it, or texts to replace by others.
VIOLATIONS = [
    ("c_modules_have_one_importer", "Sources/FrontEnds/MQTT/FrontEnd.swift", "import CMosquitto\n"),
    ("c_modules_have_one_importer", "Sources/State/Store.swift", "  @preconcurrency package import CJPEG\n"),
    ("c_modules_have_one_importer", "Tests/Benchmark/Benchmark.swift", "import struct CJPEG.jpeg_head\n"),
    ("c_modules_have_one_importer", "Sources/Media/Sound/Microphone.swift", "import CJPEG\n"),
    ("imports_are_declared", "Sources/FrontEnds/MQTT/FrontEnd.swift", "internal import CLinux\n"),
    ("imports_are_declared", "Sources/FrontEnds/HomeAssistant/Device.swift", "internal import State\n"),
    ("c_targets_are_hardened", "Sources/CMosquitto/Library.c", "int x;\n"),
    ("c_targets_are_hardened", "Package.swift", ('"CJPEG", cSettings: ', '[hardened[0]]), // ')),
    ("c_targets_are_hardened", "Package.swift", ('"CAllocations", cSettings: ', '[hardened[1]]), // ')),
    ("agent_does_not_import_foundation", "Sources/v4l2mqtt/Program.swift", "import Foundation\n"),
    ("agent_does_not_import_foundation", "Sources/Bus/Bus.swift", "package import FoundationNetworking\n"),
    ("agent_does_not_import_foundation", "Sources/Core/Camera.swift", "import class Foundation.Thread\n"),
    ("only_the_terminal_folder_prints", "Sources/v4l2mqtt/Program.swift", "    print(text, terminator: \"\")\n"),
    ("only_the_terminal_folder_prints", "Sources/Core/Camera.swift", "if x { Swift.debugPrint(error) }\n"),
    ("only_the_terminal_folder_prints", "Sources/Bus/Bus.swift", "fputs(text, stdout)\n"),
    ("core_has_no_unowned_or_weak_references", "Sources/Core/Camera.swift", "unowned let camera: Camera\n"),
    ("core_has_no_unowned_or_weak_references", "Sources/Core/Nodes/ZoomNode.swift", "{ [unowned(unsafe) self] in }\n"),
    ("core_has_no_unowned_or_weak_references", "Sources/Core/Camera.swift", "private weak var camera: Camera?\n"),
    ("core_has_no_unowned_or_weak_references", "Sources/Core/Nodes/ZoomNode.swift", "weak private(set) var x: Camera?\n"),
    ("core_has_no_unowned_or_weak_references", "Sources/Core/Nodes/ZoomNode.swift", "    weak let node = node\n"),
    ("core_does_not_reach_the_broker", "Package.swift", ('"Core", dependencies: [', '"State", ')),
    ("core_does_not_reach_the_broker", "Package.swift", ('"CameraCoreTests", dependencies: [', '"FrontEnds", ')),
    ("core_does_not_reach_the_broker", "Package.swift", ('"Core", dependencies: [', '"Bus", ')),
    ("model_imports_nothing", "Sources/ZoomModel/Zoom.swift", "internal import Synchronization\n"),
    ("core_does_not_use_the_disk", "Sources/Core/Camera.swift", "try Files.replace(path, with: bytes)\n"),
    ("core_does_not_use_the_disk", "Sources/Core/Camera.swift", "let lock: FileLock\n"),
    ("core_does_not_use_the_disk", "Sources/Core/Nodes/ZoomNode.swift", "try Data(contentsOf: url)\n"),
    ("core_does_not_use_the_disk", "Sources/Core/Nodes/ZoomNode.swift", "let file = fopen(path, mode)\n"),
    ("core_does_not_use_the_disk", "Sources/Core/Nodes/ZoomNode.swift", "let file = open(path, O_RDONLY)\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Program.swift", "private final class Session {}\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Run.swift", "extension Plan { mutating func next() {} }\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Program.swift", "internal import CJPEG\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Program.swift", "internal import NIOPosix\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Program.swift", "internal import Synchronization\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Run.swift", "let text = try String(contentsOfFile: path)\n"),
    ("programs_have_no_logic", "Sources/v4l2mqtt/Run.swift", "try data.write(to: url)\n"),
    ("programs_have_no_logic", "Package.swift", ('"CameraCoreTests", dependencies: [', '"Player", ')),
    ("one_file_renames", "Sources/State/Store.swift", "guard rename(old, new) == 0 else { return }\n"),
    ("one_file_renames", "Sources/State/Store.swift", "let code = clinux_rename_new(old, new)\n"),
    ("one_file_renames", "Sources/Base/Files/Lock.swift", "Glibc.renameat(folder, old, folder, new)\n"),
    ("one_file_renames", "Sources/Bus/Bus.swift", "try FileManager.default.moveItem(atPath: old, toPath: new)\n"),
    ("one_file_renames", "Sources/CJPEG/CJPEG.c", "int f(void) { return renameat2(0, a, 0, b, 0); }\n"),
    ("there_is_one_json", "Sources/v4l2mqtt/Program.swift", "let bytes = try JSONEncoder().encode(state)\n"),
    ("there_is_one_json", "Sources/State/Store.swift", "try JSONSerialization.jsonObject(with: data)\n"),
    ("there_is_one_json", "Sources/Bus/Bus.swift", "let decoder = PropertyListDecoder()\n"),
    ("only_the_library_is_public", "Sources/Bus/Bus.swift", "    @inlinable public func send() {}\n"),
    ("no_archive_is_named", "deploy/README.md", f"From http://deb.{'debian'}.org.\n"),
    ("no_archive_is_named", "Tests/Broker/test_zoom.py", f"PLACE = 'https://snapshot.{'debian'}.org/archive'\n"),
    ("no_archive_is_named", "deploy/compose.yaml", f"image: ghcr.{'io'}/eclipse/mosquitto\n"),
    ("no_archive_is_named", ".ci/run", f"#!/bin/sh\npip install -i https://{'pypi'}.org/simple x\n"),
    ("top_level_is_fixed", "Configuration.h", ""),
    ("file_names_are_unique", "Sources/Media/Ports/Camera.swift", ""),
    ("file_names_are_unique", "Sources/CLinux/include/CJPEG.c", ""),
    ("comments_fit_the_line", "Sources/Core/Camera.swift", "    /// " + "x" * 110 + "\n"),
    ("comments_fit_the_line", "Sources/CJPEG/CJPEG.c", "// " + "x" * 110 + "\n"),
    ("comments_fit_the_line", "Sources/CJPEG/include/CJPEG.h", "int columns;  /* " + "x" * 110 + " */\n"),
    ("comments_fit_the_line", "Tests/Hardware/camera/camera.h", "/* One.\n * " + "x" * 110 + " */\n"),
    ("script_comments_fit_the_line", "Tests/Broker/test_zoom.py", f"CODE = 1  # {LONG}\n"),
    ("script_comments_fit_the_line", "Tests/Broker/test_zoom.py", f'def f():\n    """One.\n\n    {LONG}\n    """\n'),
    ("script_comments_fit_the_line", "Tests/Guards/check", f"#!/usr/bin/env python3\n# {LONG}\n"),
    ("script_comments_fit_the_line", "Tests/Fuzz/build.sh", f"    # {LONG}\n"),
    ("script_comments_fit_the_line", "Tests/sanitize", f"true  # {LONG}\n"),
    ("script_comments_fit_the_line", ".ci/run", f"#!/bin/sh\n# {LONG}\n"),
    ("script_comments_fit_the_line", "schemas/asyncapi.yaml", f"# {LONG}\n"),
    ("prose_fits_the_line", "README.md", f"{LONG}\n"),
    ("prose_fits_the_line", "deploy/README.md", f"1. {LONG}\n"),
    ("prose_fits_the_line", "CHANGELOG.md", f"```\ncode\n```\n- [{LONG}](https://example.org)\n"),
    ("documents_are_complete", "README.md", "| agents | @MEMORY@ |\n"),
    ("documents_are_complete", "README.md", "<<<<<<< HEAD\n"),
    ("documents_are_packaged", "deploy/step-ca.md", "Certificates.\n"),
]


def problems(check, root):
    package = check.Package(root)
    return {rule.__name__: list(rule(package)) for rule in check.RULES}


def write(root, sources):
    for name, text in sources.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def changed(name, change):
    """The text of a file with a violation in it."""
    text = MANIFEST if name == "Package.swift" else SOURCES.get(name, "")
    if isinstance(change, str):
        return text + change
    place, added = change
    assert place in text, place
    return text.replace(place, place + added)


def plant(check, rule, name, change):
    """Returns what is wrong with the rule; None if it works."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {"Package.swift": MANIFEST, **SOURCES, name: changed(name, change)})
        found = {rule for rule, texts in problems(check, root).items() if texts}
    return None if found - ALSO.get(rule, set()) == {rule} else f"{rule}: {change!r} in {name} was found by {sorted(found)}"


def sound_package(check):
    """A package without a violation passes; one without Core does not."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write(root, {"Package.swift": MANIFEST, **SOURCES})
        if any(problems(check, root).values()):
            yield f"a package without a violation fails: {problems(check, root)}"
        manifest = "\n".join(
            line.replace('"Core", ', "") for line in MANIFEST.splitlines()
            if not ('name: "Core"' in line or 'CameraCoreTests' in line))
        write(root, {"Package.swift": manifest, check.PACKAGED: SOURCES[check.PACKAGED]})
        for rule in ("core_has_no_unowned_or_weak_references", "core_does_not_reach_the_broker"):
            if not problems(check, root)[rule]:
                yield f"{rule} passes without Core"


def programs(check):
    """Only a program that links full Foundation, or has no symbols, is refused."""
    cases = [
        ("import FoundationEssentials\nprint(Data([1]).base64EncodedString())", [], False),
        ("import Foundation\nprint(NSString(string: \"x\"))", [], True),
        ("import FoundationEssentials\nprint(Data([1]).base64EncodedString())", ["-Xlinker", "--strip-all"], True),
    ]
    for source, flags, is_refused in cases:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "main.swift").write_text(source)
            program = Path(folder) / "program"
            subprocess.run(
                ["swiftc", "-static-stdlib", *flags, str(Path(folder) / "main.swift"), "-o", str(program)],
                check=True, capture_output=True)
            if bool(list(check.program_does_not_link_foundation(program))) != is_refused:
                yield f"program_does_not_link_foundation: wrong for {source!r} with {flags}"
    if not list(check.program_does_not_link_foundation(Path("/nonexistent/program"))):
        yield "program_does_not_link_foundation: passes for a program that does not exist"


PROTECTED = """
#include <stdio.h>
#include <string.h>
void cv4l2_write_controls(const char *text) { char copy[16]; strcpy(copy, text); puts(copy); }
int main(int count, char **words) { cv4l2_write_controls(words[count - 1]); }
"""


def hardened_programs(check):
    """Only a program with all four protections passes."""
    flags = ["-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-Wl,-z,relro", "-Wl,-z,now"]
    opposites = ["-U_FORTIFY_SOURCE", "-fno-stack-protector", "-Wl,-z,norelro", "-Wl,-z,lazy"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.c").write_text(PROTECTED)
        for missing in (None, *range(len(flags))):
            program = Path(folder) / f"program-{missing}"
            chosen = [opposites[n] if n == missing else flag for n, flag in enumerate(flags)]
            subprocess.run(
                ["clang", "-O2", "-fno-inline", *chosen, str(Path(folder) / "main.c"), "-o", str(program)], check=True)
            found = list(check.program_is_hardened(program))
            if len(found) != (missing is not None):
                yield f"program_is_hardened: {found} for a program without {'nothing' if missing is None else flags[missing]}"
    if len(list(check.program_is_hardened(Path("/nonexistent/program")))) != 4:
        yield "program_is_hardened: passes for a program that does not exist"


def run(check):
    failures = [*sound_package(check), *programs(check), *hardened_programs(check)]
    failures += [problem for violation in VIOLATIONS if (problem := plant(check, *violation))]
    untested = {rule.__name__ for rule in check.RULES} - {violation[0] for violation in VIOLATIONS}
    failures += [f"{rule} has no violation here" for rule in sorted(untested)]
    for failure in failures:
        print(f"error: {failure}")
    if not failures:
        print(f"all {len(VIOLATIONS)} planted violations were found")
    return 1 if failures else 0
