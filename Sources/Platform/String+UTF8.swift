extension String {
    /// The text of bytes in UTF-8; nil if they are not valid.
    ///
    /// `String(validating:as:)` needs iOS 18 and macOS 15; Foundation's `String(bytes:encoding:)` drops a byte order mark.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        // Other modules call this function as it is compiled for any collection, in which a loop takes 100 ns for each byte.
        let text: String? =
            bytes.withContiguousStorageIfAvailable { String.valid($0) } ?? Array(bytes).withUnsafeBufferPointer { String.valid($0) }
        guard let text else { return nil }
        self = text
    }

    private static func valid(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // An invalid sequence has become U+FFFD.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }
}
