"""The container images: what they contain, and whether their file systems serve a camera with the command
that the images have. Without --deep only the smallest one."""

import json
import os
import shutil
import subprocess
import tarfile
from contextlib import ExitStack, closing, contextmanager

import pytest
import yaml

from agent import Agent
from broker import HOST, Broker
from console import Console
from controller import Controller
from debian import ROOT, as_root, checked
from page_socket import PageSocket

MAX_MEGABYTES = 60
BUILD = ROOT / ".build/image"
#: The addon is built from its folder as the Supervisor of Home Assistant builds it.
IMAGES = ("v4l2mqtt", *(pytest.param(name, marks=pytest.mark.deep) for name in ("v4l2mqtt-recording", "addon")))
OPTIONS = {"v4l2mqtt": [], "v4l2mqtt-recording": ["--recording"], "addon": ["--addon"]}


class Image:
    """An OCI archive, unpacked as a runtime does it."""

    def __init__(self, name: str, folder):
        checked(*as_root(ROOT / "deploy/image", *OPTIONS[name]))
        self.name, self.root = name, folder / "root"
        blobs = folder / "blobs"
        with tarfile.open(BUILD / f"{name}.tar" if name != "addon" else built_addon(folder)) as archive:
            archive.extractall(blobs, filter="data")
        index = json.loads((blobs / "index.json").read_text())
        manifest = self._blob(blobs, index["manifests"][0])
        self.configuration = self._blob(blobs, manifest["config"])["config"]
        self.root.mkdir()
        for layer in manifest["layers"]:
            checked(*as_root("tar", "x", "-z", "-C", self.root, "-f", self._blob_file(blobs, layer)))

    @staticmethod
    def _blob_file(blobs, entry):
        return blobs / "blobs" / entry["digest"].replace(":", "/")

    def _blob(self, blobs, entry) -> dict:
        return json.loads(self._blob_file(blobs, entry).read_text())

    @property
    def has_recordings(self) -> bool:
        return self.name != "v4l2mqtt"

    @property
    def runs_as_root(self) -> bool:
        """The folders that the Supervisor mounts belong to root."""
        return self.name == "addon"

    @property
    def configuration_file(self) -> str:
        """The file that the image's command names."""
        words = self.configuration["Cmd"]
        return words[words.index("--config") + 1]

    def command(self, *arguments: str) -> list[str]:
        """The image's own command, in its root folder, as its user with the groups that it has there.
        `arguments` take the place of those of the image."""
        user = self.configuration.get("User") or "root"
        account = next(line.split(":") for line in (self.root / "etc/passwd").read_text().splitlines()
                       if line.startswith(f"{user}:"))
        groups = [line.split(":") for line in (self.root / "etc/group").read_text().splitlines()]
        numbers = [group[2] for group in groups if user in group[3].split(",")] or [account[3]]
        rights = (f"--userspec={account[2]}:{account[3]}", f"--groups={','.join(numbers)}")
        words = [*self.configuration["Entrypoint"], *(arguments or self.configuration["Cmd"])]
        return as_root(
            "env", "-i", "PATH=/usr/sbin:/usr/bin", *self.configuration["Env"], "chroot", *rights, self.root, *words)

    def megabytes(self) -> float:
        return sum(file.lstat().st_size for file in self.root.rglob("*") if file.is_file()) / 1e6


def built_addon(folder):
    """The archive of the image that the add-on's folder makes. `--pull-always` asks the registry for the
    base of an image, as the Supervisor does."""
    archive = folder / "addon.tar"
    environment = ("env", "STORAGE_DRIVER=vfs", "BUILDAH_ISOLATION=chroot", f"TMPDIR={folder}")
    made = checked(*as_root(*environment, "buildah", "build", "--quiet", "--pull-always", "--format=oci", BUILD / "addon")).split()[-1]
    checked(*as_root(*environment, "buildah", "push", "--quiet", "--disable-compression=false", made, f"oci-archive:{archive}"))
    checked(*as_root(*environment, "buildah", "rmi", made))
    return archive


