"""The container image: what it contains, and whether its file system serves a camera."""

import json
import os
import subprocess
import tarfile
from contextlib import ExitStack

import pytest

from agent import Agent
from broker import Broker
from controller import Controller
from debian import ROOT, as_root, checked

pytestmark = pytest.mark.deep

MAX_MEGABYTES = 60
IMAGES = ("v4l2mqtt", "v4l2mqtt-recording")


class Image:
    """An OCI archive, unpacked as a runtime does it."""

    def __init__(self, name: str, folder):
        options = ["--recording"] if name.endswith("recording") else []
        self.message = checked(*as_root(ROOT / "deploy/image", *options))
        self.archive, self.root = ROOT / f".build/image/{name}.tar", folder / "root"
        blobs = folder / "blobs"
        with tarfile.open(self.archive) as archive:
            archive.extractall(blobs, filter="data")
        index = json.loads((blobs / "index.json").read_text())
        manifest = self._blob(blobs, index["manifests"][0])
        self.configuration = json.loads(self._blob_file(blobs, manifest["config"]).read_text())["config"]
        self.root.mkdir()
        for layer in manifest["layers"]:
            checked(*as_root("tar", "x", "-z", "-C", self.root, "-f", self._blob_file(blobs, layer)))

    @staticmethod
    def _blob_file(blobs, entry):
        return blobs / "blobs" / entry["digest"].replace(":", "/")

    def _blob(self, blobs, entry) -> dict:
        return json.loads(self._blob_file(blobs, entry).read_text())

    def megabytes(self) -> float:
        return sum(file.lstat().st_size for file in self.root.rglob("*") if file.is_file()) / 1e6


@pytest.fixture(scope="module", params=IMAGES)
def image(request, packages, tmp_path_factory):
    image = Image(request.param, tmp_path_factory.mktemp("image"))
    yield image
    checked(*as_root("rm", "-rf", "--one-file-system", image.root))


def test_the_image_without_recording_is_small(image, record_property):
    record_property("megabytes", round(image.megabytes()))
    if "recording" not in image.archive.name:
        assert image.megabytes() <= MAX_MEGABYTES


def test_the_image_has_no_shell_and_no_package_manager(image):
    programs = {file.name for file in image.root.rglob("*") if file.is_file() and os.access(file, os.X_OK)
                and ".so" not in file.name}
    assert programs == {"v4l2mqtt"}


def test_the_image_runs_the_agent_as_another_user_than_root(image):
    assert image.configuration["User"] == "v4l2mqtt"
    assert image.configuration["Entrypoint"] == ["/usr/bin/v4l2mqtt"]
    assert "v4l2mqtt:x:10101" in (image.root / "etc/passwd").read_text()


def test_the_image_has_the_bill_of_materials(image):
    assert (image.root / "usr/share/doc/v4l2mqtt/sbom.cdx.json.gz").exists()


def test_the_file_system_serves_a_camera(image, tmp_path):
    """The program of the image, with its libraries only, as its user."""
    broker = Broker(tmp_path / "broker").start()
    with ExitStack() as stack:
        stack.callback(broker.stop)
        # A runtime mounts /proc, too.
        checked(*as_root("mkdir", "-p", image.root / "proc"))
        checked(*as_root("mount", "-t", "proc", "proc", image.root / "proc"))
        stack.callback(checked, *as_root("umount", image.root / "proc"))
        agent = ImageAgent(broker, tmp_path / "agent", image)
        agent.start()
        try:
            with Controller(broker) as controller:
                assert controller.zoom_to(2)["factor"] == pytest.approx(2)
                assert controller.obeyed("capture", {"zoom": {"factor": 3}})["photos"]
                if "recording" in image.archive.name:
                    controller.obeyed("recording", {"on": True})
                    controller.state("recording", lambda state: state["state"] == "recording" and "path" in state)
                    assert controller.obeyed("recording", {"on": False})["recording"]["reason"] == "stopped"
                else:
                    error = controller.refused("recording", {"on": True}, "device")
                    assert "libavformat" in str(error)
        finally:
            agent.stop()


def test_the_folder_of_the_addon_becomes_an_image_without_a_registry(packages, tmp_path):
    """As the Supervisor builds it, with buildah in the place of Docker's builder."""
    checked(*as_root(ROOT / "deploy/image", "--addon"))
    folder = ROOT / ".build/image/addon"
    places = ("--root", tmp_path / "storage", "--runroot", tmp_path / "run")
    checked(*as_root("env", "STORAGE_DRIVER=vfs", "BUILDAH_ISOLATION=chroot", "buildah", *places, "build", "--pull-always",
                     "--tag", "addon", folder))
    shown = json.loads(checked(*as_root(
        "env", "STORAGE_DRIVER=vfs", "buildah", *places, "inspect", "--type", "image", "addon")))
    made = shown["OCIv1"]["config"]
    assert made["Entrypoint"] == ["/usr/bin/v4l2mqtt"] and made["Cmd"] == ["run", "--config", "/config/config.yaml"]
    assert made.get("User", "") == ""
    with tarfile.open(folder / "files.tar.gz") as files:
        assert {"./usr/bin/v4l2mqtt", "./etc/ssl/certs/ca-certificates.crt"} <= set(files.getnames())


class ImageAgent(Agent):
    """The agent with the image as its root folder; its own folders lie in the image's /var/lib/v4l2mqtt."""

    USER = "10101:10101"

    def __init__(self, broker, folder, image):
        self.image = image
        super().__init__(broker, folder)

    def launch(self, *arguments):
        configuration = dict(self.configuration, state_file="/var/lib/v4l2mqtt/state.json",
                             captures={"directory": "/var/lib/v4l2mqtt/captures"},
                             recordings={"directory": "/var/lib/v4l2mqtt/recordings"})
        checked(*as_root("tee", self.image.root / "etc/v4l2mqtt/config.yaml"), input=json.dumps(configuration))
        command = as_root("chroot", f"--userspec={self.USER}", self.image.root, "/usr/bin/v4l2mqtt", "run", "--config",
                          "/etc/v4l2mqtt/config.yaml", *arguments)
        with open(self.folder / "agent.log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self
