extension String {
    /// The text of bytes in UTF-8; nil if they are not valid.
    ///
    /// `String(validating:as:)` needs iOS 18 and macOS 15; Foundation's `String(bytes:encoding:)` drops a byte order mark.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // An invalid sequence has become U+FFFD.
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
