package import BankModel

/// One request to an API and the API's response, as a proxy, a browser or a collection recorded it.
package struct RecordedExchange: Sendable {
    /// Names the exchange in reports; unique among the exchanges of an import.
    package var number: Int
    /// The file that has the exchange, or what recorded it, for reports.
    package var file: String
    /// The JSON path of the exchange in its file; empty if there is none.
    package var path = ""
    /// In capitals.
    package var method: String
    /// Absolute and percent-encoded as it was sent, such as `https://api.bank.example/v1/accounts?limit=10`.
    package var url: String
    /// In the order in which they were sent, with duplicates.
    package var requestHeaders: [JournalEntry.Header]
    /// Without content coding; nil if the body is unknown, empty if there was none.
    package var requestBody: [UInt8]?
    package var status: Int
    /// In the order in which they were received, with duplicates.
    package var responseHeaders: [JournalEntry.Header]
    /// Without content coding (gzip), although the headers may name one; nil if the body is unknown, empty if there was none.
    package var responseBody: [UInt8]?
    package var started: Instant
    /// From the start of the request to the end of the response; nil if unknown.
    package var duration: Duration?
}
