"""An authority with one server and one client certificate, made by the openssl program."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Identity:
    certificate: Path
    key: Path


@dataclass(frozen=True)
class Certificates:
    authority: Path
    server: Identity
    client: Identity


def make(folder: Path) -> Certificates:
    """Valid for two days, for 127.0.0.1 and localhost."""
    folder.mkdir(parents=True, exist_ok=True)
    authority = _request(folder, "authority", "-x509", "-days", "2")
    return Certificates(
        authority=authority.certificate,
        server=_signed(folder, "server", authority),
        client=_signed(folder, "client", authority))


def _signed(folder: Path, name: str, authority: Identity) -> Identity:
    return _request(
        folder, name, "-x509", "-days", "2", "-CA", authority.certificate, "-CAkey", authority.key,
        "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE")


def _request(folder: Path, name: str, *options) -> Identity:
    made = Identity(folder / f"{name}.pem", folder / f"{name}.key")
    subprocess.run(
        ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", f"/CN={name}", "-keyout", made.key, "-out", made.certificate, *options],
        check=True, capture_output=True)
    return made
