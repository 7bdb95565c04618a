# The steering client for Python: its own tests against a real server, and the programs on its page and in docs/steering.md.
command -v python3 >/dev/null || { echo "skipped: no python3 runs the client for Python"; exit 0; }
. "$ROOT/Tests/Shell/parts/code.sh"
export PYTHONPATH=$ROOT/clients/python/src

timeout 600 python3 -B -W error -m unittest discover --quiet --start-directory "$ROOT/clients/python/tests"
programs "$ROOT/clients/python/README.md" python timeout 300 python3 -B -W error
programs "$ROOT/docs/steering.md" python timeout 300 python3 -B -W error

# Its own words are true: every name that it exports, and the version of the program.
python3 -B - "$ROOT/clients/python/pyproject.toml" "$(counterfoil --version)" <<'PYTHON'
import re, sys, typing
import counterfoil
from counterfoil import download, parts, journal, server, session, process

assert sorted(counterfoil.__all__) == counterfoil.__all__, "found the exported names in another order, expected a to z"
assert all(getattr(counterfoil, name).__doc__ for name in counterfoil.__all__), "found a name without a sentence"
for part in (counterfoil.Session, counterfoil.Server, counterfoil.LocalServer, counterfoil.Journal, counterfoil.Clock, counterfoil.Tokens, counterfoil.Faults, counterfoil.Outage):
    for name, value in vars(part).items():
        if callable(value) and not name.startswith("_"):
            assert "return" in typing.get_type_hints(value), f"found no type of {part.__name__}.{name}, expected one"
version = re.search(r'^version = "(.*)"$', open(sys.argv[1]).read(), re.M)[1]
assert version == download.VERSION == sys.argv[2], f"found versions {version} and {download.VERSION} of the client, expected the program's, {sys.argv[2]}"
PYTHON
