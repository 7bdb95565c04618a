# `counterfoil explore`: a mistake that no case knows is found, shrunk and written as a contract; correct clients have no failure; bad input.
folders=(--stubs "$ROOT/Stubs" --contracts "$ROOT/Contracts")
forgetful="python3 '$ROOT/Tests/Drivers/forgetful.py'"
python="python3 '$ROOT/Contracts/drivers/python/driver.py'"

# ends NAME CODE ARGS…: `explore` ends with CODE; what it prints is in NAME.out and NAME.err.
ends() {
    local name=$1 expected=$2 code=0
    shift 2
    timeout -k 1 120 "$counterfoil" explore "${folders[@]}" --bank counterfoil "$@" >"$name.out" 2>"$name.err" || code=$?
    [ $code -eq "$expected" ] || { echo "$name: found exit code $code, expected $expected"; cat "$name.out" "$name.err"; exit 1; }
}

ends found 1 --client "$forgetful" --seed 7 --runs 300 --json found.json --junit found.xml --html found.html
python3 - <<'END'
import json
report = json.load(open("found.json"))
failures = [failure for failure in report["failures"] if failure["oracle"] == "no-unrequested-payments"]
assert failures, f"expected a payment order that was paid twice, found {report['failures']}"
assert len(failures) == 1, f"expected equal failures once, found {failures}"
assert len(failures[0]["steps"]) <= 6, f"expected at most 6 steps, found {failures[0]['steps']}"
assert failures[0]["seed"] == 7
open("contract", "w").write(failures[0]["contract"])
open("case", "w").write(failures[0]["case"])
END
grep -q '<failure' found.xml || { echo "found no failure in JUnit"; exit 1; }
# The contract fails the client whose mistake it shows, and no other.
again() {
    "$counterfoil" test --stubs "$ROOT/Stubs" --contracts explored --filter "$(cat case)" --seed 7 --client "$1" >again.out 2>&1
}
again "$forgetful" && { echo "found no failure in $(cat contract), expected the client to fail it again"; cat again.out; exit 1; }
again "$python" || { echo "found a failure of the correct client in $(cat contract)"; cat again.out; exit 1; }

ends right 0 --client "'$counterfoil' client --drive" --seed 3 --runs 40 --out right
[ ! -e right ] || { echo "found a folder without a contract, expected none"; exit 1; }
grep -qE '^40 runs in .*; no failure \(counterfoil-model' right.out || { cat right.out; exit 1; }

ends absent 3 --client "sh -c 'exit 3'" --runs 5
echo file >taken
ends unwritable 2 --client "$python" --out taken/explored --runs 5
ends both 2 --client "$python" --minutes 1 --runs 5

# A failure that does not repeat is listed apart, and is none.
cat >moody.py <<'END'
import os, sys, time
sys.path[:0] = [os.environ["DRIVERS"]]
sys.dont_write_bytecode = True
import driver
from client import Habits
class Moody(driver.Case):
    def perform(self, operation, args):
        if operation == "balance" and not os.path.exists(os.environ["MOOD"]):
            open(os.environ["MOOD"], "w").close()
            os._exit(9)
        return super().perform(operation, args)
driver.Case = Moody
driver.Driver(Habits()).run()
END
export DRIVERS=$ROOT/Contracts/drivers/python MOOD=$PWD/mood
ends moody 0 --client "python3 $PWD/moody.py" --seed 7 --runs 60
grep -q '^not reproducible  run [0-9]*, never-dies, ' moody.out || { echo "found no failure that did not repeat"; cat moody.out; exit 1; }

# Ctrl-C in the middle of shrinking: what was found so far is written.
python3 - "$counterfoil" explore "${folders[@]}" --bank counterfoil --client "$forgetful" --seed 7 --out early <<'END'
import os, signal, subprocess, sys, time
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
end = time.monotonic() + 90
while time.monotonic() < end and not (os.path.isdir("early") and os.listdir("early")):
    time.sleep(0.05)
run.send_signal(signal.SIGINT)
printed, _ = run.communicate(timeout=60)
assert run.returncode == 1, f"interrupted: found exit code {run.returncode}, expected 1\n{printed}"
assert "  contract  early/explored." in printed and os.listdir("early"), f"interrupted: found no contract\n{printed}"
assert "no verdict: the exploration was interrupted" in printed, printed
END
