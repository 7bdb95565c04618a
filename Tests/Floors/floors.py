"""floors: reports what Sources use of Swift's libraries that the oldest systems of Package.swift do not have.

Only a Mac's compiler checks this. Here the declarations that each file uses come from the index that a build leaves behind, and the
versions since when they exist from the symbol graphs of the libraries, which carry the attributes of Apple's systems on Linux too. What
it does not look at: packages, C, the dependence of a language feature on the runtime, and `if #available` (list such uses in ALLOWED).

    python3 Tests/Floors/floors.py [BUILD]        BUILD: .build/release by default

Ends with 1 if there is such a use, 2 if the build has no index.
"""

import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LIBRARIES = ["Swift", "_Concurrency", "_StringProcessing", "Synchronization", "FoundationEssentials", "Foundation", "Dispatch"]
# A use that is guarded by `if #available`, by file and declaration.
ALLOWED = {("Sources/BankModel/JSON/RowScan.swift", "UTF8Span")}
# Overloads of a protocol's requirement, which an older system calls by the requirement itself.
SINCE_LATER = {"next(isolation:)"}


class Text(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("count", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.start, self.count).decode()


def floors(package):
    """The oldest systems, such as {"macOS": 13, "iOS": 16}."""
    line = re.search(r"platforms: \[(.*?)\]", package).group(1)
    return {system: int(version) for system, version in re.findall(r"\.(\w+)\(\.v(\d+)\)", line)}


def too_new(floors, target):
    """What the libraries declare for later systems: the system and a name, by USR."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for library in LIBRARIES:
            command = ["swift", "symbolgraph-extract", "-module-name", library, "-target", target, "-output-dir", folder]
            subprocess.run(command, check=False, capture_output=True)
        for graph in pathlib.Path(folder).glob("*.json"):
            for symbol in json.loads(graph.read_text())["symbols"]:
                for availability in symbol.get("availability", []):
                    system, since = availability.get("domain"), availability.get("introduced", {}).get("major", 0)
                    if since > floors.get(system, 99):
                        found[symbol["identifier"]["precise"]] = (f"{system} {since}", ".".join(symbol["pathComponents"]))
    if not found:
        sys.exit("floors: the libraries' symbol graphs have no availability; expected declarations of later systems.")
    return found


class Index:
    """The index of a build, read by the toolchain's own library."""

    def __init__(self, library, folder):
        self.calls = ctypes.CDLL(str(library))
        self.store = self.call("store_create", str(folder).encode(), None)

    def call(self, name, *arguments, returns=ctypes.c_void_p):
        function = getattr(self.calls, "indexstore_" + name)
        function.restype = returns
        return function(*[ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments])

    def each(self, name, handle, kind, body, *arguments):
        def visit(_, value):
            body(value)
            return True

        applier = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, kind)(visit)
        self.call(name, handle, *arguments, None, applier, returns=ctypes.c_bool)

    def records(self):
        """The newest record of each file: its name, by the file's path."""
        units, newest = [], {}
        self.each("store_units_apply_f", self.store, Text, lambda name: units.append(str(name)), ctypes.c_uint(0))
        for unit in units:
            reader = self.call("unit_reader_create", self.store, unit.encode(), None)
            seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
            self.call("unit_reader_get_modification_time", reader, ctypes.byref(seconds), ctypes.byref(nanoseconds))
            time = (seconds.value, nanoseconds.value)

            def take(dependency):
                if self.call("unit_dependency_get_kind", dependency, returns=ctypes.c_int) != 2: return
                path = str(self.call("unit_dependency_get_filepath", dependency, returns=Text))
                name = str(self.call("unit_dependency_get_name", dependency, returns=Text))
                if path not in newest or newest[path][0] < time: newest[path] = (time, name)

            self.each("unit_reader_dependencies_apply_f", reader, ctypes.c_void_p, take)
            self.call("unit_reader_dispose", reader)
        return {path: name for path, (_, name) in newest.items()}

    def uses(self, record):
        """The line and USR of each declaration's use."""
        found = []
        reader = self.call("record_reader_create", self.store, record.encode(), None)

        def take(occurrence):
            usr = str(self.call("symbol_get_usr", self.call("occurrence_get_symbol", occurrence), returns=Text))
            line, column = ctypes.c_uint(), ctypes.c_uint()
            self.call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
            found.append((line.value, usr))

        self.each("record_reader_occurrences_apply_f", reader, ctypes.c_void_p, take)
        self.call("record_reader_dispose", reader)
        return found


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / ".build/release").resolve()
    swift = pathlib.Path(subprocess.run(["which", "swift"], check=True, capture_output=True, text=True).stdout.strip()).resolve()
    info = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True).stdout)
    if not (build / "index/store").is_dir():
        sys.exit(f"floors: found no index in {build}, expected {build}/index/store; `make build` writes it.")
    lowest = floors((root / "Package.swift").read_text())
    later = too_new(lowest, info["target"]["triple"])
    index = Index(swift.parent.parent / "lib/libIndexStore.so", build / "index/store")
    sources, complaints = 0, set()
    for path, record in index.records().items():
        match = re.search(r"/(Sources/.*\.swift)$", path)
        if not match or not (root / match.group(1)).is_file() or "/.build/" in path: continue
        sources += 1
        for line, usr in index.uses(record):
            if usr not in later: continue
            since, name = later[usr]
            if (match.group(1), name.split(".")[0]) in ALLOWED or name.split(".")[-1] in SINCE_LATER: continue
            complaints.add((match.group(1), line, name, since))
    for path, line, name, since in sorted(complaints):
        print(f"{path}:{line}: {name} needs {since}, expected at most {lowest[since.split()[0]]}")
    if sources < 100:
        sys.exit(f"floors: found {sources} files of Sources in the index, expected all.")
    print(f"floors: {len(complaints)} uses of later systems in {sources} files; floors: {lowest}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
