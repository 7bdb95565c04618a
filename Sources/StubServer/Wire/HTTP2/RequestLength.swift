import NIOHPACK

/// How long a request says that its body is.
///
/// NIO would check it, but replies too, and one that is shorter than it says is one of our faults.
struct RequestLength {
    private let told: [String]

    init(_ headers: HPACKHeaders) { told = headers["content-length"] }

    /// Whether a body of so many bytes is as long as was said; another is malformed, and none of it may be acted on (RFC 9113 §8.1.1).
    func fits(_ count: Int) -> Bool {
        told.allSatisfy { text in
            !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && Int(text) == count
        }
    }
}
