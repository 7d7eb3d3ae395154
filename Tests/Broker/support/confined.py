#!/usr/bin/env python3
"""Runs a program as a systemd unit confines it, on a machine where no systemd runs.

    confined.py UNIT PROGRAM ARGUMENT…

The kernel gets a seccomp filter with the unit's SystemCallFilter=, SystemCallErrorNumber=EPERM,
MemoryDenyWriteExecute= and RestrictAddressFamilies=. As root the program also has no capabilities
(CapabilityBoundingSet= is empty) and sees `/proc` as ProtectProc=invisible and ProcSubset=pid show it.
Devices and the file system are not confined.
"""

import ctypes
import errno
import os
import platform
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_… in <linux/seccomp.h>
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, _PR_SET_NO_NEW_PRIVS = 22, 2, 38
_PROT_WRITE, _PROT_EXEC = 2, 4
_LOAD, _AND, _EQUAL, _BITS, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x06  # BPF_… in <linux/bpf_common.h>


def settings(unit: Path) -> dict[str, list[str]]:
    """The values of each setting of a unit, in their order."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", unit.read_text(), re.MULTILINE):
        found.setdefault(name, []).append(value.strip())
    return found


def allowed_calls(filters: list[str]) -> set[str]:
    """The names of the system calls that values of SystemCallFilter= allow; the first one is a list of
    allowed calls.
    """
    allowed = _calls("@default")
    for value in filters:
        names = set().union(*(_calls(name) for name in value.removeprefix("~").split()))
        allowed = allowed - names if value.startswith("~") else allowed | names
    return allowed


def _calls(name: str) -> set[str]:
    if not name.startswith("@"):
        return {name}
    command = ["systemd-analyze", "syscall-filter", name]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    members = [line.strip() for line in listed.splitlines()[1:] if not line.strip().startswith("#")]
    return set().union(*(_calls(member) for member in members if member))


def _numbers() -> dict[str, int]:
    command = ["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"]
    defined = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", defined, re.MULTILINE)}


def seccomp_filter(unit: dict[str, list[str]]) -> bytes:
    """The program for the kernel: it returns what happens to a system call."""
    numbers = _numbers()

    def instruction(code: int, k: int, if_true=0, if_false=0) -> bytes:
        return struct.pack("HBBI", code, if_true, if_false, k)

    def argument(index: int) -> bytes:
        return instruction(_LOAD, 16 + 8 * index)

    def for_call(name: str, *steps: bytes) -> bytes:
        return instruction(_EQUAL, numbers[name], 0, len(steps)) + b"".join(steps)

    error, allow = instruction(_RETURN, _ERROR | errno.EPERM), instruction(_RETURN, _ALLOW)
    program = [
        instruction(_LOAD, 4), instruction(_EQUAL, _ARCHITECTURES[platform.machine()], 1, 0), instruction(_RETURN, _KILL),
        instruction(_LOAD, 0)]
    if unit.get("MemoryDenyWriteExecute") == ["yes"]:
        both = _PROT_WRITE | _PROT_EXEC
        program.append(for_call(
            "mmap", argument(2), instruction(_AND, both), instruction(_EQUAL, both, 0, 1), error, allow))
        program.append(for_call("mprotect", argument(2), instruction(_BITS, _PROT_EXEC, 0, 1), error, allow))
        program.append(for_call("pkey_mprotect", argument(2), instruction(_BITS, _PROT_EXEC, 0, 1), error, allow))
    if families := " ".join(unit.get("RestrictAddressFamilies", [])).split():
        checks = [
            instruction(_EQUAL, getattr(socket, name), len(families) - index, 0) for index, name in enumerate(families)]
        refusal = instruction(_RETURN, _ERROR | errno.EAFNOSUPPORT)
        program.append(for_call("socket", argument(0), *checks, refusal, allow))
    for name in sorted(allowed_calls(unit["SystemCallFilter"])):
        if name in numbers:  # some exist on other architectures only
            program.append(for_call(name, allow))
    return b"".join([*program, error])


def confine(unit: Path):
    """Confines this process and its children for good."""
    program = seccomp_filter(settings(unit))
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("H6xP", len(program) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), f"prctl {arguments[0]}")


def main():
    unit, command = Path(sys.argv[1]), sys.argv[2:]
    if os.geteuid() == 0 and "CONFINED_BY_UNIT" not in os.environ:
        mounted = 'mount -t proc -o hidepid=invisible,subset=pid proc /proc && exec "$@"'
        os.environ["CONFINED_BY_UNIT"] = "1"
        without = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--ambient-caps", "-all", "--no-new-privs"]
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c", mounted, "sh", *without, sys.executable, *sys.argv])
    os.environ.pop("CONFINED_BY_UNIT", None)
    confine(unit)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
