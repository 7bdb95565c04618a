import BankCore
import BankEngine
import BankModel
import Foundation
import StubServer
import Testing
import TestServer

/// Every call of the admin API, over the wire.
@Suite struct AdminTests {
    @Test func `it describes the server`() async throws {
        try await withAdmin { admin in
            let (health, version, banks) = (
                try await admin.call("GET /health"), try await admin.call("GET /version"), try await admin.call("GET /banks")
            )

            #expect(health.status == 200)
            #expect(health.json["status"]?.string == "ok")
            #expect(health.header("Cache-Control") == "no-store")
            // Errors too.
            for response in [health, version, try await admin.call("GET /nothing")] {
                #expect(response.header("X-Content-Type-Options") == "nosniff")
                #expect(response.header("Cross-Origin-Resource-Policy") == "same-origin")
            }
            #expect(version.json["version"]?.string == "1.2.3")
            #expect(version.json["seed"]?.int == 7)
            let bank = try #require(banks.json["banks"]?.array?.first)
            #expect(bank["name"]?.string == "till")
            #expect(bank["base_url"]?.string == admin.stub.server.address)
            #expect(bank.at("roles.pay")?.array?.compactMap(\.string) == ["pay"])
        }
    }

    @Test func `its counts are there for Prometheus`() async throws {
        try await withAdmin(configure: { $0.journalCapacity = 2 }) { admin in
            _ = try admin.stub.till.set(rule(#"{"fault": "hang", "nth": 4}"#))
            for _ in 1...3 { #expect(try await admin.stub.ask(request("GET /v1/clock")).status == 200) }
            let held = try admin.stub.client()
            await held.send(request("GET /v1/clock"))
            _ = try await admin.stub.till.entries { $0.last?.seq == 4 }

            let response = try await admin.call("GET /metrics")

            #expect(response.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(response.text.split(separator: "\n").map(String.init))
            let till = #"{bank="till"}"#
            #expect(
                lines.isSuperset(of: [
                    #"counterfoil_build_info{version="1.2.3"} 1"#, "counterfoil_sessions\(till) 1",
                    #"counterfoil_exchanges_total{bank="till",operation="clock",status="200"} 3"#,
                    "counterfoil_exchanges_dropped\(till) 2", "counterfoil_exchanges_held\(till) 1", "counterfoil_rules\(till) 1",
                    "# TYPE counterfoil_exchanges_total counter",
                ]), "\(response.text)")
        }
    }

    @Test func `sessions are made, listed and removed`() async throws {
        try await withAdmin { admin in
            let made = try await admin.call(
                "POST /sessions", #"{"bank": "till", "name": "mine", "seed": 3, "listen": true, "clock": "2090-01-02T12:00:00Z"}"#)
            #expect(made.status == 201)
            #expect(made.json["id"]?.string == "mine")
            #expect(made.json["seed"]?.int == 3)
            let port = try #require(made.json["port"]?.int)
            #expect(made.json["base_url"]?.string == "http://127.0.0.1:\(port)")
            #expect(made.json["now"]?.string == "2090-01-02T12:00:00.000Z")
            let unnamed = try await admin.call("POST /sessions", #"{"bank": "till"}"#)
            #expect(unnamed.json["base_url"]?.string?.hasSuffix("/s/\(unnamed.json["id"]?.string ?? "?")") == true)

            #expect(try await admin.call("GET /sessions").json["sessions"]?.array?.count == 3)
            #expect(try await admin.call("GET /sessions/default").json["id"]?.string == "till")
            #expect(try await admin.call("DELETE /sessions/mine").status == 204)
            #expect(try await admin.call("GET /sessions/mine").status == 404)
        }
    }

    @Test(arguments: [
        ("GET /sessions/nobody", "", 404), ("POST /sessions", #"{"bank": "till", "name": "Big"}"#, 400), ("POST /sessions", "{}", 400),
        ("POST /sessions", "[]", 400), ("POST /sessions/till/clock/advance", "{}", 400),
        ("DELETE /sessions/till/faults/rule-9", "", 404), ("GET /sessions/till/journal?since=x", "", 400),
        ("GET /sessions/till/journal?before=x", "", 400), ("GET /sessions/till/journal?last=1.5", "", 400),
        ("GET /sessions/till/journal?wait=soon", "", 400), ("GET /sessions/till/journal?revision=-1", "", 400),
        ("GET /sessions/till/journal?brief=yes", "", 400), ("GET /nothing", "", 404),
        ("PATCH /sessions/till", "", 405), ("PUT /health", "", 405), ("PATCH /nothing", "", 404),
    ])
    func `an invalid request is a problem with detail`(line: String, body: String, status: Int) async throws {
        try await withAdmin { admin in
            let response = try await admin.call(line, body)

            #expect(response.status == status, "\(response.text)")
            #expect(response.header("Content-Type") == "application/problem+json")
            #expect(response.json["detail"]?.string?.isEmpty == false)
            #expect(response.json["status"]?.int == Int64(status))
        }
    }

    @Test func `a method that a path has not is reported with those it has`() async throws {
        try await withAdmin { admin in
            let response = try await admin.call("PATCH /sessions/till")

            #expect(response.header("Allow") == "GET, PUT, DELETE")
            #expect(response.json["detail"]?.string == "found PATCH /__admin/sessions/till, expected GET, PUT or DELETE")
            let missing = try await admin.call("GET /session?x=1")
            #expect(missing.json["detail"]?.string == "there is no admin call GET /__admin/session; GET /__admin lists all calls")
        }
    }

    @Test func `a name that a call's query does not take is rejected, and the nearest one named`() async throws {
        try await withAdmin { admin in
            let misspelt = try await admin.call("GET /sessions/till/journal?brief=true&sicne=3")
            #expect(misspelt.status == 400)
            #expect(
                misspelt.json["detail"]?.string
                    == "found `sicne` in the query of GET /__admin/sessions/{session}/journal, expected since, "
                    + "before, limit, last, operation, status, brief, revision or wait; did you mean `since`?")
            let described = try await admin.call("GET ").json["calls"]?.array?.first {
                $0["call"] == "GET /__admin/sessions/{session}/journal"
            }
            for name in ["since", "before", "limit", "last", "operation", "status", "brief", "revision", "wait"] {
                #expect(described?["does"]?.string?.contains("\(name)=") == true, "\(name)")
            }
            let needless = try await admin.call("POST /sessions/till/reset?hard=true")
            #expect(
                needless.json["detail"]?.string
                    == "found `hard` in the query of POST /__admin/sessions/{session}/reset, expected nothing")
            #expect(try await admin.call(head: "HEAD /health?x=1", then: "GET /version").map(\.status) == [400, 200])
            #expect(try await admin.call("GET /sessions/till/journal/har?last=1").status == 200)
        }
    }

    @Test func `settings in the body of a call that takes none are rejected`() async throws {
        try await withAdmin { admin in
            _ = try admin.stub.till.set(rule(#"{"fault": "close"}"#))
            for body in [#"{"rule": "rule-9"}"#, "rule=rule-9", "[1]"] {
                let response = try await admin.call("DELETE /sessions/till/faults", body)
                #expect(response.status == 400)
                #expect(
                    response.json["detail"]?.string
                        == "found a body in DELETE /__admin/sessions/{session}/faults, expected none: the call has no settings")
            }
            #expect(try admin.stub.till.counts.rules == 1)
            #expect(try await admin.call("POST /sessions/till/restore", #"{"snapshot": "first"}"#).status == 400)
            #expect(try await admin.call("DELETE /sessions/till/faults", "{}").status == 204)
            #expect(try await admin.call("GET /health", #"{"a": 1}"#).status == 200)
        }
    }

    @Test(arguments: [("/health", 200), ("/nothing", 404)])
    func `HEAD is answered as GET without the body, and the connection goes on`(path: String, status: Int) async throws {
        try await withAdmin { admin in
            let responses = try await admin.call(head: "HEAD \(path)", then: "GET /version")
            #expect(responses.map(\.status) == [status, 200])
        }
    }

    @Test func `the list of calls is the table of the reference page`() async throws {
        try await withAdmin { admin in
            let calls = try await admin.call("GET ").json["calls"]?.array ?? []

            let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/reference/admin-api.md")
            let listed = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
                $0.contains("` | ") && ["GET", "POST", "PUT", "DELETE"].contains($0.dropFirst(3).prefix { $0 != " " })
            }
            let lines = calls.map { "| `\($0["call"]?.string ?? "")` | \($0["does"]?.string ?? "") | " }
            #expect(listed.count == lines.count)
            for (row, line) in zip(listed, lines) { #expect(row.hasPrefix(line)) }
            #expect(calls.contains(["call": "GET /__admin/health", "does": "reports that the server is running"]))
        }
    }

    @Test func `clock, tokens and state are steered`() async throws {
        try await withAdmin { admin in
            let path = "/sessions/till"
            let set = try await admin.call("PUT \(path)/clock", #"{"now": "2090-01-02T12:00:00Z", "mode": "frozen", "skew": "-30s"}"#)
            #expect(set.json["mode"]?.string == "frozen")
            #expect(set.json["skew"]?.string == "-30s")
            let issued = try await admin.call("POST \(path)/tokens", #"{"login": "bob", "scopes": ["read"], "lifetime": "5m"}"#)
            #expect(issued.status == 201)
            #expect(issued.json["id"]?.string == "token#1")
            #expect(issued.json["expires_at"]?.string == "2090-01-02T12:05:00.000Z")
            let token = try #require(issued.json["token"]?.string)
            let accounts = request("GET /v1/accounts", token: token)
            #expect(try await admin.stub.ask(accounts).status == 200)

            #expect(
                try await admin.call("POST \(path)/clock/advance", #"{"by": "5m"}"#).json["now"]?.string == "2090-01-02T12:05:00.000Z")
            #expect(try await admin.stub.ask(accounts).error == "token-expired")
            let listed = try await admin.call("GET \(path)/tokens")
            #expect(listed.json["tokens"]?.array?.compactMap { $0["state"]?.string } == ["expired", "live"])
            #expect(!listed.text.contains(token))
            #expect(try await admin.call("POST \(path)/snapshot").status == 204)
            #expect(try await admin.call("POST \(path)/restore").status == 204)
            #expect(try await admin.call("POST \(path)/reset").status == 204)
            #expect(try await admin.call("GET \(path)/tokens").json["tokens"]?.array?.isEmpty == true)
            #expect(try await admin.call("GET \(path)/clock").json["mode"]?.string == "running")
        }
    }

    @Test(arguments: [("expire", "token-expired"), ("downscope", "scope-refused"), ("revoke", "token-rejected")])
    func `a token is expired, downscoped or revoked, and no other`(action: String, error: String) async throws {
        try await withAdmin { admin in
            let (ended, other) = (try admin.stub.token(), try admin.stub.token())

            let response = try await admin.call("POST /sessions/till/tokens/\(action)", #"{"token": "token#1"}"#)

            let entries = "GET /v1/accounts/a1/entries"
            #expect(response.status == 204)
            #expect(try await admin.stub.ask(request(entries, token: ended)).error == error)
            #expect(try await admin.stub.ask(request(entries, token: other)).status == 200)
        }
    }

    @Test func `faults are set, listed, released and removed`() async throws {
        try await withAdmin { admin in
            let path = "/sessions/till/faults"
            let text = #"{"fault": {"status": {"status": 503}, "after": "released"}, "on": {"operation": "clock"}, "times": 1}"#
            let set = try await admin.call("POST \(path)", text)
            #expect(set.status == 201)
            #expect(set.json["id"]?.string == "rule-1")
            let client = try admin.stub.client()
            await client.send(request("GET /v1/clock"))
            _ = try await admin.stub.till.entries { !$0.isEmpty }

            let listed = try await admin.call("GET \(path)")
            #expect(listed.json["held"]?.int == 1)
            let rule = try #require(listed.json["faults"]?.array?.first)
            #expect(rule["fired"]?.int == 1)
            #expect(rule.at("fault.status.status")?.int == 503)
            #expect(rule.at("fault.after")?.string == "released")
            #expect(try await admin.call("POST \(path)/release").json["released"]?.int == 1)
            #expect(await client.response()?.status == 503)
            #expect(try await admin.call("DELETE \(path)/rule-1").status == 204)
            #expect(try await admin.call("POST \(path)", text).json["id"]?.string == "rule-2")
            #expect(try await admin.call("DELETE \(path)").status == 204)
            #expect(try await admin.call("GET \(path)").json["faults"]?.array?.isEmpty == true)
        }
    }

    @Test func `the journal is read, paged, exported and cleared`() async throws {
        try await withAdmin { admin in
            let path = "/sessions/till/journal"
            for target in ["/v1/clock", "/v1/nothing?a=b", "/v1/clock"] { _ = try await admin.stub.ask(request("GET \(target)")) }
            _ = try await admin.stub.till.ended(3)

            let first = try await admin.call("GET \(path)?limit=1")
            #expect(first.json["entries"]?.array?.compactMap { $0["seq"]?.int } == [1])
            #expect(first.json["next_since"]?.int == 1)
            let rest = try await admin.call("GET \(path)?since=1")
            #expect(rest.json["entries"]?.array?.compactMap { $0["seq"]?.int } == [2, 3])
            #expect(rest.json["next_since"]?.int == 3)
            #expect(try await admin.call("GET \(path)?status=404").json["entries"]?.array?.count == 1)
            #expect(try await admin.call("GET \(path)?operation=clock").json["entries"]?.array?.count == 2)
            let unmatched = try await admin.call("GET \(path)/unmatched")
            #expect(unmatched.json["entries"]?.array?.first?["nearest"]?.array?.isEmpty == false)
            let archive = try await admin.call("GET \(path)/har")
            let entries = try #require(archive.json.at("log.entries")?.array)
            #expect(archive.json.at("log.version")?.string == "1.2")
            #expect(entries.count == 3)
            #expect(entries[1].at("request.url")?.string == "\(admin.stub.server.address)/v1/nothing?a=b")
            #expect(entries[1].at("response.status")?.int == 404)
            #expect(try await admin.call("DELETE \(path)").status == 204)
            #expect(try await admin.call("GET \(path)").json["entries"]?.array?.isEmpty == true)
        }
    }

    @Test func `the ledger and idle connections are there`() async throws {
        try await withAdmin { admin in
            let client = try admin.stub.client()
            await client.send(payment("2.50", key: "k1", token: try admin.stub.token()))
            #expect(await client.response()?.status == 201)

            let ledger = try await admin.call("GET /sessions/till/ledger")

            #expect(ledger.json["balanced"] == true)
            #expect(ledger.json["postings"]?.array?.compactMap { $0["amount"]?.string } == ["-2.50", "2.50"])
            #expect(ledger.json["movements"]?.array?.first?["key"]?.string == "k1")
            #expect(try await admin.call("POST /sessions/till/connections/close", #"{"idle": true}"#).status == 204)
            #expect(await client.end() == (.fin, []))
        }
    }

    @Test func `strangers and pages are kept out`() async throws {
        try await withAdmin { admin in
            let stranger = try await admin.call("GET /health", host: "evil.test:80")
            #expect(stranger.status == 403)
            #expect(try await admin.call("GET /health", host: "LOCALHOST:8081").status == 200)
            #expect(try await admin.call("GET /health", host: "[::1]:8081").status == 200)
            #expect(try await admin.call("POST /sessions/till/reset", headers: ["Origin: http://evil.test"]).status == 403)
            #expect(try await admin.call("POST /sessions/till/reset", headers: ["Origin: null"]).status == 403)
        }
    }

    /// An origin is scheme, host and port: a page from another port of this machine is foreign.
    @Test(arguments: [
        (["Origin: http://localhost:8080"], 204), (["Origin: HTTP://LOCALHOST:8080", "Sec-Fetch-Site: same-origin"], 204), ([], 204),
        (["Sec-Fetch-Site: none"], 204), (["Origin: http://localhost:5173"], 403), (["Origin: http://localhost"], 403),
        (["Origin: http://127.0.0.1:8080"], 403), (["Origin: https://localhost:8080"], 403), (["Sec-Fetch-Site: same-site"], 403),
        (["Sec-Fetch-Site: cross-site"], 403), (["Origin: http://localhost:8080", "Sec-Fetch-Site: Same-Site"], 403),
        (["Referer: http://evil.test/page"], 403), (["Referer: http://localhost:5173/"], 403), (["Referer: evil"], 403),
        (["Referer: http://Localhost:8080/?a/b"], 204), (["Referer: http://localhost:8080"], 204),
        (["Referer: http://evil.test/page", "Sec-Fetch-Site: same-origin"], 204), (["User-Agent: Counterfoil"], 403),
    ])
    func `a page of another port steers nothing`(headers: [String], status: Int) async throws {
        try await withAdmin { admin in
            _ = try admin.stub.till.set(rule(#"{"fault": "hang"}"#))

            let response = try await admin.call("DELETE /sessions/till/faults", host: "localhost:8080", headers: headers)

            #expect(response.status == status, "\(headers)")
            #expect(try admin.stub.till.rules.isEmpty == (status == 204))
            // A browser that sends no Sec-Fetch-Site cannot be known by a read.
            let isForeign = headers.contains { $0.lowercased().hasSuffix("-site") }
            #expect(try await admin.call("GET /sessions", host: "localhost:8080", headers: headers).status == (isForeign ? 403 : 200))
        }
    }

    /// A page of another origin that embeds a response, or asks for it, reads nothing of it, but the server would be busy with it.
    @Test(arguments: [
        ("navigate", "document", 200), ("navigate", "iframe", 403), ("no-cors", "empty", 403), ("no-cors", "image", 403),
        ("cors", "empty", 403),
    ])
    func `a link opens a response and another page gets none`(mode: String, destination: String, status: Int) async throws {
        try await withAdmin { admin in
            let headers = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)", "Sec-Fetch-Dest: \(destination)"]

            let found = try await admin.call("GET /sessions", host: "localhost:8080", headers: headers)
            #expect(found.status == status)
        }
    }

    @Test func `a token is demanded where one is set`() async throws {
        try await withAdmin(token: "open-sesame") { admin in
            let without = try await admin.call("GET /health")
            #expect(without.status == 401)
            #expect(!without.text.contains("sesame"))
            #expect(try await admin.call("GET /health", headers: ["Authorization: Bearer open-sesamf"]).status == 401)
            #expect(try await admin.call("GET /health", headers: ["Authorization: Bearer open-sesame"]).status == 200)
        }
    }

    @Test func `shutdown ends the server`() async throws {
        try await withAdmin { admin in
            let client = try admin.stub.client()
            await client.send(request("GET /v1/clock"))
            #expect(await client.response()?.status == 200)

            let response = try await admin.call("POST /shutdown")

            #expect(response.status == 202)
            #expect(await client.end() == (.fin, []))
        }
    }
}
