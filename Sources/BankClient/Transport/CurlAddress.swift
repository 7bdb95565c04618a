import CCurl

/// An address as parsed by libcurl, once for all requests to it. Confined to one thread.
final class CurlAddress {
    let text: String
    /// libcurl's own form of it (`CURLU`).
    let handle: OpaquePointer

    /// nil if libcurl rejects the text.
    ///
    /// - Parameter keepsDots: whether `.` and `..` in its path are sent as they are; otherwise they are resolved (RFC 3986
    ///   §5.2.4).
    init?(_ text: String, keepsDots: Bool = false) {
        guard let handle = ccurl_url() else { return nil }
        self.text = text
        self.handle = handle
        guard ccurl_url_set(handle, CURLUPART_URL, text, keepsDots ? UInt32(CURLU_PATH_AS_IS) : 0) == CURLUE_OK else { return nil }
    }

    deinit { ccurl_url_cleanup(handle) }

    /// True if that is its text, byte for byte. Swift compares texts by canonical equivalence (é is one scalar or two);
    /// addresses must not be.
    func hasText(_ other: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { text in
            other.utf8.withContiguousStorageIfAvailable { text.elementsEqual($0) } ?? false
        } ?? false
    }

    /// One part of it; nil if the address does not have it.
    func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}

/// The most recent addresses: a client requests the same few again and again, and parsing one costs libcurl a tenth of a
/// whole request.
struct CurlAddresses {
    /// The number of cached addresses.
    private static let limit = 64

    private let keepsDots: Bool
    private var read: [String: CurlAddress] = [:]
    /// The most recent address.
    private var last: CurlAddress?

    init(keepsDots: Bool) { self.keepsDots = keepsDots }

    /// The address with that text; nil if libcurl rejects it.
    mutating func address(_ text: String) -> CurlAddress? {
        if let last, last.hasText(text) { return last }
        last = kept(text)
        return last
    }

    private mutating func kept(_ text: String) -> CurlAddress? {
        if let known = read[text], known.hasText(text) { return known }
        guard let address = CurlAddress(text, keepsDots: keepsDots) else { return nil }
        if read.count >= CurlAddresses.limit { read.removeAll(keepingCapacity: true) }
        read[text] = address
        return address
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
