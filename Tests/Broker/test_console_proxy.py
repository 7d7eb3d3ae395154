"""The console behind nginx with TLS, below a path: the file that deploy/console has for it."""

import base64
import http.client
import os
import re
import shutil
import ssl
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from broker import HOST, free_port
import certificates
from console import Console
from waiting import TIMEOUT, eventually

LOCATION = Path(__file__).resolve().parents[2] / "deploy/console/nginx.conf"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

pytestmark = [
    pytest.mark.needs("anonymous clients"),
    pytest.mark.skipif(not os.access(NGINX, os.X_OK), reason="needs nginx")]

#: As root nginx would become a user that cannot reach the folder of a test.
USER = "user root;" if os.geteuid() == 0 else ""
SITE = """\
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen {host}:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        include {location};
    }}
}}
"""


@pytest.fixture(scope="module")
def site(broker, agent, tmp_path_factory):
    """An HTTPS connection to nginx, the console behind it, and its token."""
    with site_with(broker, tmp_path_factory.mktemp("nginx"), LOCATION.read_text()) as site:
        yield site


@contextmanager
def site_with(broker, folder, text: str, *options: str):
    """The same with the text of a location, and with options of the console."""
    tls = certificates.make(folder)
    port = free_port()
    with closing(Console(broker, folder / "console", "--trusted-proxies", HOST, *options)) as console:
        token = console.token("tablet", "--cameras", "porch/*")
        console.start()
        location = folder / "location.conf"
        location.write_text(text.replace("127.0.0.1:8177", f"{HOST}:{console.port}"))
        settings = folder / "nginx.conf"
        settings.write_text(SITE.format(
            user=USER, folder=folder, host=HOST, port=port, certificate=tls.server.certificate, key=tls.server.key, location=location))
        process = subprocess.Popen([NGINX, "-c", settings, "-e", folder / "error.log"])
        try:
            context = ssl.create_default_context(cafile=tls.authority)
            eventually(lambda: answers(port, context), "nginx")
            yield Site(port, context, token)
        finally:
            process.terminate()
            process.wait(TIMEOUT)


def answers(port, context) -> bool:
    try:
        return Site(port, context, "").request("GET", "").status in (200, 401)
    except OSError:
        return False


class Site:
    def __init__(self, port, context, token):
        self.port, self.context, self.token = port, context, token

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPSConnection(HOST, self.port, context=self.context, timeout=TIMEOUT)
        headers = {"Origin": f"https://{HOST}:{self.port}"} | headers
        connection.request(method, f"/cameras/{path}", body, headers)
        answer = connection.getresponse()
        answer.content = answer.read()
        connection.close()
        return answer

    def cookie(self) -> str:
        answer = self.request("POST", "session", f'{{"token": "{self.token}"}}')
        assert answer.status == 204, answer.content
        return answer.headers["Set-Cookie"]


def test_the_page_and_its_files_come_below_a_path(site):
    page = site.request("GET", "").content.decode()
    names = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert names and not any(name.startswith(("/", "http")) for name in names)
    for name in names:
        assert site.request("GET", name).status == 200, name


@pytest.mark.parametrize("options", [[], ["--open-localhost"]])
def test_localhost_is_no_way_around_the_token(broker, agent, tmp_path, options):
    with site_with(broker, tmp_path, LOCATION.read_text(), *options) as site:
        for host in ["localhost", f"localhost:{site.port}", "127.0.0.1", "[::1]"]:
            for path in ["snapshot/porch/door", "live/porch/door", "media/porch/door/a.jpg", "metrics"]:
                assert site.request("GET", path, Host=host).status == 401, (host, path)


def test_nginx_names_the_user_that_it_has_authenticated(broker, agent, tmp_path):
    """With the lines of the document. What the browser sends as this header is replaced."""
    text = (LOCATION.parent / "README.md").read_text()
    lines = re.search(r"^```nginx\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    option = re.search(r"--user-header (\S+)$", text, re.MULTILINE)[1]
    accounts = tmp_path / "accounts"
    accounts.write_text("tablet:{PLAIN}secret\nstranger:{PLAIN}secret\n")
    inside = lines.replace("/etc/nginx/cameras.htpasswd", str(accounts))
    location = LOCATION.read_text().rstrip().removesuffix("}") + inside + "}\n"

    def status(user: str) -> int:
        account = base64.b64encode(f"{user}:secret".encode()).decode()
        headers = {"Authorization": f"Basic {account}", option: "tablet"}
        return site.request("GET", "media/porch/door/camera-1.jpg", **headers).status

    with site_with(broker, tmp_path, location, "--user-header", option, "--public-host", "cameras.example") as site:
        assert site.request("GET", "media/porch/door/camera-1.jpg").status == 401
        assert status("stranger") == 403
        assert status("tablet") == 404, "the file that does not exist"


def test_another_site_cannot_name_the_host(site):
    """nginx replaces the header by which a proxy names the host that the browser asked."""
    headers = {"Origin": "https://evil.example", "X-Forwarded-Host": "evil.example"}
    body = f'{{"token": "{site.token}"}}'
    assert site.request("POST", "session", body, **headers).status == 403
    assert site.request("POST", "session", body).status == 204


def test_the_cookie_is_secure_and_for_the_path(site):
    """Without Path a cookie is for the folder of the request (RFC 6265, 5.1.4)."""
    fields = site.cookie().split("; ")
    assert "Secure" in fields and "HttpOnly" in fields and not any(field.startswith("Path") for field in fields)


@pytest.mark.parametrize("origin, status", [(None, 101), ("https://other.example", 403)])
def test_a_socket_of_the_page_is_opened_and_no_other(site, origin, status):
    connection = http.client.HTTPSConnection(HOST, site.port, context=site.context, timeout=TIMEOUT)
    with closing(connection):
        connection.request("GET", "/cameras/socket", headers={
            "Origin": origin or f"https://{HOST}:{site.port}", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Cookie": site.cookie().split(";")[0]})
        # Only the head: the body of a socket does not end.
        assert connection.getresponse().status == status
