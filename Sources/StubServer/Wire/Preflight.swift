import BankModel

/// The reply to a CORS preflight request (Fetch §3.2.2).
enum Preflight {
    /// - Parameter asked: the headers that the browser wants to send; nil if it names none.
    static func headers(asked: String?) -> [JournalEntry.Header] {
        [
            .init("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
            .init("Access-Control-Allow-Headers", asked ?? "Authorization, Content-Type, Idempotency-Key"),
            .init("Access-Control-Max-Age", "600"),
        ]
    }
}
