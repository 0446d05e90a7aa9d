"""Makes the calls of the package from client/openapi.json while its wheel is built: no copy of them can be stale."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DOCUMENT = Path("../../client/openapi.json")
GENERATED = ("api", "models", "client.py", "errors.py", "types.py")
# Fixed values are types of text: `["github"]` is no list of an Enum. The hooks would format what nobody reads.
CONFIG = {"literal_enums": True, "post_hooks": []}


def without(keywords: set[str], schema: Any) -> Any:
    """The schema without these keywords, at any depth."""
    if isinstance(schema, list):
        return [without(keywords, item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in keywords}
    # The keys of `properties` are names.
    properties = {name: without(keywords, value) for name, value in kept.pop("properties", {}).items()}
    return {key: without(keywords, value) for key, value in kept.items()} | (
        {"properties": properties} if properties else {}
    )


def prepare(document: dict[str, Any]) -> dict[str, Any]:
    """What the calls are made of: the answers that succeed, because `WishwellError` is raised instead of the others."""
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        answers = operation["responses"].items()
        operation["responses"] = {status: answer for status, answer in answers if status.startswith("2")}
        # A client may be older than its service, which then answers with values that the client does not know.
        operation["responses"] = without({"enum"}, operation["responses"])
    document["components"]["schemas"] = without({"enum"}, document["components"]["schemas"])
    del document["components"]["schemas"]["Error"]
    # A default that the client sends would be that of its own version.
    return without({"default"}, document)


def check_parts_of_paths(folder: Path) -> None:
    """Has the calls check what they put into their paths."""
    for file in folder.glob("*/*.py"):
        code, parts = re.subn(r"quote\(str\((\w+)\)", r'quote(checked("\1", \1)', file.read_text())
        if parts != code.count("=quote("):
            raise ValueError(f"{file.name} makes its path in another way")
        if parts:
            file.write_text(code.replace("\nimport httpx\n", "\nimport httpx\nfrom ...paths import checked\n", 1))


class GenerateCalls(BuildHookInterface):
    """Called by hatchling."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        document = json.loads((Path(self.root) / DOCUMENT).read_text())
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        inputs = {"document.json": prepare(document), "config.json": CONFIG}
        for name, content in inputs.items():
            (folder / name).write_text(json.dumps(content))
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        files = ["--path", "document.json", "--config", "config.json", "--output-path", "wishwell"]
        subprocess.run([*command, *files], cwd=folder, check=True)
        check_parts_of_paths(folder / "wishwell/api")
        for name in GENERATED:
            build_data["force_include"][str(folder / "wishwell" / name)] = f"wishwell/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.folder.cleanup()
