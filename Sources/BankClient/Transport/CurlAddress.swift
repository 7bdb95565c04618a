import CCurl

/// An address as parsed by libcurl. Confined to one thread.
final class CurlAddress {
    /// libcurl's own form of it (`CURLU`).
    let handle: OpaquePointer

    /// nil if libcurl rejects the text.
    ///
    /// - Parameter keepsDots: whether `.` and `..` in its path are sent as they are; otherwise they are resolved (RFC 3986
    ///   §5.2.4).
    init?(_ text: String, keepsDots: Bool = false) {
        guard let handle = ccurl_url() else { return nil }
        self.handle = handle
        guard ccurl_url_set(handle, CURLUPART_URL, text, keepsDots ? UInt32(CURLU_PATH_AS_IS) : 0) == CURLUE_OK else { return nil }
    }

    deinit { ccurl_url_cleanup(handle) }

    /// One part of it; nil if the address does not have it.
    func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}

/// Scheme, host and port of an address, as libcurl itself parses it: the comparison uses the host that would be connected to.
struct Origin: Hashable {
    var scheme: String
    var host: String
    var port: String

    /// The origin of an absolute `http` or `https` address; nil for any other text.
    init?(_ url: String) {
        guard let address = CurlAddress(url),
            let scheme = address.part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https",
            let host = address.part(CURLUPART_HOST)?.lowercased(),
            let port = address.part(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT))
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
