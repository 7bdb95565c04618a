# The steering client for JavaScript: its own tests against a real server, and the programs on its page and in docs/steering.md.
command -v node >/dev/null || { echo "skipped: no node runs the client for JavaScript"; exit 0; }
node --eval 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || { echo "skipped: found node $(node --version), and the client wants 20"; exit 0; }
. "$ROOT/Tests/Shell/parts/code.sh"
client=$ROOT/clients/js

timeout 600 node --test "$client/test/" >printed 2>&1 || { cat printed; exit 1; }
# as_module FILE: runs it as an ES module.
as_module() { cp "$1" program.mjs && timeout 300 node program.mjs; }
# The programs import it by its name, as the users of a package do.
mkdir node_modules
ln -s "$client" node_modules/counterfoil-client
programs "$client/README.md" js as_module
programs "$ROOT/docs/steering.md" js as_module

# Its own words are true: the version of the program, and every name that it exports has a type.
node --input-type=module --eval '
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as client from "counterfoil-client";
const [folder, version] = process.argv.slice(1);
const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
assert.equal(manifest.version, version, "the version of the client is that of the program");
const types = readFileSync(`${folder}/src/index.d.ts`, "utf8");
for (const [name, value] of Object.entries(client)) {
  assert.match(types, new RegExp(`^export (class|function) ${name}\\b`, "m"));
  for (const method of Object.getOwnPropertyNames(value.prototype ?? {})) {
    assert.ok(method === "constructor" || new RegExp(`^  (readonly )?${method}\\b`, "m").test(types), `found no type of ${name}.${method}`);
  }
}
' "$client" "$(counterfoil --version)"
