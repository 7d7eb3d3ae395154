"""TLS: each failure is explained, and files that cannot be used are found before a start."""

import os
import re
import shutil
import ssl
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

import certificates
from agent import PROGRAM
from broker import HOST, Broker
from command_line import ctl
from hostile_broker import HostileBroker
from waiting import TIMEOUT

DAY = timedelta(days=1)


class Store:
    """An authority, and certificates that it has issued, for all tests of this file."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.authority = certificates.authority(folder)
        self.garbage = folder / "garbage.pem"
        self.garbage.write_text("-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n")
        self.text = folder / "text.pem"
        self.text.write_text("no certificate\n")

    def signed(self, name: str, issuer=None, **options) -> certificates.Identity:
        if not (self.folder / f"{name}.pem").exists():
            certificates.signed(self.folder, name, issuer or self.authority, **options)
        return certificates.Identity(self.folder / f"{name}.pem", self.folder / f"{name}.key")

    def encrypted(self, identity: certificates.Identity) -> Path:
        key = self.folder / "encrypted.key"
        subprocess.run(
            ["openssl", "pkcs8", "-topk8", "-in", identity.key, "-out", key, "-passout", "pass:secret"], check=True)
        return key


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("certificates"))


def context(identity: certificates.Identity) -> ssl.SSLContext:
    """That of a server with this certificate."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(identity.certificate, identity.key)
    return made


def command(name: str, folder: Path, port: int, host=HOST, **tls) -> list[str]:
    """The program with an agent that uses TLS."""
    flags = [f"mqtt.tls.{key}={value}" for key, value in tls.items()] or ["mqtt.tls=true"]
    flags += ["cameras.0.id=door", "cameras.0.source=simulated"]
    return [
        str(PROGRAM), name, "--agent", "porch", "--host", host, "--port", str(port),
        "--state-file", str(folder / "state.json"), *(word for flag in flags for word in ("--set", flag))]


def reason(folder: Path, port: int, host=HOST, environment=None, **tls) -> str:
    """Why an agent does not connect, as its log has it."""
    ended = subprocess.run(
        [*command("run", folder, port, host, **tls), "--require-broker"], capture_output=True, text=True, timeout=TIMEOUT,
        env={**os.environ, **(environment or {})})
    found = re.search(rf"no connection to {re.escape(host)}:{port}: (.*); next attempt in", ended.stderr)
    assert ended.returncode == 69 and found, ended
    return found.group(1)


def checked(folder: Path, environment=None, **tls) -> subprocess.CompletedProcess:
    return subprocess.run(
        command("check", folder, 8883, **tls), capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})})


