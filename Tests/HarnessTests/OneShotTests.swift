import BankModel
import Contracts
import DriverProtocol
import Foundation
import Harness
import TestBanks
import Testing

/// Clients that are run once for each step.
@Suite(.timeLimit(.minutes(10))) struct OneShotTests {
    private static let script = #"""
        mode=$1
        # Of bash 3 too, which macOS has.
        now() { local at=$EPOCHREALTIME; [[ -n $at ]] || at=$(perl -MTime::HiRes=time -e 'printf "%.6f", time'); echo "$at"; }
        case $COUNTERFOIL_OP in
          op_*) if [[ $mode == claims-all ]]; then echo '{}'; exit 0; fi; echo unsupported; exit 127 ;;
          login) now >> "$PWD.requests"; echo "$COUNTERFOIL_USER $COUNTERFOIL_PASSWORD" > signed; echo '{"signed_in":true}' ;;
          status) [[ -e signed ]] && read -r who < signed
            printf '{"who":"%s","home":"%s","now":"%s","token":"%s"}' "$who" "$HOME" "$COUNTERFOIL_NOW" "${COUNTERFOIL_TOKEN-none}" ;;
          accounts)
            case $mode in
              error) now >> "$PWD.requests"; echo 'unauthorized sign in again'; exit 1 ;;
              unknown-error) echo 'oops'; exit 1 ;;
              no-error) exit 1 ;;
              silent) now >> "$PWD.requests"; echo silent; exit 1 ;;
              no-view) exit 0 ;;
              text) echo 'all is well' ;;
              status-3) echo 'broken' >&2; exit 3 ;;
              not-found) no-such-program-at-all ;;
              signal) kill -9 $$ ;;
              hang) now >> "$PWD.requests"; : > "${0%/*}/hangs"; sleep 60 ;;
              flood) while :; do printf '%4096s' x; done ;;
              unsupported) echo unsupported; exit 127 ;;
              *) now >> "$PWD.requests"; echo '{"accounts":[]}' ;;
            esac ;;
        esac
        """#

    private static func run(
        _ mode: String, features: [DriverFeature] = [.persistence], steps: String = DriverTroubleTests.reading
    ) async throws -> RunReport {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.write(script, to: "driver.sh")
        let abilities = DriverCommand.Abilities(operations: [.login, .accounts, .status], features: features)
        return try await DriverTroubleTests.run(
            mode, steps: steps, command: "bash '\(folder.path)/driver.sh' \(mode)", kind: .oneShot(abilities), scripts: folder.url)
    }

    @Test func `a client gets everything in its environment and runs in its folder`() async throws {
        let yaml = """
            needs: [login, status]
            given: {clock: "2026-03-29T00:30:00Z"}
            features: [persistence]
            steps: [login, restart, status]
            expect: [{control: 1}, {step: 3, view: {who: "ava secret", now: "2026-03-29T00:30:00.000Z", token: none}}]
            """

        let report = try await Self.run("conforming", features: [.persistence, .clock], steps: yaml)

        let result = try #require(report.results.first)
        #expect(result.judgement == Judgement(.pass))
        guard case .ok(let view) = result.evidence.steps[3]?.outcome else {
            Issue.record("status did not answer")
            return
        }
        #expect(view["home"]?.string?.hasSuffix("state/c1") == true)
        #expect(report.again(result).contains("--one-shot --operations login,accounts,status --features persistence,clock --filter"))
    }

    @Test(
        arguments: [
            ("error", Verdict.inconclusive, "error unauthorized (sign in again)"),
            ("silent", .inconclusive, "silent (the client showed nothing"),
            ("unsupported", .unsupported, ") as unsupported"),
            ("unknown-error", .harnessError, "found the error `oops`, expected unauthorized"),
            ("no-error", .harnessError, "found nothing on stdout with exit status 1, expected the error's name first"),
            ("no-view", .harnessError, "found nothing on stdout with exit status 0, expected the view, a JSON object"),
            ("text", .harnessError, "found `all is well\n` on stdout with exit status 0, expected the view"),
            ("status-3", .harnessError, "found exit status 3 with nothing on stdout, expected 0, 1 or 127 (step 2, accounts)"),
            ("not-found", .harnessError, "found nothing on stdout with exit status 127, expected `unsupported`"),
            ("signal", .harnessError, "found a process that was terminated by signal 9"),
            ("flood", .harnessError, "found over 4194304 bytes on stdout, expected one view"),
        ])
    func `the answer is read from stdout and status`(mode: String, verdict: Verdict, expected: String) async throws {
        let report = try await Self.run(mode)

        let judgement = try #require(report.results.first?.judgement)
        #expect(judgement.verdict == verdict)
        #expect(judgement.reasons.first?.finding.seen.text.contains(expected) == true, "\(judgement)")
    }

    @Test func `a client that hangs fails and is killed`() async throws {
        let report = try await Self.run("hang")

        #expect(report.results.first?.judgement.verdict == .fail)
        #expect(
            report.results.first?.judgement.reasons.first?.finding.seen.text
                == "the client hung in step 2 (accounts): no response within 20s"
        )
    }

    @Test func `a client that answers ok to anything is rejected`() async throws {
        let report = try await Self.run("claims-all")

        #expect(report.trouble?.contains("the driver claims the operation `op_") == true)
    }
}
