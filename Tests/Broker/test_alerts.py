"""The alerts of deploy/monitoring: which fire, and which keep silent, by Prometheus's own evaluation."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from waiting import TIMEOUT

ALERTS = Path(__file__).resolve().parents[2] / "deploy/monitoring/alerts.yml"
RULES = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]
SEVERITY = {rule["alert"]: rule.get("labels", {}).get("severity") for rule in RULES}
CONNECTED = {"v4l2mqtt_exporter_connected": "1x30"}


def test_each_alert_has_a_severity_and_a_summary():
    assert set(SEVERITY.values()) == {"critical", "warning"}
    assert all(rule["annotations"]["summary"] for rule in RULES)


def firing(folder: Path, series: dict[str, str], expected: set[str]):
    """Whether these alerts, and no other, fire 20 minutes after the beginning of these series."""
    assert expected <= SEVERITY.keys()
    labels = {"agent": "porch", "camera": "door", "of": "cam-01"}
    tests = [{
        "eval_time": "20m", "alertname": name,
        "exp_alerts": [{
            "exp_labels": {"severity": SEVERITY[name]} | {key: value for key, value in labels.items() if key in about(name)},
            "exp_annotations": {"summary": summary(name, labels)}}] if name in expected else []} for name in SEVERITY]
    file = folder / "tests.yml"
    file.write_text(json.dumps({
        "rule_files": [str(ALERTS)], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()],
                   "alert_rule_test": tests}]}))
    done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr


def about(alert: str) -> set[str]:
    """The labels that an alert's summary names: its series have them."""
    return {label for label in ("agent", "camera", "of") if f"$labels.{label}" in summary(alert, {})}


def summary(alert: str, labels: dict[str, str]) -> str:
    text = next(rule["annotations"]["summary"] for rule in RULES if rule["alert"] == alert)
    for label, value in labels.items():
        text = text.replace("{{ $labels.%s }}" % label, value)
    return text


needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="deploy/prepare monitoring installs promtool")


@needs_promtool
@pytest.mark.parametrize("series, expected", [
    ({}, {"V4l2mqttMetricsGone"}),
    ({"v4l2mqtt_exporter_connected": "0x30"}, {"V4l2mqttExporterDisconnected"}),
    (CONNECTED | {'v4l2mqtt_agent_up{agent="porch"}': "1x5 0x25"}, {"V4l2mqttAgentDown"}),
    # Stopped as requested: no failure, neither of the agent nor of its camera.
    (CONNECTED | {
        'v4l2mqtt_agent_up{agent="porch"}': "1x5 0x25", 'v4l2mqtt_camera_up{agent="porch",camera="door"}': "1x5 0x25",
        'v4l2mqtt_camera_unavailable{agent="porch",camera="door",reason="stopped"}': "_x6 1x24"}, set()),
    (CONNECTED | {
        'v4l2mqtt_agent_up{agent="porch"}': "1x30", 'v4l2mqtt_camera_up{agent="porch",camera="door"}': "1x5 0x25",
        'v4l2mqtt_camera_unavailable{agent="porch",camera="door",reason="unplugged"}': "_x6 1x24"}, {"V4l2mqttCameraDown"}),
    (CONNECTED | {'v4l2mqtt_agent_boot{agent="porch"}': "1x8 2+1x20"}, {"V4l2mqttAgentRestarts"}),
    (CONNECTED | {'v4l2mqtt_agent_boot{agent="porch"}': "1x8 2x20"}, set()),
    (CONNECTED | {'v4l2mqtt_agent_up{agent="porch"}': "1x30", 'v4l2mqtt_agent_overdue{agent="porch"}': "0x5 1x25"},
     {"V4l2mqttAgentOverdue"}),
    # 40 days after the beginning of time, which is the series'.
    (CONNECTED | {'v4l2mqtt_certificate_end_timestamp_seconds{of="cam-01"}': f"{40 * 86400}x30"}, set()),
    (CONNECTED | {'v4l2mqtt_certificate_end_timestamp_seconds{of="cam-01"}': f"{20 * 86400}x30"}, {"V4l2mqttCertificateEnds"}),
], ids=["nothing", "disconnected", "died", "stopped", "unplugged", "restarts", "one restart", "overdue", "certificate", "certificate that ends"])
def test_what_fires(tmp_path, series, expected):
    firing(tmp_path, series, expected)
