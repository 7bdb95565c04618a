import BankClient
import BankModel
import Foundation
import Platform

/// A client with cached data on a disk, and a bank whose failures can be switched on.
final class OfflineScene: Sendable {
    let folder: String
    let store: FileTokenStore
    private let keys: KeyFile
    private let name: String
    private let server: Server
    let bank: Bank

    /// The bank's behaviour; shared by the clients before and after a restart.
    private final class Server: Sendable {
        let state = Locked((answer: ScriptedTransport.Outcome?.none, latch: Latch?.none))

        func answer(_ request: HTTPRequest) async -> ScriptedTransport.Outcome {
            if request.url.contains("/oauth/") { return OfflineScene.fixture(request) }
            // A held answer is that of the moment of its request.
            let (answer, latch) = state.withLock { $0 }
            await latch?.wait()
            return answer ?? OfflineScene.fixture(request)
        }
    }

    init(_ name: String, folder: String) async throws {
        self.name = name
        self.folder = folder
        server = Server()
        keys = KeyFile(path: folder + "/key")
        store = FileTokenStore(path: folder + "/token", keys: keys)
        bank = try await OfflineScene.bank(name, server, folder, keys, store)
        if name != "snapshot" { try await signIn("ava") }
    }

    var client: BankClient { bank.client }

    /// The bank's answer to everything but signing in; nil for the usual ones.
    var answer: ScriptedTransport.Outcome? {
        get { server.state.withLock { $0.answer } }
        set { server.state.withLock { $0.answer = newValue } }
    }

    /// Holds every answer.
    var latch: Latch? {
        get { server.state.withLock { $0.latch } }
        set { server.state.withLock { $0.latch = newValue } }
    }

    func signIn(_ customer: String) async throws {
        if client.signsInByCall {
            try await client.signIn(user: customer, password: "x")
        } else {
            try await client.signIn(token: "token of \(customer)")
        }
    }

    /// The same client, restarted on the same folder.
    func restarted() async throws -> Bank { try await OfflineScene.bank(name, server, folder, keys, store) }

    func filesOfData() throws -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder + "/cache")) ?? []
        return names.filter { $0.contains("/") }
    }

    private static func bank(
        _ name: String, _ server: Server, _ folder: String, _ keys: KeyFile, _ store: FileTokenStore
    ) async throws -> Bank {
        let cache = FileDataCache(folder: folder + "/cache", keys: keys)
        return try await Bank(name, store: store, cache: cache, signedIn: false) { request, _ in await server.answer(request) }
    }

    private static func fixture(_ request: HTTPRequest) -> ScriptedTransport.Outcome {
        let url = request.url
        if url.hasSuffix("/oauth/token") { return .json(200, #"{"access_token":"t","token_type":"bearer"}"#) }
        if url.contains("/oauth/") { return .json(200, "") }
        if url.contains("/transactions") {
            return .json(
                200,
                #"""
                {"transactions":[{"id":"t1","booked_at":"2026-01-12T12:30:00Z","status":"booked","direction":"debit",
                "amount":{"amount":"2.20","currency":"GBP"},"description":"Harbour Fish Market"}]}
                """#)
        }
        if url.hasSuffix("/accounts/a1") { return .json(200, #"{"balance":{"amount":"12.30","currency":"GBP"}}"#) }
        if url.contains("/s/data.json") {
            return .json(
                200,
                #"""
                {"account":{"accountName":"n","accountNumber":"06 1","available":1,"balance":2},"pending":[],"atms":[],
                 "transactions":[{"id":"1","effectiveDate":"20/07/2017","description":"x","amount":-200.00}]}
                """#)
        }
        return .json(
            200, #"{"accounts":[{"id":"a1","accountUid":"a1","name":"Everyday Account","currency":"GBP"}]}"#)
    }
}

func withCase(_ name: String = "counterfoil", _ body: (OfflineScene) async throws -> Void) async throws {
    try await withFolder { folder in try await body(try await OfflineScene(name, folder: folder)) }
}
