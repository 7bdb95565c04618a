import BankClient
import BankModel
import Testing

/// Lists in pages: de-duplicated, bounded, restarted, and never a part shown as the whole.
struct PageRuleTests {
    /// The banks with pages by a cursor.
    private static let banks = ["counterfoil", "bins"]

    @Test(arguments: banks)
    func `all pages are read, each row once; a page may be empty and yet not the last`(_ name: String) async throws {
        let bank = try await pages(name, ["": page(name, "abc", "1"), "1": page(name, "", "2"), "2": page(name, "d", nil)])

        let listing = try await bank.client.transactions(of: Rows.account(name))

        #expect(listing.rows.map(\.id) == ["a", "b", "c", "d"])
        #expect(listing.isComplete)
        #expect(bank.transport.requests.count == 3)
    }

    @Test(arguments: banks)
    func `rows that are on two pages count once, good ones and bad ones`(_ name: String) async throws {
        let bank = try await pages(name, ["": page(name, "abx", "1"), "1": page(name, "bxc", "2"), "2": page(name, "xcd", nil)])

        let listing = try await bank.client.transactions(of: Rows.account(name))

        #expect(listing.rows.map(\.id) == ["a", "b", "c", "d"])
        #expect(listing.setAside == 1)
    }

    @Test func `a row that changed between two pages is shown as last read`() async throws {
        let day = "2026-01-12T00:00:00Z"
        let (before, after) = (Rows.counterfoil("a", day, status: "pending"), Rows.counterfoil("a", day, amount: "1.05"))
        let bank = try await pages(
            "counterfoil", ["": (#"{"transactions":[\#(before)],"next_cursor":"1"}"#), "1": #"{"transactions":[\#(after)]}"#])

        let listing = try await bank.client.transactions(of: "x")

        #expect(listing.rows.map(\.amount.major) == ["1.05"])
        #expect(listing.rows.map(\.pending) == [false])
    }

    @Test(arguments: banks, ["1", "0"])
    func `a repeated cursor ends the list, reported as incomplete`(_ name: String, next: String) async throws {
        let count = next == "1" ? 2 : 3
        let bank = try await pages(
            name, ["": page(name, "a", "0"), "0": page(name, "b", next == "0" ? "1" : "0"), "1": page(name, "c", "0")])

        let listing = try await bank.client.transactions(of: Rows.account(name))

        #expect(!listing.isComplete)
        #expect(listing.rows.map(\.id) == Array(["a", "b", "c"].prefix(count)))
        #expect(bank.transport.requests.count == count)
    }

    @Test(arguments: banks)
    func `an endless list is abandoned after 1,000 pages, reported as incomplete`(_ name: String) async throws {
        let body = { @Sendable (count: Int) in page(name, ["row\(count)"], "c\(count)") }
        let bank = try await Bank(name) { _, count in .json(200, body(count)) }

        let listing = try await bank.client.transactions(of: Rows.account(name))

        #expect(!listing.isComplete)
        #expect(listing.rows.count == 1000)
        #expect(bank.transport.requests.count == 1000)
    }

    @Test(arguments: banks, [400, 410])
    func `an expired cursor, or rows that changed on the way, begin with the first page again`(
        _ name: String, _ status: Int
    ) async throws {
        let old = page(name, "ab", "1")
        let new = ["": page(name, "na", "2"), "2": page(name, "b", nil)]
        let rejection = expired(name, status)
        let bank = try await Bank(name) { request, count in
            count == 0 ? .json(200, old) : count == 1 ? rejection : .json(200, new[cursor(request)] ?? "{}")
        }

        let listing = try await bank.client.transactions(of: Rows.account(name))

        #expect(listing.rows.map(\.id) == ["n", "a", "b"])
        #expect(listing.isComplete)
        #expect(bank.transport.requests.map(cursor) == ["", "1", "", "2"])
    }

    @Test(arguments: banks)
    func `where cursors expire every time, beginning again has an end, and no page is shown`(_ name: String) async throws {
        let (first, rejection) = (page(name, "a", "1"), expired(name, 400))
        let bank = try await Bank(name) { request, _ in cursor(request).isEmpty ? .json(200, first) : rejection }

        #expect(await bank.error { try await $0.transactions(of: Rows.account(name)) } == .rejected)
        #expect(bank.transport.requests.count == 6)
    }

    @Test(
        arguments: banks,
        [
            (ScriptedTransport.Outcome.json(404, "{}"), ClientError.notFound), (.json(403, "{}"), .forbidden),
            (.json(400, "{}"), .rejected),
            (.json(410, "{}"), .notFound), (.json(200, "<html>"), .decode), (.json(200, "{}"), .decode), (.json(503, ""), .unavailable),
            (.lost, .offline), (.json(200, "{}", headers: ["Content-Type": "text/html"]), .decode),
        ])
    func `a page that fails fails the list: no part is shown as the whole`(
        _ name: String, _ failure: (outcome: ScriptedTransport.Outcome, error: ClientError)
    ) async throws {
        let first = page(name, "a", "1")
        let bank = try await Bank(name) { request, _ in cursor(request).isEmpty ? .json(200, first) : failure.outcome }

        #expect(await bank.error { try await $0.transactions(of: Rows.account(name)) } == failure.error)
    }

    @Test(arguments: banks)
    func `a page with a transient failure is retried, not the whole list`(_ name: String) async throws {
        let pages = ["": page(name, "a", "1"), "1": page(name, "b", nil)]
        let bank = try await Bank(name) { request, count in count == 1 ? .lost : .json(200, pages[cursor(request)] ?? "{}") }

        #expect(try await bank.client.transactions(of: Rows.account(name)).rows.map(\.id) == ["a", "b"])
        #expect(bank.transport.requests.map(cursor) == ["", "1", "1"])
    }

    @Test(arguments: banks)
    func `a cursor of any letters is sent as it came`(_ name: String) async throws {
        let body = { @Sendable (count: Int) in page(name, count == 0 ? "a" : "b", count == 0 ? "a&b=c#d é" : nil) }
        let bank = try await Bank(name) { _, count in .json(200, body(count)) }

        _ = try await bank.client.transactions(of: Rows.account(name))

        #expect(bank.transport.requests.last?.url.contains("cursor=a%26b%3Dc%23d%20%C3%A9") == true)
    }

    /// The answers by the cursor of the request; the first page's is empty.
    private func pages(_ bank: String, _ pages: [String: String]) async throws -> Bank {
        try await Bank(bank) { request, _ in .json(200, pages[cursor(request)] ?? "{}") }
    }

    /// The dialect's response to an expired cursor.
    private func expired(_ bank: String, _ status: Int) -> ScriptedTransport.Outcome {
        bank == "bins" ? .json(status, #"{"code":"REQ-410","message":"m"}"#) : .problem(status, "cursor-expired")
    }
}

/// A page with a row for each letter, newest first in the given order; `x` is an unreadable one.
private func page(_ bank: String, _ letters: String, _ next: String?) -> String { page(bank, letters.map { String($0) }, next) }

private func page(_ bank: String, _ ids: [String], _ next: String?) -> String {
    let rows = ids.map { Rows.row(bank, $0, $0 == "x" ? "never" : "2026-01-12T00:00:00Z") }
    let body = Rows.body(bank, rows)
    return next.map { "\(body.dropLast()),\"\(bank == "bins" ? "next" : "next_cursor")\":\"\($0)\"}" } ?? body
}

/// The cursor of the request; empty for none.
private func cursor(_ request: HTTPRequest) -> String {
    let fields = request.url.split(separator: "?").last?.split(separator: "&") ?? []
    return fields.first { $0.hasPrefix("cursor=") }.map { String($0.dropFirst("cursor=".count)) } ?? ""
}
