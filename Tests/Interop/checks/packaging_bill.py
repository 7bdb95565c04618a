"""Validates a bill of materials against the schema of CycloneDX 1.6 that CycloneDX's own library brings."""
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(pathlib.Path(sys.argv[1]).read_text())
sys.exit(str(fault) if fault else 0)
