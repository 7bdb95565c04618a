/// What a client needs to watch an account.
package struct StreamParts: Sendable {
    package var bank: any StreamingBank
    package var transport: any StreamingTransport
    package var rules = StreamRules()
    /// The silence after which what is shown counts as settled.
    package var quiet = Duration.milliseconds(500)
    /// The longest wait for that.
    package var patience = Duration.seconds(8)
    /// How long a connection is used at most: one that has died without a word looks like a silent one.
    package var longest = Duration.seconds(60)
}

/// The rules by which a client watches an account.
package struct StreamRules: Sendable {
    /// Whether an event counts after another about the same thing.
    package var isNewer: @Sendable (_ number: Int, _ seen: Int) -> Bool = { $0 > $1 }
    /// Which row an event is about.
    ///
    /// - Parameter count: the number of events so far.
    package var identity: @Sendable (_ id: String, _ count: Int) -> String = { id, _ in id }
    /// The change that is applied; nil applies none.
    package var change: @Sendable (StreamedChange) -> StreamedChange? = { $0 }
    /// Whether the client names the last id that it has when it connects again.
    package var resumes = true
    /// How long to wait before the next connection; nil ends the stream. A rejection ends it, and eight failures in a row.
    ///
    /// - Parameters:
    ///   - failure: why the last one ended; nil if the bank has ended it.
    ///   - failures: how many brought nothing, one after the other.
    ///   - retry: what the bank asks for.
    package var wait: @Sendable (_ failure: ClientFailure?, _ failures: Int, _ retry: Duration?) -> Duration? = StreamRules.pause

    private static func pause(_ failure: ClientFailure?, _ failures: Int, _ retry: Duration?) -> Duration? {
        guard failure?.retryable ?? true, failures < 8 else { return nil }
        return max(retry ?? .seconds(3), failure?.retryAfter ?? .zero) * (1 << min(max(failures - 1, 0), 4))
    }
}
