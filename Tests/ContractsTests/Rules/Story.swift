import BankModel
import Contracts
import Testing

/// A client's behaviour as a journal, and one rule's finding on it.
struct Story: Sendable, CustomTestStringConvertible {
    /// The expected finding of the rule.
    enum Finding: Sendable, Equatable {
        /// It is broken, by these exchanges, numbered by their positions in the journal from 1.
        case fail([Int])
        case pass
        case notExercised
        /// It may be broken, by these exchanges.
        case undecided([Int])
    }

    let rule: String
    let title: String
    let finding: Finding
    let journal: [JournalEntry]

    init(_ rule: String, _ title: String, _ finding: Finding, _ journal: [JournalEntry]) {
        self.rule = rule
        self.title = title
        self.finding = finding
        self.journal = Story.numbered(journal)
    }

    var testDescription: String { "\(rule): \(title)" }

    /// Holds if the rule finds what it must, and no rule at all is broken by an innocent client.
    func check() throws {
        let report = JournalReport(session: "s", bank: "toy", journal: journal)
        let outcome = try #require(report.rules.first { $0.id == rule })

        #expect(outcome.found == finding, "\(outcome.violations), \(outcome.openFindings)")
        if case .fail = finding { return }
        #expect(report.rules.filter { $0.verdict == .fail }.map(\.id) == [])
    }

    /// The entries numbered by their positions.
    static func numbered(_ journal: [JournalEntry]) -> [JournalEntry] {
        journal.enumerated().map { index, entry in entry.with { $0.seq = index + 1 } }
    }
}

extension JournalReport.Outcome {
    fileprivate var found: Story.Finding? {
        switch verdict {
        case .fail: .fail(violations.first?.requests.map(\.number) ?? [])
        case .pass: .pass
        case .notExercised: .notExercised
        case .inconclusive: .undecided(openFindings.first?.finding.requests.map(\.number) ?? [])
        default: nil
        }
    }
}

/// Exchanges, each with the time of its head in milliseconds; members without a value are as in a successful exchange.
extension JournalEntry {
    /// Any exchange. It lasts 10 ms, and the session's clock runs as the machine's.
    static func exchange(
        _ ms: Int64, _ method: String = "GET", _ path: String, _ operation: String?, _ roles: [Role], token: String? = nil,
        status: Int? = nil, response: DialectResponseName? = nil, on connection: Int = 1, lasts: Int64? = 10
    ) -> JournalEntry {
        JournalEntry(
            seq: 0, at: Instant(nanoseconds: 1_800_000_000_000_000_000 + ms * 1_000_000), monoNanoseconds: ms * 1_000_000,
            durationMicroseconds: lasts.map { $0 * 1000 }, connection: connection, host: "127.0.0.1:8080", method: method, path: path,
            operation: operation, roles: roles.map(\.rawValue), customer: token == nil || response == .tokenRejected ? nil : "ava",
            token: token, bodySHA256: "none", status: status ?? response?.usualStatus ?? 200, response: response?.rawValue,
            receipt: Receipt(headBytes: 100, bodyBytes: 100, end: .kept))
    }

    static func read(
        _ ms: Int64, _ token: String? = "token#1", _ response: DialectResponseName? = nil, status: Int? = nil,
        path: String = "/v1/accounts",
        on connection: Int = 1, lasts: Int64? = 10
    ) -> JournalEntry {
        exchange(ms, "GET", path, "accounts", [.accounts], token: token, status: status, response: response, on: connection, lasts: lasts)
    }

    /// The body stands for its digest too: equal texts are equal bytes.
    static func pay(
        _ ms: Int64, _ key: String? = "key-a", _ response: DialectResponseName? = nil, body: String = "5.00", status: Int? = nil,
        token: String? = "token#1", on connection: Int = 1, lasts: Int64? = 10
    ) -> JournalEntry {
        exchange(
            ms, "POST", "/v1/payments", "payments", [.pay], token: token, status: status ?? (response == nil ? 201 : nil),
            response: response,
            on: connection, lasts: lasts
        ).with {
            $0.key = key
            $0.bodySHA256 = body
            $0.bodyBytes = body.utf8.count
            $0.requestBody = Array(body.utf8)
        }
    }

    static func login(_ ms: Int64, gives token: String = "token#1", on connection: Int = 1) -> JournalEntry {
        exchange(ms, "POST", "/oauth/token", "passwordToken", [.login], on: connection).with {
            $0.responseBody = Array(#"{"access_token":"\#(token)"}"#.utf8)
        }
    }

    /// A refresh; `gives` are the numbers of its two tokens.
    static func refresh(
        _ ms: Int64, sends: String = "refresh#1", gives number: Int? = 2, status: Int = 200, on connection: Int = 1, lasts: Int64? = 10
    ) -> JournalEntry {
        exchange(ms, "POST", "/oauth/token", "refreshToken", [.refresh], status: status, on: connection, lasts: lasts).with {
            $0.requestBody = Array("grant_type=refresh_token&refresh_token=\(sends)".utf8)
            if let number, status == 200 {
                $0.responseBody = Array(#"{"access_token":"token#\#(number)","refresh_token":"refresh#\#(number)"}"#.utf8)
            }
        }
    }

    static func logout(_ ms: Int64, _ token: String? = "token#1") -> JournalEntry {
        exchange(ms, "POST", "/oauth/revoke", "revoke", [.logout], token: token)
    }

    func with(_ change: (inout JournalEntry) -> Void) -> JournalEntry {
        var entry = self
        change(&entry)
        return entry
    }

    /// With a body of which the journal stores no more than the beginning.
    var cutShort: JournalEntry { with { $0.bodyBytes = 9_000 } }

    /// With a header line of the response.
    func saying(_ name: String, _ value: String) -> JournalEntry { with { $0.responseHeaders.append(Header(name, value)) } }

    /// With a cookie, whose value the journal does not have: the token is in it unless another header has it.
    var withCookie: JournalEntry { with { $0.requestHeaders.append(Header("Cookie", SecretFields.mark)) } }

    /// It came through a proxy.
    var forwarded: JournalEntry { with { $0.requestHeaders.append(Header("X-Forwarded-For", "192.0.2.1")) } }

    /// The connection was closed before any byte of the response.
    var lost: JournalEntry { affected("lose-reply", at: "commit", .fin) }

    /// The client went away before the response, which a fault kept back.
    var abandoned: JournalEntry { affected("hang", at: "request", .clientGone) }

    /// The response is a fault's, and whole.
    var byFault: JournalEntry { with { $0.faults = [FaultRecord(rule: "rule-1", kind: "dialect", point: "request", applied: true)] } }

    private func affected(_ kind: String, at point: String, _ end: Receipt.End) -> JournalEntry {
        with {
            $0.faults = [FaultRecord(rule: "rule-1", kind: kind, point: point, applied: true)]
            $0.status = nil
            $0.response = nil
            $0.receipt = Receipt(end: end)
        }
    }
}
