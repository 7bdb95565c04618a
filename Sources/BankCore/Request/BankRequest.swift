package import BankModel

/// A request without its socket and session prefix. A reference, because about a dozen objects hold one for a while.
package final class BankRequest: Sendable {
    package let method: String
    /// As sent, percent-encoded; begins with `/`.
    package let path: String
    /// As sent, without the `?`; nil if there was none.
    package let query: String?
    package let headers: [JournalEntry.Header]
    package let body: [UInt8]
    /// The thumbprint of the client's certificate (RFC 8705 §3.1); nil if it has shown none.
    package let certificate: String?
    /// The address that the client has asked, in absolute form; nil if nothing needs it.
    package let address: String?
    /// The parsed body, if it was parsed in advance.
    private let read: Result<JSON, JSONError>?

    /// - Parameter readsAhead: parses a body that looks like a JSON object, so that ``json()`` need not: a caller that waits
    ///   for a session can do so meanwhile.
    package init(
        _ method: String, _ path: String, query: String? = nil, headers: [JournalEntry.Header] = [], body: [UInt8] = [],
        readsAhead: Bool = false, certificate: String? = nil, address: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.certificate = certificate
        self.address = address
        let isRead = readsAhead && body.first == UInt8(ascii: "{")
        read = isRead ? Result { () throws(JSONError) in try JSON(parsing: body) } : nil
    }

    /// The value of the first header of that name, ignoring case.
    package func header(_ name: String) -> String? { headers.value(of: name) }

    /// The credential in `Authorization` if that has this scheme; nil if it has another, or is missing.
    func credential(_ scheme: String) -> Substring? { header("Authorization").flatMap { TokenBook.credential(in: $0, scheme) } }

    /// The path's segments, percent-decoded; nil if an escape is broken.
    package var segments: [String]? {
        var decoded: [String] = []
        for piece in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let text = percentDecoded(Substring(piece), plusIsSpace: false) else { return nil }
            decoded.append(text)
        }
        return decoded
    }

    /// The path's segments with their escapes.
    package var segmentsAsSent: [String] {
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// All values of the headers of that name, ignoring case, in order.
    package func headerValues(_ name: String) -> [String] { headers.filter { $0.name.isHeaderName(name) }.map(\.value) }

    /// The query's fields; those with broken escapes are left out.
    package var queryFields: FormFields { FormFields(query ?? "", broken: .leftOut) }

    /// The value of a query's field; of two with one name the first counts.
    package func queryValue(_ name: String) -> String? { queryFields[name] }

    /// The value of a cookie (RFC 6265 §4.2); of two with one name the first counts.
    package func cookie(_ name: String) -> String? {
        for pair in headerValues("Cookie").flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
        }
        return nil
    }

    /// The body as JSON.
    package func json() throws(JSONError) -> JSON {
        if let read { return try read.get() }
        return try JSON(parsing: body)
    }

    /// The body's fields, if it is a form; those with broken escapes are left out.
    package var form: FormFields { FormFields(String(decoding: body, as: UTF8.self), broken: .leftOut) }
}