@pytest.fixture(scope="module", params=IMAGES)
def image(request, packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    image = Image(request.param, folder)
    yield image
    checked(*as_root("rm", "-rf", "--one-file-system", image.root))
    shutil.rmtree(folder, ignore_errors=True)


def test_the_image_without_recording_is_small(image, record_property):
    record_property("megabytes", round(image.megabytes()))
    if not image.has_recordings:
        assert image.megabytes() <= MAX_MEGABYTES


def test_the_image_has_no_shell_and_no_package_manager(image):
    programs = {file.name for file in image.root.rglob("*") if file.is_file() and os.access(file, os.X_OK)
                and ".so" not in file.name}
    assert programs == {"v4l2mqtt", "v4l2mqtt-console"}


def test_the_image_runs_the_agent_as_another_user_than_root(image):
    assert image.configuration.get("User", "") == ("" if image.runs_as_root else "v4l2mqtt")
    assert image.configuration["Entrypoint"] == ["/usr/bin/v4l2mqtt"]
    assert "v4l2mqtt:x:10101" in (image.root / "etc/passwd").read_text()


def test_the_image_names_what_is_linked_in(image):
    assert "linked-in/swift-nio" in (image.root / "usr/share/doc/v4l2mqtt/copyright").read_text()


def test_the_file_system_serves_a_camera(image, tmp_path):
    """The program of the image, with its libraries only, as its user. The command is that of the image, so
    the configuration counts that a user mounts where the documentation says."""
    with broker_beside(image, tmp_path) as broker:
        agent = ImageAgent(broker, tmp_path / "agent", image)
        agent.start()
        try:
            with Controller(broker) as controller:
                assert controller.zoom_to(2)["factor"] == pytest.approx(2)
                assert controller.obeyed("capture", {"zoom": {"factor": 3}})["photos"]
                if image.has_recordings:
                    controller.obeyed("recording", {"on": True})
                    controller.state("recording", lambda state: state["state"] == "recording" and "path" in state)
                    assert controller.obeyed("recording", {"on": False})["recording"]["reason"] == "stopped"
                else:
                    error = controller.refused("recording", {"on": True}, "device")
                    assert "libavformat" in str(error)
        finally:
            agent.stop()


def test_the_console_of_the_image_serves_the_page(image, tmp_path):
    """By the command of compose.yaml, with another port."""
    with broker_beside(image, tmp_path) as broker, closing(ImageConsole(broker, tmp_path / "console", image)) as console:
        console.start()
        assert console.request("GET", "").status == 200
        with PageSocket(console) as page:
            assert page.wait_for("hello")["role"] == "manage" and page.wait_for("bus") is True
        assert console.stop() == 0


@contextmanager
def broker_beside(image, folder):
    """A broker for the programs of an image, which have `/proc` meanwhile, as a runtime mounts it."""
    broker = Broker(folder / "broker").start()
    with ExitStack() as stack:
        stack.callback(broker.stop)
        checked(*as_root("mkdir", "-p", image.root / "proc"))
        checked(*as_root("mount", "-t", "proc", "proc", image.root / "proc"))
        stack.callback(checked, *as_root("umount", image.root / "proc"))
        yield broker


class ImageConsole(Console):
    """The console with the image as its root folder."""

    def __init__(self, broker, folder, image):
        super().__init__(broker, folder)
        self._image, self._broker = image, broker

    @property
    def _command(self) -> list:
        services = yaml.safe_load((ROOT / "deploy/container/compose.yaml").read_text())["services"]
        words = services["console"]["command"].replace("127.0.0.1:8177", f"{HOST}:{self.port}").split()
        return self._image.command(*words, "--port", str(self._broker.port))


class ImageAgent(Agent):
    """The agent with the image as its root folder; its own folders are in the image's /var/lib/v4l2mqtt."""

    def __init__(self, broker, folder, image):
        self.image = image
        super().__init__(broker, folder)

    def launch(self, *arguments):
        configuration = dict(self.configuration, state_file="/var/lib/v4l2mqtt/state.json",
                             captures={"directory": "/var/lib/v4l2mqtt/captures"},
                             recordings={"directory": "/var/lib/v4l2mqtt/recordings"})
        file = self.image.root / self.image.configuration_file.lstrip("/")
        checked(*as_root("mkdir", "-p", file.parent))
        checked(*as_root("tee", file), input=json.dumps(configuration))
        with open(self.folder / "agent.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.image.command(), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self
