"""What the benchmarks run with: the release build, the C peers, a Python with paho-mqtt, and a folder for it
all."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
FOLDER = PROJECT / ".build" / "benchmarks"
PAHO = "paho-mqtt==2.1.0"
PILLOW = "pillow==13.0.0"


class Unable(Exception):
    """Something that the benchmarks need is missing or went wrong; the text has the remedy."""


def program(path=None):
    """The agent's program: the one given, or the release build, which is made when it isn't there."""
    if path:
        if not os.access(path, os.R_OK):
            raise Unable(f"{path}: no such program")
        return pathlib.Path(path).resolve()
    return swift_product("v4l2mqtt")


def swift_product(name):
    """A program of the project's release build; built when it isn't there, and left as it is when it is."""
    built = PROJECT / ".build" / "release" / name
    if not built.exists():
        print(f"building {name} (once, some minutes) …", file=sys.stderr)
        needed("swift", "see https://www.swift.org/install")
        _do(["swift", "build", "-c", "release", "--product", name], cwd=PROJECT)
    return built


def without_debug_information(program):
    """A copy of a program without its debug information."""
    made = FOLDER / f"{program.name}-without-debug"
    FOLDER.mkdir(parents=True, exist_ok=True)
    _do([needed("strip", "sudo apt-get install binutils"), "--strip-debug", program, "-o", made])
    return made


def peer(name, library="libmosquitto"):
    """The program made of `peers/NAME.c` with a library that pkg-config knows, compiled anew when a source is
    younger."""
    needed("pkg-config", "sudo apt-get install pkg-config")
    linked = _do(["pkg-config", "--cflags", "--libs", library], advice=f"needs the headers of {library}").split()
    return _compiled(name, FOLDER / name, *linked)


def preload(name):
    """The library made of `peers/NAME.c`, for LD_PRELOAD."""
    return _compiled(name, FOLDER / f"{name}.so", "-shared", "-fPIC", "-ldl")


def _compiled(name, made, *options):
    source = HERE / "peers" / f"{name}.c"
    youngest = max(file.stat().st_mtime for file in (source, source.with_name("peer.h")))
    if not made.exists() or made.stat().st_mtime < youngest:
        FOLDER.mkdir(parents=True, exist_ok=True)
        needed("cc", "sudo apt-get install gcc")
        flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
        _do(["cc", *flags, source, "-o", made, *options])
    return made


def python_with_paho():
    """The Python of a virtual environment of our own, made at the first use."""
    return python_with(PAHO)


def python_with(requirement):
    """The same with another package; all of them share the environment."""
    python = FOLDER / "venv" / "bin" / "python"
    marker = FOLDER / "venv" / requirement
    if not marker.exists():
        print(f"installing {requirement} in {FOLDER / 'venv'} …", file=sys.stderr)
        if not python.exists():
            _do([sys.executable, "-m", "venv", FOLDER / "venv"], advice="needs python3-venv")
        _do([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement])
        marker.touch()
    return python


def mosquitto():
    """The broker; Debian puts it where an ordinary user's PATH doesn't reach."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
    return needed("mosquitto", "sudo apt-get install mosquitto", path)


def needed(command, advice, path=None):
    found = shutil.which(command, path=path)
    if not found:
        raise Unable(f"{command} is missing: {advice}")
    return found


def _do(command, cwd=None, advice=""):
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Unable(f"{command[0]} failed. {advice}\n{done.stdout.strip()}")
    return done.stdout
