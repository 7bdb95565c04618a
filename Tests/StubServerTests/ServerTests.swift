import BankAdmin
import BankCore
import BankEngine
import BankModel
import Faults
import Foundation
import Logging
import StubServer
import TestBanks
import TestServer
import Testing

/// The server as a whole: pages of other origins, edited banks, and its end.
@Suite struct ServerTests {
    @Test(arguments: [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "192.168.1.20")])
    func `an address that others can reach demands an admin token`(bank: String, admin: String) throws {
        let error = #expect(throws: AdminTokenMissing.self) { try AdminConfiguration(port: 0, host: admin, bankHost: bank) }

        #expect(error?.description.contains("--admin-token") == true)
        #expect(throws: Never.self) { try AdminConfiguration(port: 0, host: admin, token: "t", bankHost: bank) }
        #expect(throws: Never.self) { try AdminConfiguration(port: 0, host: "::1", bankHost: "localhost") }
    }

    @Test func `a port under TLS that is taken gives the other back`() async throws {
        try await withSecureStub { stub, _ in
            let taken = try #require(stub.server.tlsAddress?.split(separator: ":").last.flatMap { Int($0) })
            var configuration = stub.server.configuration
            configuration.tls?.port = taken

            let error = await #expect(throws: ServerError.self) {
                _ = try await StubServer([source()], configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            }
            #expect(error?.description.contains(":\(taken)") == true)
        }
    }

    private static let threads = "/proc/self/task"

    @Test func `the end closes the session's ports before it drains`() async throws {
        try await withStub(configure: patient) { stub in
            let session = try await stub.server.openSession(bank: "till", listener: .clear())
            let port = try #require(session.port)
            let idle = try stub.client()
            await idle.send(request("GET /v1/clock"))
            #expect(await idle.response()?.status == 200)

            async let end: Void = stub.server.shutdown(grace: .seconds(60))
            // The drain has begun, and lasts until this client closes.
            #expect(await idle.end().end == .fin)

            #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
            idle.close()
            await end
        }
    }

    @Test func `a preflight is answered and responses allow the origin`() async throws {
        try await withStub(configure: { $0.corsOrigin = "http://app.test" }) { stub in
            let preflight = try await stub.ask(
                request(
                    "OPTIONS /v1/payments",
                    headers: [
                        "Origin: http://app.test", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x-mine",
                    ]))
            let token = try stub.token()
            let read = request("GET /v1/accounts", token: token, headers: ["Origin: http://app.test"])
            let responses = [try await stub.ask(read), try await stub.ask(read), try await stub.ask(request("GET /v1/nothing"))]

            #expect(preflight.status == 204)
            #expect(preflight.header("Access-Control-Allow-Headers") == "x-mine")
            #expect(preflight.header("Access-Control-Allow-Methods")?.contains("POST") == true)
            #expect(([preflight] + responses).allSatisfy { $0.header("Access-Control-Allow-Origin") == "http://app.test" })
            #expect(try await stub.till.ended(3).count == 3)
        }
    }

    @Test func `a preflight with two authorizations is rejected by both protocols`() async throws {
        try await withStub(configure: { $0.corsOrigin = "http://app.test" }) { stub in
            let headers = [
                (name: "access-control-request-method", value: "POST"), (name: "authorization", value: "Bearer a"),
                (name: "authorization", value: "Bearer b"),
            ]
            let pseudo = [":method": "OPTIONS", ":scheme": "http", ":authority": "bank", ":path": "/v1/payments"]

            let response = try await stub.ask(request("OPTIONS /v1/payments", headers: headers.map { "\($0.name): \($0.value)" }))
            let client = try await HTTP2Client(stub)
            let stream = await client.send(pseudo.map { (name: $0.key, value: $0.value) } + headers)
            await client.read { $0.haveEnded([stream]) }

            #expect(response.status == 400)
            #expect(client.streams[stream]?.status == 400)
        }
    }

    @Test func `a preflight is answered also behind a request with its headers`() async throws {
        try await withStub(configure: { $0.corsOrigin = "http://app.test" }) { stub in
            let (client, headers) = (try stub.client(), ["Origin: http://app.test", "Access-Control-Request-Method: GET"])

            let responses = await client.responses(to: ["GET", "OPTIONS"].map { request("\($0) /v1/clock", headers: headers) })
            let statuses = responses.map { $0?.status }

            #expect(statuses == [200, 204])
        }
    }

    @Test func `without CORS no origin is allowed`() async throws {
        try await withStub { stub in
            let asked = request("OPTIONS /v1/payments", headers: ["Origin: http://a.test", "Access-Control-Request-Method: POST"])

            let (preflight, response) = (try await stub.ask(asked), try await stub.ask(request("GET /v1/clock")))

            #expect(preflight.status == 404)
            #expect(response.header("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test func `an edited bank is loaded and the state remains`() async throws {
        let edited = TestFiles().replacing("till/accounts.json", "Current", with: "Everyday")
        try await withStub([source(reload: edited)]) { stub in
            let token = try stub.token()
            let ask = request("GET /v1/accounts/a1", token: token)
            #expect(try await stub.ask(payment("1.00", key: "k", token: token)).status == 201)
            #expect(try await stub.ask(ask).json["name"]?.string == "Current")

            try stub.server.reload("till")

            let account = try await stub.ask(ask).json
            #expect(account["name"]?.string == "Everyday")
            #expect(account["balance"]?.string == "99.00")
        }
    }

    @Test func `a faulty bank is rejected and the old one stays`() async throws {
        let faulty = TestFiles().replacing("till/bank.yaml", "dialect: terse", with: "dialect: unknown")
        try await withStub([source(reload: faulty)]) { stub in
            #expect(throws: (any Error).self) { try stub.server.reload("till") }

            let response = try await stub.ask(request("GET /v1/clock"))
            #expect(response.status == 200)
        }
    }

    @Test func `a snapshot of before an edit is restored into the edited bank`() async throws {
        let elsewhere = "  elsewhere: {request: GET /elsewhere, open: true, status: 302, headers: {Location: {url: /v1/document.json}}}"
        let edited = TestFiles().replacing("till/bank.yaml", elsewhere, with: "")
        try await withStub([source(reload: edited)]) { stub in
            try stub.till.snapshot()
            try stub.server.reload("till")

            #expect(try stub.till.restore())

            #expect(try await stub.ask(request("GET /v1/elsewhere")).status == 404)
        }
    }

    @Test func `an answer under way is finished before the end`() async throws {
        var files = TestFiles()
        files.files["till/document.json"] = "\"" + String(repeating: "d", count: 4 << 20) + "\""
        try await withStub([source(files)]) { stub in
            let (busy, idle) = (try stub.client(), try stub.client())
            await busy.send(request("GET /v1/document.json"))
            await idle.send(request("GET /v1/clock"))
            #expect(await idle.response()?.status == 200)
            _ = try await stub.till.entries { $0.count == 2 }

            async let end: Void = stub.server.shutdown(grace: .seconds(300))
            let response = await busy.response()

            #expect(response?.body.count == (4 << 20) + 2)
            #expect(await busy.end().end == .fin)
            #expect(await idle.end().end == .fin)
            await end
            #expect(throws: RawClient.Failure.self) { try stub.client() }
        }
    }
}
