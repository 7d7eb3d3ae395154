"""Metrics of agents and cameras, as Prometheus reads them."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from broker import HOST, Broker, free_port
from controller import Controller
from exporter import PROGRAM, Exporter
from waiting import TIMEOUT, eventually

#: The dashboard and the rules for alerts.
MONITORING = Path(__file__).resolve().parents[2] / "deploy/monitoring"

DOOR = '{agent="porch",camera="door"'

pytestmark = pytest.mark.needs("anonymous clients")


@pytest.fixture
def exporter(broker, tmp_path):
    made = Exporter(broker, tmp_path).start()
    yield made
    if made.process.poll() is None:
        made.process.kill()
        made.process.wait()


def test_it_shows_an_agent_and_its_camera(bench, broker, exporter):
    agent = bench.agent(broker)
    controller = bench.controller(broker)
    exporter.eventually(f"v4l2mqtt_camera_up{DOOR}}}", 1)
    samples = exporter.samples()
    assert samples['v4l2mqtt_agent_up{agent="porch"}'] == 1
    assert samples['v4l2mqtt_agent_boot{agent="porch"}'] == 1
    assert any(name.startswith('v4l2mqtt_agent_info{agent="porch",version="') for name in samples)
    age = time.time() - samples['v4l2mqtt_agent_last_message_timestamp_seconds{agent="porch"}']
    assert -1 < age < TIMEOUT
    assert controller.command("zoom", {"factor": 99, "if_rev": 10**6})["error"]["code"] == "conflict"
    assert controller.command("capture", {})["status"] == "done"
    exporter.eventually(f'v4l2mqtt_camera_refusals_total{DOOR},code="conflict"}}', 1)
    exporter.eventually(f"v4l2mqtt_camera_photos_total{DOOR}}}", 1)
    exporter.eventually(f"v4l2mqtt_camera_recording{DOOR}}}", 0)
    assert agent.stop() == 0
    exporter.eventually(f"v4l2mqtt_camera_up{DOOR}}}", 0)
    assert exporter.samples()['v4l2mqtt_agent_up{agent="porch"}'] == 0


def test_a_lost_broker_makes_everything_unknown(bench, tmp_path):
    broker = bench.broker()
    exporter = Exporter(broker, tmp_path).start()
    try:
        bench.agent(broker)
        exporter.eventually('v4l2mqtt_agent_up{agent="porch"}', 1)
        broker.stop()
        exporter.eventually("v4l2mqtt_exporter_connected", 0)
        assert 'v4l2mqtt_agent_up{agent="porch"} NaN' in exporter.text()
        broker.start()
        exporter.eventually('v4l2mqtt_agent_up{agent="porch"}', 1)
        assert exporter.stop() == 0
    finally:
        exporter.process.kill()
        exporter.process.wait()


def test_what_a_broker_does_not_deliver_is_counted_and_in_the_log(tmp_path):
    """All but the availability of an agent, ten seconds after the last retained message."""
    # Without the recorder of the bench: this agent answers nobody.
    broker = Broker(tmp_path / "broker").start()
    with Controller(broker, agent="barn") as barn:
        barn.publish("v4l2mqtt/barn/availability", b'{"state":"online","boot":1}', retain=True)
    exporter = Exporter(broker, tmp_path).start()
    try:
        exporter.eventually("v4l2mqtt_exporter_incomplete_cameras", 1)
        eventually(
            lambda: "warning: incomplete: not all retained messages of 1 camera have come." in exporter.log,
            "the warning")
        assert exporter.stop() == 0
    finally:
        exporter.process.kill()
        exporter.process.wait()
        broker.stop()


def test_requests_for_anything_else_are_refused(exporter):
    for method, path, status in [
        ("HEAD", "/metrics", 200), ("GET", "/metrics?x=1", 200), ("GET", "/", 200), ("GET", "/other", 404),
        ("POST", "/metrics", 405), ("GET", "//metrics", 404),
    ]:
        connection = http.client.HTTPConnection(HOST, exporter.port, timeout=TIMEOUT)
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read()
        assert response.status == status, (method, path)
        assert (body == b"") == (method == "HEAD")
        connection.close()


def test_connections_have_a_limit_and_places_become_free(exporter):
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(socket.create_connection((HOST, exporter.port), timeout=TIMEOUT))
        # One too many is refused and closed, or closed at once.
        with socket.create_connection((HOST, exporter.port), timeout=TIMEOUT) as last:
            try:
                assert last.recv(65536)[:12] in (b"", b"HTTP/1.1 503")
            except ConnectionResetError:
                pass

    def answers():
        try:
            return bool(exporter.text())
        except (OSError, http.client.HTTPException):
            return False

    eventually(answers, "a free place")


def test_wrong_usage_and_a_taken_port_end_it(exporter):
    for code, options in [
        (64, ["--listen", "127.0.0.1"]), (64, ["--protocol", "4"]), (64, ["--max-cameras", "0"]),
        (64, ["--max-cameras", "1000001"]), (69, ["--listen", f"{HOST}:{exporter.port}"])]:
        ended = subprocess.run([PROGRAM, "metrics", *options], capture_output=True, text=True, timeout=TIMEOUT)
        assert ended.returncode == code and ended.stderr and not ended.stdout, ended


def test_it_answers_only_its_names(broker, tmp_path):
    """Another site could give its own name the address of the metrics, and read the names of all cameras."""
    exporter = Exporter(broker, tmp_path, "--public-host", "Metrics.example").start()

    def status(host: str) -> int:
        connection = http.client.HTTPConnection(HOST, exporter.port, timeout=TIMEOUT)
        with closing(connection):
            connection.request("GET", "/metrics", headers={"Host": host})
            return connection.getresponse().status

    try:
        names = ["localhost", HOST, "192.168.1.20:9877", "[::1]:9877", "metrics.example:9877", socket.gethostname()]
        assert {host: status(host) for host in names} == dict.fromkeys(names, 200)
        assert status("evil.example") == 403 and status("metrics.example.evil.example") == 403
    finally:
        exporter.process.kill()
        exporter.process.wait()


def dashboard_expressions() -> list[str]:
    """The expressions of the dashboard, for all agents."""
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    found = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(found) > 10
    return [expression.replace("$agent", ".*") for expression in found]


def test_dashboard_and_alerts_name_metrics_that_exist(exporter):
    known = set(re.findall(r"^# TYPE (\S+)", exporter.text(), re.MULTILINE))
    named = set(re.findall(r"v4l2mqtt_[a-z_]+", " ".join(dashboard_expressions())))
    named |= set(re.findall(r"expr: .*?(v4l2mqtt_[a-z_]+)", (MONITORING / "alerts.yml").read_text()))
    named.remove("v4l2mqtt_certificate_end_timestamp_seconds")  # of deploy/broker
    assert named <= known and len(named) > 10, named - known


@pytest.mark.deep
def test_prometheus_reads_it(bench, broker, exporter, tmp_path):
    """Debian's Prometheus scrapes, stores and evaluates the alerts of deploy/monitoring."""
    assert shutil.which("prometheus"), "deploy/prepare monitoring installs it"
    agent = bench.agent(broker)
    exporter.eventually('v4l2mqtt_agent_up{agent="porch"}', 1)
    subprocess.run(["promtool", "check", "metrics"], input=exporter.text(), text=True, check=True, timeout=TIMEOUT)
    alerts = MONITORING / "alerts.yml"
    subprocess.run(["promtool", "check", "rules", alerts], check=True, timeout=TIMEOUT)
    port = free_port()
    (tmp_path / "prometheus.yml").write_text(f"""\
global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
rule_files: [{alerts}]
scrape_configs:
  - job_name: v4l2mqtt
    static_configs: [{{ targets: ['{HOST}:{exporter.port}'] }}]
""")
    with open(tmp_path / "prometheus.log", "wb") as log:
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data",
             f"--web.listen-address={HOST}:{port}"], stdout=log, stderr=log)

    def query(expression):
        address = f"http://{HOST}:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(address, timeout=TIMEOUT) as response:
            return json.load(response)["data"]["result"]

    def is_ready():
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/-/ready", timeout=TIMEOUT) as response:
                return response.status == 200
        except OSError:
            return False

    try:
        eventually(is_ready, "Prometheus")
        eventually(lambda: [sample["value"][1] for sample in query("v4l2mqtt_agent_up")] == ["1"], "the sample")
        assert query('up{job="v4l2mqtt"}')[0]["value"][1] == "1"
        for expression in dashboard_expressions():
            # An invalid expression is an HTTP error.
            query(expression)
        agent.kill()
        eventually(lambda: query('ALERTS{alertname="V4l2mqttAgentDown"}'), "the alert")
    finally:
        prometheus.terminate()
        prometheus.wait()
