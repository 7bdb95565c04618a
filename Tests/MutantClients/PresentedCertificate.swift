import CCurl

/// The certificate that a server has presented, as libcurl reports it.
struct PresentedCertificate: Sendable {
    /// The lines of the server's own certificate, by their names: `Subject`, `Issuer`, `Cert`.
    private let lines: [String: String]

    /// nil if the connection is an old one, or has no certificate.
    ///
    /// - Parameter easy: a transfer that has its connection.
    init?(of easy: UnsafeMutableRawPointer?) {
        var info: UnsafePointer<CChar>?
        guard let easy, ccurl_get_string(easy, CURLINFO_CERTINFO, &info) == CURLE_OK, let info else { return nil }
        let certificates = UnsafeRawPointer(info).assumingMemoryBound(to: curl_certinfo.self).pointee
        guard certificates.num_of_certs > 0 else { return nil }
        var lines: [String: String] = [:]
        var next = certificates.certinfo[0]
        while let line = next {
            let text = String(cString: line.pointee.data)
            if let colon = text.firstIndex(of: ":") { lines[String(text[..<colon])] = String(text[text.index(after: colon)...]) }
            next = line.pointee.next
        }
        self.lines = lines
    }

    /// The certificate itself, as text.
    var text: String { lines["Cert"] ?? "" }

    /// The name of its signer.
    var issuer: String { name("Issuer") }

    /// The last common name of its subject.
    var commonName: String { name("Subject").split(separator: "CN=").last.map(String.init) ?? "" }

    /// Its alternative names: `DNS:localhost, IP Address:127.0.0.1`.
    var names: String { lines["X509v3 Subject Alternative Name"] ?? "" }

    /// A name as `O=Counterfoil, CN=…`, with the blanks of no OpenSSL.
    private func name(_ line: String) -> String { (lines[line] ?? "").replacing(" = ", with: "=") }
}
