import Foundation

/// The address that the probe sends its requests to: http, with a path before the session's.
struct ProbeAddress: Sendable {
    let host: String
    let port: Int
    /// Without a slash at its end.
    let path: String
    /// The value of Host.
    let authority: String

    /// - Throws: ``UsageError`` if the text is no such address.
    init(_ text: String) throws(UsageError) {
        guard !text.contains("@") else {
            // The part before an @ is a secret, so the message does not repeat the address.
            throw UsageError("found --through with a user or password in it, expected an http address without")
        }
        if text.lowercased().hasPrefix("https:") {
            throw UsageError(
                "found --through \(text), expected an http address: the probe uses clear text; probe the port behind your TLS")
        }
        guard let url = URLComponents(string: text), url.scheme?.lowercased() == "http", let host = url.host, !host.isEmpty,
            url.query == nil, url.fragment == nil, (1...65535).contains(url.port ?? 80)
        else { throw UsageError("found --through \(text), expected an http address without query, such as http://127.0.0.1:8080") }
        // getaddrinfo takes an IPv6 address without its brackets.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? 80
        let path = url.percentEncodedPath
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        authority = url.port.map { "\(host):\($0)" } ?? host
    }
}
