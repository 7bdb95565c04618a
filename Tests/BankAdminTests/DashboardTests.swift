import BankCore
import BankEngine
import BankModel
import Crypto
import Foundation
import StubServer
import TestServer
import Testing

/// The page at `/`, and its part of the admin API.
@Suite struct DashboardTests {
    @Test func `the page is served under a strict policy`() async throws {
        try await withAdmin { admin in
            let page = try await admin.ask("GET /")

            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            #expect(page.header("Cache-Control") == "no-store")
            #expect(page.header("X-Frame-Options") == "DENY")
            #expect(page.header("X-Content-Type-Options") == "nosniff")
            #expect(page.header("Referrer-Policy") == "no-referrer")
            let policy = try #require(page.header("Content-Security-Policy"))
            let rules = policy.components(separatedBy: "; ")
            for rule in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"] {
                #expect(rules.contains(rule), "\(policy)")
            }
            #expect(!policy.contains("unsafe"))
            let (style, script) = (try page.inside("style"), try page.inside("script"))
            #expect(rules.contains("style-src \(hash(style))"))
            #expect(rules.contains("script-src \(hash(script))"))
            #expect(style.contains(":root"))
            #expect(script.contains("/sessions/{s}/journal"))
            // The modules are one script: an import or export in it would name a file that is not served.
            #expect(!script.contains("\nimport "))
            #expect(!script.contains("\nexport "))
        }
    }

    @Test func `the page has nothing that the policy forbids`() async throws {
        try await withAdmin { admin in
            let page = try await admin.ask("GET /").text

            for forbidden in [
                " onclick=", " onload=", " onerror=", " style=\"", "innerHTML", "outerHTML", "eval(", "https://", "src=\"",
            ] {
                #expect(!page.contains(forbidden), "\(forbidden)")
            }
            #expect(page.components(separatedBy: "<script").count == 2)
            #expect(page.components(separatedBy: "<style").count == 2)
        }
    }

    @Test func `a HEAD alone is that of the page`() async throws {
        try await withAdmin { admin in
            let (page, head) = (try await admin.ask("GET /"), try await admin.ask("HEAD /"))

            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.contentLength == page.body.count)
            #expect(head.header("Content-Security-Policy") == page.header("Content-Security-Policy"))
        }
    }

    @Test(arguments: [
        ("GET /index.html", "127.0.0.1", "", 404), ("GET /base.js", "127.0.0.1", "", 404), ("POST /", "127.0.0.1", "", 404),
        ("GET /", "evil.test", "", 403), ("HEAD /", "evil.test", "", 403), ("POST /", "127.0.0.1", "Origin: http://evil.test", 403),
    ])
    func `other paths are not found`(line: String, host: String, header: String, status: Int) async throws {
        try await withAdmin { admin in
            let response = try await admin.ask(line, host: host, headers: header.isEmpty ? [] : [header])

            #expect(response.status == status, "\(response.text)")
            #expect(response.header("Content-Security-Policy") == nil, "\(response.text)")
        }
    }

    @Test func `it is there without the token and holds no data`() async throws {
        try await withAdmin(token: "open-sesame") { admin in
            let page = try await admin.ask("GET /")

            #expect(page.status == 200)
            #expect(!page.text.contains("sesame"))
            #expect(!page.text.contains("A small bank"))
            #expect(try await admin.ask("HEAD /").status == 200)
            #expect(try await admin.ask("POST /").status == 401)
            #expect(try await admin.ask("GET /other").status == 401)
            #expect(try await admin.call("GET /banks").status == 401)
        }
    }

    @Test func `every call it makes is one of the API`() async throws {
        try await withAdmin { admin in
            let script = try await admin.ask("GET /").inside("script")
            let calls = Set(script.matches(of: /'((?:GET|PUT|POST|DELETE) \/[^' ]*)'/).map { String($0.output.1) })
            #expect(calls.count >= 20)
            for template in calls {
                // An unknown method distinguishes a missing path from one that rejects its input.
                let line = template.replacing("{s}", with: "till").replacing("{seq}", with: "1").replacing("{rule}", with: "rule-1")
                let response = try await admin.call(line, template.hasPrefix("GET") ? "" : "{\"nonsense\": 1}")

                #expect(response.status != 405, "\(template): \(response.text)")
                #expect(response.json["detail"]?.string?.contains("no admin call") != true, "\(template): \(response.text)")
            }
            #expect(try await admin.call("GET /nonsense").json["detail"]?.string?.contains("no admin call") == true)
        }
    }

    @Test func `the page offers every kind of event`() async throws {
        try await withAdmin { admin in
            let page = try await admin.ask("GET /").text
            for kind in BankEvent.Kind.allCases { #expect(page.contains("<option>\(kind.rawValue)</option>")) }
        }
    }

    @Test func `the form of each event has the members that the event needs, and no others`() async throws {
        try await withAdmin { admin in
            let script = try await admin.ask("GET /").inside("script")
            var forms: [BankEvent.Kind: [String]] = [:]
            for match in script.matches(of: /'([a-z-]+)': \[([a-z', ]+)\]/) {
                guard let kind = BankEvent.Kind(rawValue: String(match.output.1)) else { continue }
                forms[kind] = match.output.2.split(separator: ",").map { String($0.filter(\.isLetter)) }
            }
            #expect(Set(forms.keys) == Set(BankEvent.Kind.allCases))
            #expect(forms[.cardIncremented]?.contains("amount") == true)
            for (kind, names) in forms {
                var event = JSONObject([("event", .string(kind.rawValue))])
                for name in names { event[name] = "1" }
                let response = try await admin.call("POST /sessions/till/events", JSON.object(event).text)
                let detail = response.json["detail"]?.string ?? ""
                #expect(response.status >= 400, "\(kind)")
                #expect(!detail.contains("is missing"), "\(kind): \(detail)")
                #expect(!detail.contains("no such member"), "\(kind): \(detail)")
            }
        }
    }

    @Test func `the kinds of fault are listed with settings that can be set`() async throws {
        try await withAdmin { admin in
            let kinds = try #require(try await admin.call("GET /fault-kinds").json["kinds"]?.array)

            #expect(kinds.count >= 35)
            #expect(kinds.allSatisfy { $0["about"]?.string?.isEmpty == false && $0["point"]?.string != nil })
            let body = JSON.object(["fault": .object(JSONObject([("status", kinds.example(of: "status"))]))])
            #expect(try await admin.call("POST /sessions/till/faults", body.text).status == 201)
        }
    }

    @Test func `the settings of every kind have a schema`() async throws {
        try await withAdmin { admin in
            let response = try await admin.call("GET /fault-kinds").json
            let definitions = try #require(response["schema"]?["definitions"])

            for kind in try #require(response["kinds"]?.array) {
                let name = try #require(kind["kind"]?.string)
                #expect(definitions["fault-\(name)"]?["type"] == "object", "\(name)")
            }
            let words = definitions["fault-lose-reply"]?["properties"]?["by"]?["enum"]
            #expect(words == ["close", "reset", "hang", "half-head", "half-body"])
        }
    }

    @Test func `banks list an example to try first`() async throws {
        try await withAdmin { admin in
            let bank = try #require(try await admin.call("GET /banks").json["banks"]?.array?.first)

            #expect(bank["example"]?.string == "/v1/accounts")
            #expect(bank["needs_token"] == true)
        }
    }

    @Test func `sessions report how busy they are and their faults`() async throws {
        try await withAdmin { admin in
            _ = try await admin.stub.ask(request("GET /v1/clock"))
            _ = try admin.stub.till.set(rule(#"{"fault": "hang", "on": {"operation": "pay"}}"#))
            let before = try await admin.call("GET /sessions/till").json
            #expect(before["exchanges"]?.int == 1)
            #expect(before["rules"]?.int == 1)
            #expect(before["outage"] == nil)

            try admin.stub.till.freeze()
            _ = try admin.stub.till.start(
                plan(#"{"about": "It is down.", "entries": [{"rules": [{"fault": {"status": {"status": 503}}}]}]}"#),
                limit: .seconds(90))
            try admin.stub.till.advance(.seconds(30))

            #expect(try await admin.call("GET /sessions/till").json["outage"]?.string == "storm")
            let outage = try await admin.call("GET /sessions/till/outage").json
            #expect(outage["left_ms"]?.int == 60_000)
            #expect(outage["clock"]?.string == "session")
            #expect(outage["running"] == true)
            try admin.stub.till.advance(.seconds(60))
            let over = try await admin.call("GET /sessions/till/outage").json
            #expect(over["left_ms"] == nil)
            #expect(over["running"] == false)
            #expect(try await admin.call("GET /sessions/till").json["outage"] == nil)
        }
    }

    @Test func `balances are those of all accounts`() async throws {
        try await withAdmin { admin in
            #expect(try await admin.stub.ask(payment("2.50", key: "k1", token: try admin.stub.token())).status == 201)

            let balances = try await admin.call("GET /sessions/till/balances").json

            #expect(
                balances["balances"]?.array?.map { "\($0["account"]?.string ?? "") \($0["balance"]?.string ?? "")" }
                    == ["accounts/a1 97.50", "accounts/a2 5.50", "accounts/b1 7.00"])
            #expect(balances["more"] == false)
        }
    }
}

/// The source expression of a policy for a text.
private func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'" }

extension [JSON] {
    fileprivate func example(of kind: String) -> JSON { first { $0["kind"]?.string == kind }?["example"] ?? .null }
}

extension RawResponse {
    /// The content of the page's one element of that name.
    fileprivate func inside(_ element: String) throws -> String {
        let start = try #require(text.range(of: "<\(element)")),
            open = try #require(text.range(of: ">", range: start.upperBound..<text.endIndex))
        let end = try #require(text.range(of: "</\(element)>", range: open.upperBound..<text.endIndex))
        return String(text[open.upperBound..<end.lowerBound])
    }
}