def refusal(folder: Path, **tls) -> str:
    """What `check` says of files that cannot be used; a start says the same."""
    ended = checked(folder, **tls)
    assert (ended.returncode, ended.stdout) == (64, ""), ended
    started = subprocess.run(
        command("run", folder, 8883, **tls), capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    assert (started.returncode, started.stderr) == (64, ended.stderr)
    return ended.stderr.strip()


# What is wrong with the broker's certificate.


def self_signed(store, folder):
    return certificates.self_signed(folder, "broker"), store.authority


def of_an_authority_that_was_made_anew(store, folder):
    return store.signed("broker"), certificates.authority(folder)


def of_a_stranger(store, folder):
    return store.signed("broker"), certificates.authority(folder, "stranger")


def of_an_authority_without_its_issuer(store, folder):
    middle = certificates.authority(folder, "middle", store.authority)
    server = certificates.signed(folder, "broker", middle)
    server.certificate.write_text(server.certificate.read_text() + middle.certificate.read_text())
    return server, certificates.authority(folder, "stranger")


def signed(**options):
    return lambda store, folder: (certificates.signed(folder, "broker", store.authority, **options), store.authority)


MISMATCH = "IP address mismatch, depth 0, subject CN=broker"


@pytest.mark.parametrize("make, words, host", [
    (of_a_stranger, "unable to get local issuer certificate, depth 0, subject CN=broker", HOST),
    (of_an_authority_that_was_made_anew, ".*, depth 0, subject CN=broker", HOST),
    (of_an_authority_without_its_issuer, "unable to get local issuer certificate, depth 1, subject CN=middle", HOST),
    (self_signed, "self-signed certificate, depth 0, subject CN=broker", HOST),
    (signed(first=-3 * DAY, last=-DAY), "certificate has expired, depth 0, subject CN=broker", HOST),
    (signed(first=DAY, last=2 * DAY), "certificate is not yet valid, depth 0, subject CN=broker", HOST),
    (signed(names="DNS:broker.example"), MISMATCH, HOST), (signed(names="IP:192.0.2.1"), MISMATCH, HOST),
    (signed(names=None), MISMATCH, HOST),
    (signed(names="DNS:broker.example,IP:192.0.2.1"), "hostname mismatch, depth 0, subject CN=broker", "localhost"),
    (signed(extensions=["extendedKeyUsage=clientAuth"]), ".*purpose.*, depth 0, subject CN=broker", HOST),
], ids=["stranger", "made anew", "no issuer", "self-signed", "expired", "not yet valid", "name for address", "other address",
        "no names", "other name", "of a client"])
def test_a_certificate_that_is_refused_is_named_with_the_reason(store, tmp_path, make, words, host):
    server, authority = make(store, tmp_path)
    with HostileBroker(context=context(server)) as broker:
        found = reason(tmp_path, broker.port, host, ca_file=authority.certificate)
    # OpenSSL's words with the place in the chain and the subject, and what was expected.
    assert re.fullmatch(
        f"the broker's certificate is refused: {words}; expected one for \"{re.escape(host)}\", of the authorities in "
        f"{re.escape(str(authority.certificate))}", found), found


# What is wrong with the other end.


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_broker_that_has_only_tls_1_1_is_named(store, tmp_path):
    old = context(store.signed("broker"))
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with HostileBroker(context=old) as broker:
        found = reason(tmp_path, broker.port, ca_file=store.authority.certificate)
    assert re.search("protocol version|unsupported protocol", found)


# What is wrong with the client's certificate, in the eyes of mosquitto.


@pytest.fixture(scope="module", params=["tlsv1.2", "tlsv1.3"])
def strict(request, tmp_path_factory):
    """A mosquitto that requires a certificate, with one version of TLS."""
    broker = Broker(tmp_path_factory.mktemp("broker"), tls=True)
    configuration = broker.folder / "mosquitto.conf"
    configuration.write_text(configuration.read_text() + f"tls_version {request.param}\n")
    broker.start()
    yield broker
    broker.stop()


def test_client_without_a_certificate_is_told_that_it_needs_one(strict, tmp_path):
    found = reason(tmp_path, strict.port, ca_file=strict.certificates.authority)
    assert found.endswith("it requires a certificate of the client, and none is set")


def test_client_with_a_certificate_of_another_authority_is_told_so(store, strict, tmp_path):
    own = store.signed("agent")
    found = reason(
        tmp_path, strict.port, ca_file=strict.certificates.authority, cert_file=own.certificate, key_file=own.key)
    # With TLS 1.3 mosquitto closes the connection while the client sends, and then its alert may be lost.
    assert found in (
        f"the broker refuses the connection: unknown CA; it may refuse the client's certificate in {own.certificate}",
        f"the broker closed the connection; it may refuse the client's certificate in {own.certificate}")


# Files that cannot be used.


def test_check_reads_the_authorities(store, tmp_path):
    for file in (store.garbage, store.text):
        assert refusal(tmp_path, ca_file=file) == (
            f"--set mqtt.tls.ca_file: expected certificates in PEM form in {file}")
    assert checked(tmp_path, ca_file=store.authority.certificate).returncode == 0


def test_check_reads_certificate_and_key(store, tmp_path):
    own, other = store.signed("agent"), store.signed("other")
    for file in (store.garbage, store.text):
        assert refusal(tmp_path, cert_file=file, key_file=own.key) == (
            f"--set mqtt.tls.cert_file: expected certificates in PEM form in {file}")
    assert refusal(tmp_path, cert_file=own.certificate, key_file=store.text) == (
        f"--set mqtt.tls.key_file: expected a private key in PEM form in {store.text}")
    assert refusal(tmp_path, cert_file=own.certificate, key_file=other.key) == (
        f"--set mqtt.tls.key_file: the key in {other.key} isn't that of the certificate in {own.certificate}")
    ended = checked(tmp_path, cert_file=own.certificate, key_file=own.key)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_encrypted_key_is_refused_and_nothing_asks_for_its_passphrase(store, tmp_path):
    own = store.signed("agent")
    key = store.encrypted(own)
    assert refusal(tmp_path, cert_file=own.certificate, key_file=key) == (
        f"--set mqtt.tls.key_file: the key in {key} is encrypted; only one without a passphrase can be used")


def test_check_outside_of_the_service_warns_of_its_credentials_and_checks_the_rest(store, tmp_path):
    old = certificates.signed(tmp_path, "agent", store.authority, first=-3 * DAY, last=-DAY)
    key = "/run/credentials/nowhere.service/nowhere.key"
    ended = checked(tmp_path, cert_file=old.certificate, key_file=key)
    first, second = ended.stderr.splitlines()
    assert (ended.returncode, first) == (0, (
        f"warning: --set mqtt.tls.key_file: not checked: systemd makes {key} for nowhere.service only, when it starts "
        f"(LoadCredential=, usually from /etc/credstore/nowhere.key); here: No such file or directory"))
    assert second.startswith(f"warning: --set mqtt.tls.cert_file: the certificate in {old.certificate} expired")
    assert f"key_file: {key}" in ended.stdout
    missing = f"--set mqtt.tls.key_file: can't read {key}: No such file or directory\n"
    inside = checked(tmp_path, {"CREDENTIALS_DIRECTORY": "/run/credentials/nowhere.service"},
                     cert_file=old.certificate, key_file=key)
    started = subprocess.run(
        command("run", tmp_path, 8883, cert_file=old.certificate, key_file=key), capture_output=True, text=True,
        timeout=TIMEOUT)
    assert (inside.returncode, inside.stderr) == (started.returncode, started.stderr) == (64, missing)


def test_check_warns_of_certificates_that_have_expired(store, tmp_path):
    old = certificates.signed(tmp_path, "agent", store.authority, first=-3 * DAY, last=-DAY)
    authority = certificates.signed(tmp_path, "old", store.authority, first=-3 * DAY, last=-DAY)
    ended = checked(tmp_path, ca_file=authority.certificate, cert_file=old.certificate, key_file=old.key)
    assert ended.returncode == 0
    assert [line.split(" on ")[0] for line in ended.stderr.splitlines()] == [
        f"warning: --set mqtt.tls.ca_file: the authorities in {authority.certificate} expired",
        f"warning: --set mqtt.tls.cert_file: the certificate in {old.certificate} expired"]


def test_check_and_start_warn_of_a_key_that_others_can_read(store, tmp_path):
    own = store.signed("agent")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        key = Path(shutil.copy(own.key, folder))
        key.chmod(0o640)
        assert checked(tmp_path, cert_file=own.certificate, key_file=key).stderr == ""
        key.chmod(0o644)
        expected = (
            f"warning: --set mqtt.tls.key_file: every user of this machine can read {key} (mode 0644); "
            f"it should be 0600 or 0640")
        assert checked(tmp_path, cert_file=own.certificate, key_file=key).stderr.strip() == expected
        with HostileBroker() as broker:
            started = subprocess.run(
                [*command("run", tmp_path, broker.port, cert_file=own.certificate, key_file=key), "--require-broker"],
                capture_output=True, text=True, timeout=TIMEOUT)
        assert expected in started.stderr


# Ways to trust.


def test_tls_true_trusts_the_authorities_of_the_system(bench, store, tmp_path):
    server = store.signed("broker")
    with HostileBroker(context=context(server)) as broker:
        process = subprocess.Popen(
            command("run", tmp_path, broker.port), stderr=subprocess.DEVNULL,
            env={**os.environ, "SSL_CERT_FILE": str(store.authority.certificate)})
        try:
            broker.wait(lambda seen: seen.connections)
        finally:
            process.kill()
            process.wait()
        nothing = tmp_path / "nothing"
        nothing.mkdir()
        found = reason(
            tmp_path, broker.port, environment={"SSL_CERT_FILE": "/nothing.pem", "SSL_CERT_DIR": str(nothing)})
    assert found.endswith(f'expected one for "{HOST}", of the system\'s authorities ({nothing})')
    ended = checked(tmp_path, {"SSL_CERT_FILE": "/nothing.pem", "SSL_CERT_DIR": str(nothing)})
    assert "the system has no authorities" in ended.stderr


def test_ctl_trusts_a_file_or_the_system_and_explains_failures(store):
    server = store.signed("broker")
    with HostileBroker(context=context(server)) as broker:
        address = ["list", "--host", HOST, "--port", str(broker.port)]
        for trust in (["--tls"], ["--ca-file", certificates.authority(store.folder / "other", "other").certificate]):
            ended = ctl(*address, *trust)
            assert ended.returncode and "certificate is refused: unable to get local issuer" in ended.stderr
        trusting = subprocess.Popen(
            [PROGRAM, "ctl", *address, "--tls"], stdout=subprocess.DEVNULL,
            env={**os.environ, "SSL_CERT_FILE": str(store.authority.certificate)})
        broker.wait(lambda seen: seen.connections)
        trusting.kill()
        trusting.wait()


def test_certificates_are_read_again_for_each_connection(bench, tmp_path):
    broker = bench.broker(tls=True)
    authorities = tmp_path / "authorities.pem"
    shutil.copy(broker.certificates.authority, authorities)
    agent = bench.agent(broker, mqtt={"tls": {"ca_file": str(authorities)}})
    authorities.write_text("no certificate\n")
    broker.kill()
    broker.start()
    agent.logs(f"expected certificates in PEM form in {authorities}")
    shutil.copy(broker.certificates.authority, authorities)
    with bench.controller(broker) as controller:
        controller.agent_availability("online")
