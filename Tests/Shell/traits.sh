# The package traits TLS and HTTP2: StubServer type-checks without either and without both, and imports their libraries only behind them.
wrong=$(cd "$ROOT" && for pair in TLS:NIOSSL TLS:X509 TLS:SwiftASN1 HTTP2:NIOHTTP2 HTTP2:NIOHPACK; do
    for file in $(grep -rlE "^(package )?import ${pair#*:}\$" Sources/StubServer); do
        [ "$(head -n 1 "$file")" = "#if ${pair%:*}" ] || echo "$file: found import ${pair#*:}, expected #if ${pair%:*} in line 1"
    done
done)
[ -z "$wrong" ] || fail "$wrong"
cat >check.py <<'P'
import json, re, subprocess, sys
root, traits = sys.argv[1], set(sys.argv[2].split())
# The command of the last build, without what it writes.
plan = open(f"{root}/.build/release.yaml").read()
command = re.search(r'^  "C\.StubServer-[^"]*\.module":\n(?:    .*\n)*?    args: (.*)\n', plan, re.M)
arguments, skipped, defined, out = json.loads(command[1]), 0, set(), []
for index, word in enumerate(arguments):
    if skipped:
        skipped -= 1
    elif word == "-D" and arguments[index + 1] in ("TLS", "HTTP2"):
        skipped = 1
        defined.add(arguments[index + 1])
    elif word in ("-DTLS", "-DHTTP2"):
        defined.add(word[2:])
    elif word in ("-emit-module-path", "-output-file-map", "-emit-objc-header-path", "-num-threads"):
        skipped = 1
    elif not word.startswith("-emit-") and word not in ("-c", "-incremental", "-parseable-output", "-enable-batch-mode", "-wmo",
                                                        "-whole-module-optimization", "-O"):
        out.append(word)
if defined != {"TLS", "HTTP2"}:
    sys.exit(f"found the traits {sorted(defined)} in the build, expected both by default")
sys.exit(subprocess.run(out + ["-typecheck"] + [f"-D{trait}" for trait in traits]).returncode)
P
for traits in "" TLS HTTP2; do
    python3 check.py "$ROOT" "$traits" >out 2>&1 || fail "StubServer with the traits «$traits»: $(grep -E 'error:' out | head -5; tail -n 3 out)"
done
