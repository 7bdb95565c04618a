#if HTTP2
import NIOHPACK

/// The body length that a request declares.
///
/// NIO would check responses too, and a response shorter than its `Content-Length` is one of our faults.
struct RequestLength {
    private let declared: [String]

    init(_ headers: HPACKHeaders) { declared = headers["content-length"] }

    /// Whether a body of `count` bytes has the declared length; if not, the request is malformed and must not be processed
    /// (RFC 9113 §8.1.1).
    func fits(_ count: Int) -> Bool {
        declared.allSatisfy { text in
            !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && Int(text) == count
        }
    }
}
#endif
