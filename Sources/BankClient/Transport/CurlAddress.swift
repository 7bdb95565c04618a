import CCurl

/// An address as libcurl itself reads it, read once for all requests to it. Lives on one thread.
final class CurlAddress {
    let text: String
    /// libcurl's own form of it (`CURLU`).
    let handle: OpaquePointer

    /// nil if it is no address to libcurl.
    ///
    /// - Parameter keepsDots: whether `.` and `..` in its path stay; else they are resolved (RFC 3986 §5.2.4).
    init?(_ text: String, keepsDots: Bool = false) {
        guard let handle = ccurl_url() else { return nil }
        self.text = text
        self.handle = handle
        guard ccurl_url_set(handle, CURLUPART_URL, text, keepsDots ? UInt32(CURLU_PATH_AS_IS) : 0) == CURLUE_OK else { return nil }
    }

    deinit { ccurl_url_cleanup(handle) }

    /// True if that is its text, byte for byte. Texts may be equal to Swift that differ in their bytes (é is one scalar or
    /// two); addresses may not.
    func hasText(_ other: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { text in
            other.utf8.withContiguousStorageIfAvailable { text.elementsEqual($0) } ?? false
        } ?? false
    }

    /// One part of it; nil if it has none.
    func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}

/// The addresses that were asked for last: a client asks for the same few again and again, and to read one takes libcurl
/// a tenth of what a whole request does.
struct CurlAddresses {
    /// How many are kept.
    private static let limit = 64

    private let keepsDots: Bool
    private var read: [String: CurlAddress] = [:]
    /// The one that was asked for last.
    private var last: CurlAddress?

    init(keepsDots: Bool) { self.keepsDots = keepsDots }

    /// The address with that text; nil if it is none.
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
