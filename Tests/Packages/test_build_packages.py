"""`deploy/prepare` installs what dpkg-buildpackage asks for."""

import re

from debian import ROOT


def words(text: str) -> set[str]:
    """Names of packages, without versions."""
    return set(re.findall(r"(?:^|[\s,])([a-z0-9][a-z0-9.+-]+)", re.sub(r"\([^)]*\)|<[^>]*>", "", text)))


def test_prepare_names_what_the_packages_are_built_with():
    control = (ROOT / "deploy/debian/control").read_text()
    asked = re.search(r"^Build-Depends:(.*?)^\S", control, re.MULTILINE | re.DOTALL)[1]
    prepare = (ROOT / "deploy/prepare").read_text()
    installed = words(" ".join(re.search(rf'^{name}="(.*)"$', prepare, re.MULTILINE)[1] for name in ("build", "package")))
    # debhelper-compat is a virtual package of debhelper, and each build needs build-essential.
    wanted = words(asked) - {"debhelper-compat"} | {"build-essential", "debhelper"}
    assert len(wanted) > 5 and wanted <= installed, wanted - installed
