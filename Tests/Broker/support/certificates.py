"""Authorities and certificates, made by the openssl program."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = "IP:127.0.0.1,DNS:localhost"


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
    """An authority with one server and one client certificate, for two days, 127.0.0.1 and localhost."""
    issuer = authority(folder)
    return Certificates(
        authority=issuer.certificate, server=signed(folder, "server", issuer), client=signed(folder, "client", issuer))


def authority(folder: Path, name="authority", issuer: Identity | None = None) -> Identity:
    """One that signs itself, or an intermediate one."""
    if issuer:
        return signed(folder, name, issuer, extensions=["basicConstraints=critical,CA:TRUE"])
    return self_signed(folder, name, names=None)


def self_signed(folder: Path, name: str, *, names: str | None = HERE) -> Identity:
    extra = ["-addext", f"subjectAltName={names}"] if names else []
    return _request(folder, name, "-x509", "-days", "2", *extra)


def signed(
        folder: Path, name: str, issuer: Identity, *, names: str | None = HERE, first=timedelta(0),
        last=timedelta(days=2), extensions=("basicConstraints=critical,CA:FALSE",)) -> Identity:
    """A certificate whose validity begins and ends at these distances from now."""
    request = _request(folder, name)
    work = folder / f"{name}-work"
    work.mkdir()
    (work / "index").touch()
    lines = [*extensions, f"subjectAltName={names}"] if names else extensions
    (work / "configuration").write_text("\n".join([
        "[ca]", "default_ca=this", "[this]", f"database={work}/index", f"new_certs_dir={work}", "policy=any", "rand_serial=yes",
        "default_md=sha256", "x509_extensions=ours", "[any]", "commonName=supplied", "[ours]", *lines]) + "\n")
    subprocess.run(
        ["openssl", "ca", "-batch", "-notext", "-config", work / "configuration",
         "-cert", issuer.certificate, "-keyfile", issuer.key, "-in", request.certificate, "-out", request.certificate,
         "-startdate", _time(first), "-enddate", _time(last)],
        check=True, capture_output=True)
    return request


def _time(distance: timedelta) -> str:
    return (datetime.now(UTC) + distance).strftime("%Y%m%d%H%M%SZ")


def _request(folder: Path, name: str, *options) -> Identity:
    """A new key, and a request for a certificate in the place of the certificate."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Identity(folder / f"{name}.pem", folder / f"{name}.key")
    subprocess.run(
        ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-subj", f"/CN={name}", "-keyout", made.key, "-out", made.certificate, *options],
        check=True, capture_output=True)
    return made
