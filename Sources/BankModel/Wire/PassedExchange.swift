/// One exchange with a real bank as it passed through a proxy: with its secrets, so it is never written or printed.
package struct PassedExchange: Sendable {
    /// What the proxy saw besides: times, connection, delivery, faults.
    package var entry: JournalEntry
    package var messages: Messages

    package init(_ entry: JournalEntry, _ messages: Messages) {
        self.entry = entry
        self.messages = messages
    }

    /// The request and the response.
    package struct Messages: Sendable {
        /// Path and query.
        package var target: String
        package var requestHeaders: [JournalEntry.Header]
        package var requestBody: [UInt8]
        package var responseHeaders: [JournalEntry.Header] = []
        /// Nil if the response had a body that was too long to keep.
        package var responseBody: [UInt8]? = []
        package var responder = Responder.bank
        /// Whether the bank ended its response before the end.
        package var isCut = false

        package init(target: String, requestHeaders: [JournalEntry.Header], requestBody: [UInt8]) {
            self.target = target
            self.requestHeaders = requestHeaders
            self.requestBody = requestBody
        }
    }

    /// Who made the response.
    package enum Responder: Sendable {
        /// The bank, or a fault in its place.
        case bank
        /// The proxy, because the bank did not respond: 502 or 504.
        case proxyForBank
        /// The proxy, which did not forward the request.
        case proxy
    }
}
