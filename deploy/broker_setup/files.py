"""Files and folders of a set-up, with the permissions that root and mosquitto need."""

import fcntl
import grp
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

#: Modes. mosquitto gives up root before it opens its files, and reads them again after SIGHUP: they belong to
#: its group.
PUBLIC, FOR_MOSQUITTO, SECRET = 0o644, 0o640, 0o600


class SetupError(Exception):
    """What was asked for cannot be done; the text says why and what to do."""


def write_file(path: Path, text: str, mode: int):
    """Replaces a file, so that mosquitto and a crash never meet half of it."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), mode)
            _give_to_mosquitto(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def make_folder(path: Path, mode: int):
    """Makes a folder, or sets the permissions of one that is there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(mode)
    _give_to_mosquitto(path, mode)


def _give_to_mosquitto(file, mode: int):
    """As root: what only a group may read belongs to the group of mosquitto."""
    if os.geteuid() != 0 or mode & 0o070 == 0 or mode & 0o007:
        return
    try:
        os.chown(file, 0, grp.getgrnam("mosquitto").gr_gid)
    except KeyError:
        raise SetupError("there is no group mosquitto: apt-get install mosquitto") from None


@contextmanager
def locked(folder: Path):
    """Waits until no other process changes the set-up."""
    if not folder.is_dir():
        raise SetupError(f"there is no set-up in {folder}; `init` makes one")
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        raise SetupError(f"{folder} is readable for root only") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
