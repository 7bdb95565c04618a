import BankEngine
import BankModel

/// The responses of one connection that the operating system has accepted, in the order of the wire, as long as the client may not have
/// acknowledged them.
///
/// A client that goes away leaves bytes unacknowledged, which the receipt of a response does not show when it is written: the session amends it.
struct SentLog {
    private var responses: [Response] = []

    private struct Response {
        let session: BankSession
        let seq: Int
        let bytes: Int
    }

    var isEmpty: Bool { responses.isEmpty }

    /// Adds a response of that many bytes.
    mutating func add(_ bytes: Int, seq: Int, of session: BankSession) {
        responses.append(Response(session: session, seq: seq, bytes: bytes))
    }

    /// The client has sent something since: only the responses in the last bytes may still be on their way.
    mutating func keep(last unacknowledged: Int) {
        var rest = unacknowledged
        let kept = responses.reversed().prefix { response in
            defer { rest -= response.bytes }
            return rest > 0
        }
        responses.removeFirst(responses.count - kept.count)
    }

    /// The connection is gone with that many bytes unacknowledged.
    ///
    /// - Parameter isReset: whether the client has reset it: then it may have read none of these responses.
    mutating func lose(_ unacknowledged: Int, isReset: Bool) {
        var rest = unacknowledged
        var lost: [(response: Response, bytes: Int)] = []
        for response in responses.reversed() {
            let bytes = min(rest, response.bytes)
            rest -= bytes
            guard bytes > 0 || isReset else { break }
            lost.append((response, bytes))
        }
        for ofSession in Dictionary(grouping: lost, by: { ObjectIdentifier($0.response.session) }).values {
            ofSession.first?.response.session.amend(ofSession.map { ($0.response.seq, $0.bytes) }, isReset: isReset)
        }
        responses.removeAll()
    }
}
