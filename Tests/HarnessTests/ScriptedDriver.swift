import Foundation
import Harness

/// A driver in a few lines of bash, which does one thing wrong: its mode.
///
/// It notes the moment of each request that it "sends" in a file of its state folder; the fake bank takes that file for
/// its journal.
struct ScriptedDriver {
    static let script = #"""
        mode=$1 features=$2 signed=no asker= key= more= client='bash 1'
        # Of bash 3 too, which macOS has: no arrays by text, no EPOCHREALTIME, whole seconds alone for `read -t`.
        moment=1; [[ -z $EPOCHREALTIME ]] || moment=0.3
        now() { local at=$EPOCHREALTIME; [[ -n $at ]] || at=$(perl -MTime::HiRes=time -e 'printf "%.6f", time'); printf '%s%s\n' "$at" "$1"; }
        send() { printf '%s\n' "$1"; }
        hang() { : > "${0%/*}/hangs"; sleep 60; }
        long() { printf '%300000s' "$1"; }
        field() { [[ $line =~ \"$1\":\"?([^\",}]*) ]] && printf '%s' "${BASH_REMATCH[1]}"; }
        request() { now >> "$state.requests"; }
        result() { send "{\"t\":\"result\",\"case\":\"$id\",\"n\":$n,$1}"; }
        while IFS= read -r line; do
          case $line in
            *'"t":"hello"'*)
              nonce=$(field nonce)
              case $mode in
                crash-at-hello-loudly) for ((i = 1; i <= 12; i++)); do echo "line $i" >&2; done; printf '\e[31mred\n' >&2; exit 3 ;;
                hang-at-second-start) [[ -e $HOME/signed ]] && hang ;;
                exit-at-second-start) [[ -e $HOME/signed ]] && exit 5 ;;
                misspelt) more=',"acounts","fly"' ;;
                crash-at-hello) echo 'no config found' >&2; exit 3 ;;
                hang-at-hello) hang ;;
                noise-at-hello) send 'Starting up...' ;;
                wrong-nonce) nonce=guessed ;;
                long-nonce) nonce=$(long x) ;;
                long-client) client=$(long x) ;;
              esac
              send "{\"t\":\"hello\",\"v\":1,\"nonce\":\"$nonce\",\"client\":\"$client\",\"operations\":[\"login\",\"accounts\",\"status\"$more],\"features\":[$features]}" ;;
            *'"t":"case"'*)
              id=$(field case) state=$(field state_dir)
              printf -v "state_of_${id//[!a-z0-9]/_}" %s "$state"
              base=$(field base_url) given=$(field token)
              others=[]; [[ $line =~ \"customers\":(\[[^]]*\]) ]] && others=${BASH_REMATCH[1]}
              [[ $line == *'"resumed":true'* ]] && signed=$(cat "$state/signed")
              if [[ $id != c0* ]]; then
                case $mode in
                  crash-before-ready) exit 4 ;;
                  hang-before-ready) hang ;;
                  ready-for-another) send '{"t":"ready","case":"c99"}'; continue ;;
                  ready-twice) send "{\"t\":\"ready\",\"case\":\"$id\"}" ;;
                esac
              fi
              send "{\"t\":\"ready\",\"case\":\"$id\"}" ;;
            *'"t":"step"'*)
              n=$(field n) op=$(field op) id=$(field case)
              known=state_of_${id//[!a-z0-9]/_}; state=${!known}
              if [[ $op == op_* ]]; then
                if [[ $mode == claims-all ]]; then result '"outcome":"ok"'
                elif [[ $mode == claims-at-length ]]; then result "\"outcome\":\"error\",\"error\":\"timeout\",\"detail\":\"$(long x)\""
                else result '"outcome":"unsupported"'; fi
                continue
              fi
              if [[ $op == accounts ]]; then
                case $mode in
                  crash) echo 'segmentation fault' >&2; exit 139 ;;
                  crash-in-c2) [[ $id == c2* ]] && exit 139
                    # The others get no answer beside c2, so that its crash breaks them.
                    [[ $id != *-* && -n $state_of_c2 ]] && continue ;;
                  hang) request; hang ;;
                  crashes-again-beside-others) all=(${!state_of_@}); [[ $id == *-again && ${#all[@]} -gt 1 ]] && exit 139 ;;
                  hangs-while-busy) [[ -e ${0%/*}/idle ]] || { request; hang; } ;;
                  noise) send 'GET /accounts' ;;
                  half-line) printf '{"t":"result"'; exit 0 ;;
                  unasked) n=77 ;;
                  stores) request
                    if [[ -e $state/store ]] && ! cat "$state/store" > /dev/null 2>&1; then
                      result '"outcome":"error","error":"unavailable","detail":"read"'; continue; fi
                    if ! { echo "$$" >> "$state/store"; } 2> /dev/null; then
                      result '"outcome":"error","error":"unavailable","detail":"write"'; continue; fi ;;
                  falsifier) result '"outcome":"ok","view":{"accounts":[]}'; continue ;;
                  flood) while :; do send '{"t":"ready","case":"c1"}'; done ;;
                  flood-without-lines) while :; do printf '%4096s' x; done ;;
                  flood-stderr) for ((i = 0; i < 20000; i++)); do echo "noise $i ........................................" >&2; done ;;
                  fails-once) if [[ -z $failed ]]; then failed=yes; request; result '"outcome":"error","error":"timeout"'; continue; fi ;;
                  waits-for-cancel) request; IFS= read -r line
                    if [[ $line == *'"t":"cancel"'*"\"n\":$n"* ]]; then result '"outcome":"error","error":"cancelled"'
                    else result '"outcome":"ok"'; fi
                    continue ;;
                  amount-number) request; result '"outcome":"ok","view":{"accounts":[{"id":"a","balance":12.3}]}'; continue ;;
                  not-a-list) request; result '"outcome":"ok","view":{"accounts":"none"}'; continue ;;
                  no-id) request; result '"outcome":"ok","view":{"accounts":[{"id":"a"},{"name":"b"}]}'; continue ;;
                  no-list) request; result '"outcome":"ok"'; continue ;;
                  passes-damage-on) now ' held 999999999' >> "$state.requests"
                    result '"outcome":"ok","view":{"accounts":[{"id":1}]}'; continue ;;
                  passes-nonsense-on) now ' late 999999999' >> "$state.requests"
                    result '"outcome":"ok","view":{"accounts":[{"id":1}]}'; continue ;;
                  bad-view-in-c2) if [[ $id == c2* ]]; then request; result '"outcome":"ok","view":{"accounts":7}'; continue; fi ;;
                  bad-error-in-c2) if [[ $id == c2* ]]; then request; result '"outcome":"error","error":"oops"'; continue; fi ;;
                  wrong-step-in-c2) [[ $id == c2* ]] && n=77 ;;
                  held-after-another) request
                    if IFS= read -r -t $moment line; then result '"outcome":"error","error":"timeout"'; continue; fi
                    now " held $$" >> "$state.requests"
                    IFS= read -r line
                    result '"outcome":"error","error":"cancelled"'; continue ;;
                  wrong-case) id=c99 ;;
                  double-result) request; result '"outcome":"ok","view":{"accounts":[]}' ;;
                  ended-early) send "{\"t\":\"ended\",\"case\":\"$id\"}" ;;
                  hello-again) send '{"t":"hello","v":1,"nonce":"x","client":"bash 1","operations":[],"features":[]}' ;;
                  not-utf8) printf '{"t":"result","case":"%s","n":%s,"outcome":"ok","view":{"accounts":[]},"note":"\xff"}\n' "$id" "$n" ;;
                  unknown-outcome) result '"outcome":"fine"'; continue ;;
                  unknown-error) result '"outcome":"error","error":"unauthorised"'; continue ;;
                  long-detail) request
                    result "\"outcome\":\"error\",\"error\":\"timeout\",\"detail\":\"$(long cf_s1_0_0123456789abcdef)\""; continue ;;
                  long-error) result "\"outcome\":\"error\",\"error\":\"$(long x)\""; continue ;;
                  long-outcome) result "\"outcome\":\"$(long x)\""; continue ;;
                  long-number) n="\"$(long x)\"" ;;
                  long-view) request; result "\"outcome\":\"ok\",\"view\":{\"accounts\":[{\"id\":\"$(long x)\"}]}"; continue ;;
                  silent) request; result '"outcome":"silent","note":"an empty page"'; continue ;;
                  no-error) result '"outcome":"error"'; continue ;;
                  no-outcome) result '"view":{"accounts":[]}'; continue ;;
                  view-no-object) result '"outcome":"ok","view":[]'; continue ;;
                  number-as-text) n="\"$n\"" ;;
                  null-line) send null ;;
                  list-line) send '[]' ;;
                  empty-line) send '' ;;
                  other-type) send '{"t":"progress","case":"c1"}' ;;
                  exit-0) exit 0 ;;
                  killed) kill -9 $$ ;;
                  closes-stdout) request; exec 1>&-; cat > "${0%/*}/rest"; hang ;;
                  no-operation) result '"outcome":"unsupported"'; continue ;;
                  leak) echo "token cf_s1_0_0123456789abcdef" >&2; printf cf_s1_0_0123456789abcdef | base64 > "$state/store" ;;
                  leaks-and-crashes) request; echo "token cf_s1_0_0123456789abcdef" >&2; long 'frame' >&2; exit 139 ;;
                  makes-pipe) mkfifo "$state/pipe"; ln -s /etc/passwd "$state/outside" ;;
                  leak-data) printf 'Corner caf\xc3\xa9' > "$state/kept/cache" ;;
                esac
              fi
              if [[ $op == login && $mode == holds && $signed == yes ]]; then
                now " held $$" >> "$state.requests"; sleep 60
              fi
              if [[ $op == login && $mode == delayed-at-second-login && $signed == yes ]]; then
                now ' late 999999999' >> "$state.requests"
              fi
              [[ $op == login && $mode == hangs-at-second-login && $signed == yes ]] && hang
              if [[ $op == login ]]; then
                asker=$(field user) key=$(field password) signed=yes; rm -rf "$state/kept"; mkdir -m 700 "$state/kept"; (umask 077; printf yes > "$state/signed")
                printf more > "$state/kept/cache"; chmod 644 "$state/kept/cache"
                [[ $mode == open-file ]] && printf cf_s1_0_0123456789abcdef > "$state/signed" && chmod 640 "$state/signed"
                [[ $mode == shut-file ]] && printf cf_s1_0_0123456789abcdef > "$state/kept/cache"
              fi
              [[ $op == status ]] || request
              if [[ $op == status ]]; then result "\"outcome\":\"ok\",\"view\":{\"signed\":\"$signed\",\"home\":\"$HOME\",\"base\":\"$base\",\"given\":\"$given\",\"asker\":\"$asker\",\"key\":\"$key\",\"others\":$others,\"pid\":\"$$\",\"now\":\"$(field now)\"}"
              else result '"outcome":"ok","view":{"accounts":[]}'; fi ;;
            *'"t":"end"'*)
              id=$(field case)
              [[ $mode == exits-at-end && $id != c0* ]] && exit 0
              [[ $mode == hangs-at-end && $id != c0* ]] && hang
              send "{\"t\":\"ended\",\"case\":\"$id\"}"
              [[ $mode == noise-after-end && $id != c0* ]] && send 'done!' ;;
            *'"t":"bye"'*) [[ $mode == noise-at-bye ]] && send 'bye'; exit 0 ;;
          esac
        done
        """#

    /// The command line of a driver in that mode.
    static func command(_ mode: String, features: [String] = [], in folder: URL) throws -> DriverCommand {
        let file = folder.appending(path: "driver.sh")
        try Data(script.utf8).write(to: file)
        let list = features.map { "\"\($0)\"" }.joined(separator: ",")
        return try DriverCommand("bash '\(file.path)' \(mode) '\(list)'")
    }
}
