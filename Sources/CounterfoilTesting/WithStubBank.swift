/// Runs a stub bank for as long as the closure runs.
///
/// The bank is served in this process, on a free port of 127.0.0.1, by a server of its own: tests that run at the same time
/// do not see each other's money, tokens, clock, faults or journal. It ends when the closure does, whether that returns or
/// throws; if the task is cancelled it ends at once, so that a client that waits for a reply does not wait on.
///
/// ```swift
/// try await withStubBank("counterfoil") { bank in
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
///   - name: the bank's folder in `Stubs/`, such as `roundup`.
///   - options: where its files are, its seed, its clock, and whether it speaks TLS.
///   - body: what is done with it. It runs where the caller runs, so a test on the main actor stays there.
/// - Returns: what the closure returns.
/// - Throws: ``StubBankError`` if the bank cannot be served; otherwise what the closure throws.
public func withStubBank<Result>(
    _ name: String, options: StubBankOptions = StubBankOptions(), _ body: (StubBank) async throws -> Result
) async throws -> Result {
    try await withStubBanks(name, options: options) { banks in
        try await banks.withSession(of: name, body)
    }
}

/// Runs one server of several stub banks for as long as the closure runs: for an app that talks to more than one, or for
/// many sessions without reading the banks' files anew for each.
///
/// ```swift
/// try await withStubBanks("counterfoil", "login") { banks in
///     let closed = try await banks.open("counterfoil")
///     let open = try await banks.open("counterfoil")
///     try await closed.outage("blackout")
///     let app = PocketApp(baseURL: open.url, token: try open.tokens.issue(for: "ava").text)
///     #expect(try await !app.accounts().isEmpty)
/// }
/// ```
///
/// - Parameters:
///   - names: folders in `Stubs/`; all banks that are there if none is named.
///   - options: where their files are, the seed, where their clocks begin, and whether they speak TLS.
///   - body: what is done with them. It runs where the caller runs.
/// - Returns: what the closure returns.
/// - Throws: ``StubBankError`` if they cannot be served; otherwise what the closure throws.
public func withStubBanks<Result>(
    _ names: String..., options: StubBankOptions = StubBankOptions(), _ body: (StubBanks) async throws -> Result
) async throws -> Result {
    let banks = try await StubBanks.start(names, options: options)
    return try await finishing {
        try await body(banks)
    } by: {
        await banks.stop()
    }
}

/// Runs the body, then the end, whatever becomes of the body; if the task is cancelled the end comes at once, and once more
/// behind the body.
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
