import BankModel

/// What a browser is told that asks whether it may send (CORS preflight, Fetch §3.2.2).
enum Preflight {
    /// - Parameter asked: the headers that it wants to send.
    static func headers(asked: String?) -> [JournalEntry.Header] {
        [
            .init("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
            .init("Access-Control-Allow-Headers", asked ?? "Authorization, Content-Type, Idempotency-Key"),
            .init("Access-Control-Max-Age", "600"),
        ]
    }
}
