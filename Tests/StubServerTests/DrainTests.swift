import BankCore
import BankEngine
import BankModel
import EventStore
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// Whether a server is ready, and how it ends.
@Suite struct DrainTests {
    @Test func `probes are answered without the token and for any Host, with nothing but a word`() async throws {
        try await withAdmin(token: "open-sesame") { admin in
            for path in ["/livez", "/readyz"] {
                let response = try await admin.ask("GET \(path)", host: "10.1.2.3:8081")

                #expect(response.status == 200, "\(path)")
                #expect(response.text == "ok\n")
                #expect(response.header("Cache-Control") == "no-store")
                #expect(try await admin.ask("HEAD \(path)", host: "pod.test").body.isEmpty)
            }
            #expect(try await admin.ask("POST /readyz", headers: ["Authorization: Bearer open-sesame"]).status == 405)
            #expect(try await admin.ask("POST /readyz").status == 401)
            #expect(try await admin.call("POST /drain").status == 401)
            #expect(try await admin.ask("GET /readyz").status == 200)
        }
    }

    @Test func `a server that drains answers what is under way, and opens nothing new`() async throws {
        try await withAdmin { admin in
            let stub = admin.stub
            let body = #"{"from": "a1", "to": "p1", "amount": "1.00"}"#
            let head = try request(
                "POST /v1/payments", token: stub.token(), key: "k",
                headers: ["Expect: 100-continue", "Content-Length: \(body.utf8.count)"])
            let busy = try stub.client()
            await busy.send(head)
            // The interim response shows that the head was read.
            #expect(await busy.response(isHead: true)?.status == 100)

            #expect(try await admin.call("POST /drain").status == 202)

            let ready = try await admin.ask("GET /readyz")
            #expect(ready.status == 503)
            #expect(ready.text == "draining\n")
            #expect(try await admin.ask("GET /livez").status == 200)
            let rejected = try await admin.call("POST /sessions", #"{"bank": "till"}"#)
            #expect(rejected.status == 503)
            #expect(rejected.header("Retry-After") == "1")
            #expect(rejected.json["detail"]?.string?.contains("is draining") == true)
            await busy.send(body)
            #expect(await busy.response()?.status == 201)
            #expect(await busy.end().end == .fin)
        }
    }

    @Test func `what would be held for ever ends, what only waits does not`() async throws {
        try await withStub(configure: patient) { stub in
            _ = try stub.till.set(rule(#"{"fault": "hang", "on": {"path": "/v1/clock"}}"#))
            _ = try stub.till.set(rule(#"{"fault": {"delay": {"fixed": "1s"}}, "on": {"path": "/v1/accounts"}}"#))
            let (held, late) = (try stub.client(), try stub.client())
            await held.send(request("GET /v1/clock"))
            await late.send(request("GET /v1/accounts", token: try stub.token()))
            #expect(try await stub.till.holds(2))

            async let end: Void = stub.server.shutdown(grace: .seconds(60))

            #expect(await held.response() == nil)
            #expect(await late.response()?.status == 200)
            held.close()
            late.close()
            await end
        }
    }

    @Test func `a state file that was moved makes a server unready, and stops payments`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = folder.path + "/state"
        try await withAdmin(configure: { $0.keep(in: file) }) { admin in
            let token = try admin.stub.token()
            try await admin.stub.till.durable()
            #expect(try await admin.ask("GET /readyz").status == 200)

            try FileManager.default.moveItem(atPath: file, toPath: file + ".old")

            let moved = try await admin.ask("GET /readyz")
            #expect(moved.status == 503)
            #expect(moved.text == "the state file was moved or replaced\n")
            #expect(try await admin.ask("GET /livez").status == 200)
            #expect(try await admin.stub.ask(payment("0.01", key: "k", token: token)).status == 503)
            let reset = try await admin.call("POST /sessions/till/reset")
            #expect(reset.status == 503)
            #expect(reset.text.contains("was moved or replaced while in use"))
        }
    }

    @Test func `a full state file makes a server unready until it can be written again`() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        var options = EventStore.Options(pageLimit: 240)
        options.checkpointBytes = .max / 2
        try await withAdmin(configure: { $0.keep(in: folder.path + "/state", options) }) { admin in
            let spare = try await admin.stub.server.openSession(bank: "till", name: "spare")
            let spareToken = try spare.issueTokens(login: "ann").access.text
            let token = try admin.stub.token()
            try await admin.stub.till.durable()
            var client = try admin.stub.client()
            var key = 0
            func pay(_ token: String, prefix: String = "") async -> Int? {
                key += 1
                await client.send(payment("0.01", key: "k-\(key)", token: token, prefix: prefix))
                return await client.response()?.status
            }
            for _ in 1...400 { #expect(await pay(spareToken, prefix: "/s/spare") == 201) }
            #expect(try await admin.ask("GET /readyz").status == 200)
            while await pay(token) == 201 { try #require(key < 5000, "the file never gets full") }

            let full = try await admin.ask("GET /readyz")
            #expect(full.status == 503)
            #expect(full.text == "the state file cannot be written\n")
            #expect(try await admin.ask("GET /livez").status == 200)

            #expect(try await admin.call("DELETE /sessions/spare").status == 204)
            #expect(try await admin.ask("GET /readyz").status == 200)
            // A payment that could not be kept ended its connection without a response.
            client.close()
            client = try admin.stub.client()
            #expect(await pay(token) == 201)
            client.close()
        }
    }
}
