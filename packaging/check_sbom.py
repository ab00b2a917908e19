"""Whether an SBOM is valid CycloneDX, and is about that component and target: check_sbom.py NAME TARGET FILE"""

import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

name, target, file = sys.argv[1:]
with open(file, encoding="utf-8") as opened:
    text = opened.read()
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
if error is not None:
    sys.exit(f"{file}: {error}")
bom = json.loads(text)
properties = {it["name"]: it["value"] for it in bom["metadata"]["properties"]}
about = bom["metadata"]["component"]["name"], properties["cdx:rustc:sbom:target:triple"]
if about != (name, target):
    sys.exit(f"{file} is about {about}")
names = {it["name"] for it in bom["components"]}
for wanted in ("rustls", "aws-lc", "rust-std"):
    if wanted not in names:
        sys.exit(f"{file} does not name {wanted}")
