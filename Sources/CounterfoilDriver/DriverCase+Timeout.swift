import Foundation

extension DriverCase {
    /// Runs one attempt, and cancels it after ``totalTimeout``.
    ///
    /// URLSession's own limits do not do this on Linux: there it ignores that of a request, and takes that of a session in whole seconds, so
    /// that less than one is none.
    ///
    /// ```swift
    /// let (data, response) = try await start.withinTotalTimeout { try await session.data(for: request) }
    /// ```
    ///
    /// - Throws: ``DriverFailure`` with the kind `timeout`; otherwise the attempt's error. It returns once the attempt has ended, which a
    ///   cancelled task of URLSession does at once.
    public func withinTotalTimeout<Value: Sendable>(
        _ attempt: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await bounded(by: .seconds(totalTimeout), on: ContinuousClock(), attempt)
    }
}

/// Runs an attempt, and cancels it after the limit.
func bounded<Value: Sendable>(
    by limit: Duration, on clock: some Clock<Duration>, _ attempt: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await attempt() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw DriverFailure(.timeout, "no complete response within \(limit)")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
