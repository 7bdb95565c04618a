/// Runs a stub bank for as long as the closure runs. In Swift Testing, the trait `.stubBank` does so around a test.
///
/// A separate server in this process serves the bank on a free port of 127.0.0.1: tests that run at the same time do not
/// share money, tokens, clocks, faults or journals. The bank ends when the closure returns or throws. If the task is
/// cancelled, the bank ends at once, and a client that waits for a response is disconnected.
///
/// ```swift
/// try await withStubBank(.counterfoil) { bank in
///     let app = PocketApp(baseURL: bank.url)
///     try await app.signIn(user: "ava", password: "correct-horse")
///
///     try bank.clock.advance(by: .seconds(16 * 60))
///
///     await #expect(throws: PocketApp.Failure.signInAgain) { try await app.accounts() }
///     #expect(await !app.isSignedIn)
/// }
/// ```
///
/// - Parameters:
///   - name: the bank.
///   - options: the folder of the banks, the seed, the start of the clock, and whether the bank uses TLS.
///   - body: the closure that uses the bank. It runs in the caller's isolation: a test on the main actor stays there.
/// - Returns: the closure's result.
/// - Throws: ``StubBankError`` if the bank cannot be served; otherwise the closure's error.
public func withStubBank<Result>(
    _ name: StubBankName, options: StubBankOptions = StubBankOptions(), _ body: (StubBank) async throws -> Result
) async throws -> Result {
    try await withStubBanks(name, options: options) { banks in
        try await banks.withSession(of: name, body)
    }
}

/// Runs one server with several stub banks for as long as the closure runs.
///
/// Use it for an app that talks to more than one bank, or to open many sessions and read the banks' files only once.
///
/// ```swift
/// try await withStubBanks(.counterfoil, .login) { banks in
///     let closed = try await banks.open(.counterfoil)
///     let open = try await banks.open(.counterfoil)
///     try await closed.startOutage("blackout")
///     let app = PocketApp(baseURL: open.url, token: try open.tokens.issue(for: .ava).text)
///     #expect(try await !app.accounts().isEmpty)
/// }
/// ```
///
/// - Parameters:
///   - names: the banks; all banks in the folder if no name is given.
///   - options: the folder of the banks, the seed, the start of the clocks, and whether the banks use TLS.
///   - body: the closure that uses the banks. It runs in the caller's isolation.
/// - Returns: the closure's result.
/// - Throws: ``StubBankError`` if the banks cannot be served; otherwise the closure's error.
public func withStubBanks<Result>(
    _ names: StubBankName..., options: StubBankOptions = StubBankOptions(), _ body: (StubBanks) async throws -> Result
) async throws -> Result {
    let banks = try await StubBanks.start(names, options: options)
    return try await finishing {
        try await body(banks)
    } by: {
        await banks.stop()
    }
}

/// Runs `body`, then `end`, even if `body` throws. If the task is cancelled, `end` runs at once, and again after `body`.
func finishing<Result>(_ body: () async throws -> Result, by end: @escaping @Sendable () async -> Void) async throws -> Result {
    let outcome: Swift.Result<Result, any Error>
    do {
        outcome = .success(
            try await withTaskCancellationHandler {
                try await body()
            } onCancel: {
                Task { await end() }
            })
    } catch {
        outcome = .failure(error)
    }
    await end()
    return try outcome.get()
}
