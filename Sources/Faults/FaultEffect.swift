/// What a kind of fault does to an exchange, for the code that interprets one: the test cases, the probe, and the tests of the wire.
package enum FaultEffect: String, Sendable, CaseIterable {
    /// The client receives a whole response, perhaps late or with other content, so that it must know the response.
    case wholeResponse = "whole-response"
    /// The response is not the bank's: it does not show what the bank did.
    case foreignResponse = "foreign-response"
    /// The client may read content other than the bank's usual one, or only a part of it.
    case changesContent = "changes-content"
    /// With most of its settings the response ends early.
    case cutsResponse = "cuts-response"
    /// Requests on the connection are read later than the client sent them.
    case delaysConnection = "delays-connection"
    /// The header `Date` is not the session clock's.
    case movesDate = "moves-date"
    /// There are bytes before or after the response.
    case addsBytes = "adds-bytes"
    /// The chunked body ends with trailer fields.
    case addsTrailers = "adds-trailers"
    /// The body is sent in pieces over a time.
    case spreadsBody = "spreads-body"
}
