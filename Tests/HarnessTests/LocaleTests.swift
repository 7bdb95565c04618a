import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import TestBanks
import Testing

/// The user's locale reaches the client: in the message of the case, and in the environment of its process.
@Suite(.timeLimit(.minutes(10))) struct LocaleTests {
    /// A driver in both modes that shows the locale it received and the one it was started in.
    private static let script = #"""
        # Of bash 3 too, which macOS has.
        now() { local at=$EPOCHREALTIME; [[ -n $at ]] || at=$(perl -MTime::HiRes=time -e 'printf "%.6f", time'); echo "$at"; }
        shown() { printf '{"received":"%s","lang":"%s","all":"%s"}' "$1" "$LANG" "$LC_ALL"; }
        if [[ -n $COUNTERFOIL_OP ]]; then
          case $COUNTERFOIL_OP in
            op_*) echo unsupported; exit 127 ;;
            login) now >> "$PWD.requests"; echo '{"signed_in":true}'; exit 0 ;;
            *) shown "${COUNTERFOIL_LOCALE-none}"; exit 0 ;;
          esac
        fi
        field() { [[ $line =~ \"$1\":\"?([^\",}]*) ]] && printf '%s' "${BASH_REMATCH[1]}"; }
        result() { printf '{"t":"result","case":"%s","n":%s,"outcome":%s}\n' "$(field case)" "$(field n)" "$1"; }
        while IFS= read -r line; do
          case $line in
            *'"t":"hello"'*)
              printf '{"t":"hello","v":1,"nonce":"%s","client":"bash 1","operations":["login","status"],"features":["persistence","parallel"]}\n' "$(field nonce)" ;;
            *'"t":"case"'*) received=$(field locale) state=$(field state_dir)
              printf '{"t":"ready","case":"%s"}\n' "$(field case)" ;;
            *'"t":"step"'*)
              case $(field op) in
                login) now >> "$state.requests"; result '"ok","view":{"signed_in":true}' ;;
                status) result "\"ok\",\"view\":$(shown "${received:-none}")" ;;
                *) result '"unsupported"' ;;
              esac ;;
            *'"t":"end"'*) printf '{"t":"ended","case":"%s"}\n' "$(field case)" ;;
            *'"t":"bye"'*) exit 0 ;;
          esac
        done
        """#

    private static func run(_ given: String, steps: String = "[login, status]", last: Int, _ kind: DriverCommand.Kind) async throws -> JSON
    {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.write(script, to: "driver.sh")
        let yaml = "needs: [login, status]\ngiven: \(given)\nsteps: \(steps)\nexpect: [{control: 1}]"
        let report = try await DriverTroubleTests.run(
            "conforming", steps: yaml, command: "bash '\(folder.path)/driver.sh'", kind: kind, scripts: folder.url)
        let result = try #require(report.results.first, "\(report.trouble ?? "")")
        #expect(result.judgement == Judgement(.pass))
        guard case .ok(let view)? = result.evidence.steps[last]?.outcome else {
            Issue.record("found \(String(describing: result.evidence.steps[last])), expected a view")
            return .null
        }
        return view
    }

    private static let oneShot = DriverCommand.Kind.oneShot(.init(operations: [.login, .status], features: [.persistence]))

    @Test func `a process that lives on is started in the locale of its case`() async throws {
        let view = try await Self.run("{locale: ar_EG}", last: 2, .loop)

        #expect(view["received"]?.string == "ar_EG")
        #expect(view["lang"]?.string == "ar_EG.UTF-8")
        #expect(view["all"]?.string == "ar_EG.UTF-8")
    }

    @Test func `a restarted process has the locale too`() async throws {
        let view = try await Self.run("{locale: de_DE}", steps: "[login, restart, status]", last: 3, .loop)

        #expect(view["received"]?.string == "de_DE")
        #expect(view["all"]?.string == "de_DE.UTF-8")
    }

    @Test func `a program that is run for each step finds the locale in its environment`() async throws {
        let view = try await Self.run("{locale: tr_TR}", last: 2, Self.oneShot)

        #expect(view["received"]?.string == "tr_TR")
        #expect(view["lang"]?.string == "tr_TR.UTF-8")
        #expect(view["all"]?.string == "tr_TR.UTF-8")
    }

    @Test(arguments: [.loop, oneShot])
    func `a case without a locale leaves the environment as it is`(_ kind: DriverCommand.Kind) async throws {
        let environment = ProcessInfo.processInfo.environment

        let view = try await Self.run("{time_zone: UTC}", last: 2, kind)

        #expect(view["received"]?.string == "none")
        #expect(view["lang"]?.string == environment["LANG", default: ""])
        #expect(view["all"]?.string == environment["LC_ALL", default: ""])
    }
}
