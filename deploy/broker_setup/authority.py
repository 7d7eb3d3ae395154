"""A private certificate authority, by the openssl program: certificates of the broker and of accounts."""

import datetime
import ipaddress
import re
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

from .accounts import Account, Setup
from .files import FOR_MOSQUITTO, PUBLIC, SECRET, SetupError, write_file

#: Days. Phones take no certificate of a server that is valid for more than 825.
AUTHORITY_DAYS, BROKER_DAYS, ACCOUNT_DAYS = 3650, 820, 820
_HOST = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(\.(?!-)[A-Za-z0-9-]{1,63})*")
_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
_CONFIGURATION = "[req]\ndistinguished_name = name\n[name]\n"


class Authority:
    """The files of the authority: `ca.crt`, `revoked.crl`, and `private/ca.key`, which signs for it."""

    def __init__(self, folder: Path):
        self.certificate, self.key = folder / "ca.crt", folder / "private/ca.key"
        self.revocations = folder / "revoked.crl"

    def make(self, name: str):
        """Makes a new authority, which trusts nothing that another one has signed."""
        extensions = ["basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,keyCertSign,cRLSign"]
        self._request(
            f"v4l2mqtt authority of {name[:40]}", self.certificate, self.key, PUBLIC, SECRET, secrets.token_hex(20),
            AUTHORITY_DAYS, extensions, signs_itself=True)

    def certify_broker(self, setup: Setup, certificate: Path, key: Path):
        """A certificate that a client accepts from the broker, and from nobody else."""
        names = [f"DNS:{name}" for name in setup.names] + [f"IP:{address}" for address in setup.addresses]
        extensions = [
            "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", "extendedKeyUsage=serverAuth",
            f"subjectAltName={','.join(names)}", "authorityKeyIdentifier=keyid"]
        self._request(
            setup.names[0][:60], certificate, key, PUBLIC, FOR_MOSQUITTO, secrets.token_hex(20), BROKER_DAYS, extensions)

    def certify_account(self, account: Account, certificate: Path, key: Path, days=ACCOUNT_DAYS):
        """A certificate with which a client is this account, which notes its serial number and its end."""
        extensions = [
            "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", "extendedKeyUsage=clientAuth",
            "authorityKeyIdentifier=keyid"]
        account.serial, account.expires = secrets.token_hex(20), (today() + datetime.timedelta(days)).isoformat()
        self._request(account.user, certificate, key, SECRET, SECRET, account.serial, days, extensions)

    def publish_revocations(self, setup: Setup):
        """The list of certificates that the broker refuses. With an expired list it would refuse all."""
        with tempfile.TemporaryDirectory() as folder:
            index, configuration, made = (Path(folder) / name for name in ("index", "configuration", "list"))
            index.write_text("".join(_index_line(entry) for entry in setup.revoked))
            configuration.write_text(f"[ca]\ndefault_ca = a\n[a]\ndatabase = {index}\ndefault_md = sha256\n")
            openssl(
                "ca", "-gencrl", "-config", configuration, "-cert", self.certificate, "-keyfile", self.key,
                "-crldays", AUTHORITY_DAYS, "-out", made)
            write_file(self.revocations, made.read_text(), FOR_MOSQUITTO)

    def _request(
        self, subject: str, certificate: Path, key: Path, certificate_mode: int, key_mode: int, serial: str,
        days: int, extensions: list[str], *, signs_itself=False
    ):
        signer = [] if signs_itself else ["-CA", self.certificate, "-CAkey", self.key]
        options = [option for extension in extensions for option in ("-addext", extension)]
        with tempfile.TemporaryDirectory() as folder:
            configuration, made, made_key = (Path(folder) / name for name in ("configuration", "certificate", "key"))
            configuration.write_text(_CONFIGURATION)
            openssl(
                "req", "-x509", "-config", configuration, *_KEY, "-keyout", made_key, "-out", made,
                "-subj", f"/CN={subject}", "-set_serial", f"0x{serial}", "-days", days, "-sha256", *signer, *options)
            write_file(key, made_key.read_text(), key_mode)
            write_file(certificate, made.read_text(), certificate_mode)


def _index_line(entry: dict[str, str]) -> str:
    """A line of the database of `openssl ca`."""
    expires, revoked = (entry[key].replace("-", "")[2:] + "000000Z" for key in ("expires", "revoked"))
    return f"R\t{expires}\t{revoked}\t{entry['serial'].upper()}\tunknown\t/CN={entry['user']}\n"


def revoke(setup: Setup, account: Account):
    """Notes the certificate of an account among those that the broker refuses; drops ended ones."""
    setup.revoked = [entry for entry in setup.revoked if entry["expires"] >= today().isoformat()]
    setup.revoked.append({
        "serial": account.serial, "expires": account.expires, "revoked": today().isoformat(), "user": account.user})
    account.serial = account.expires = ""


def end_of(certificate: Path) -> datetime.date:
    """The day on which a certificate ends."""
    text = openssl("x509", "-in", certificate, "-noout", "-enddate").strip().removeprefix("notAfter=")
    return datetime.datetime.strptime(text, "%b %d %H:%M:%S %Y %Z").date()


def today() -> datetime.date:
    return datetime.datetime.now(datetime.timezone.utc).date()


def check_names(names: list[str], addresses: list[str]):
    """Raises SetupError if a certificate cannot have these names and addresses."""
    for name in names:
        if not _HOST.fullmatch(name):
            raise SetupError(f"{name!r} is no host name; --address is for addresses")
    for address in addresses:
        try:
            ipaddress.ip_address(address)
        except ValueError:
            raise SetupError(f"{address!r} is no IP address") from None


def openssl(*arguments) -> str:
    """Runs the openssl program and returns its output; raises SetupError."""
    if not shutil.which("openssl"):
        raise SetupError("there is no program openssl: apt-get install openssl")
    done = subprocess.run(
        ["openssl", *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SetupError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout
