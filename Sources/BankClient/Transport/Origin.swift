import CCurl

/// Scheme, host and port of an address, as libcurl itself reads it: what is compared is what would be connected to.
struct Origin: Hashable {
    var scheme: String
    var host: String
    var port: String

    /// The origin of an absolute `http` or `https` address; nil for any other text.
    init?(_ url: String) {
        guard let handle = ccurl_url() else { return nil }
        defer { ccurl_url_cleanup(handle) }
        guard ccurl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
            let scheme = Origin.part(CURLUPART_SCHEME, of: handle)?.lowercased(), scheme == "http" || scheme == "https",
            let host = Origin.part(CURLUPART_HOST, of: handle)?.lowercased(),
            let port = Origin.part(CURLUPART_PORT, of: handle, flags: UInt32(CURLU_DEFAULT_PORT))
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port)
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}
