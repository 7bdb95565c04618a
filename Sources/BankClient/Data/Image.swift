import BankModel
import Crypto

/// A picture as the bank sent it.
public struct Image: Sendable, Hashable {
    public var bytes: [UInt8]
    /// In lower case, such as `image/png`.
    public var mediaType: String
    /// True if the bank was not asked for it, or only whether it has changed.
    public var isFromCache = false

    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// The bytes' SHA-256 in hexadecimal: tells two pictures apart.
    public var sha256: String { hexadecimal(Array(SHA256.hash(data: bytes))) }
}

/// What a bank says when asked for a picture.
enum ImageAnswer: Sendable {
    /// Here it is; the headers say whether it may be kept.
    case new(Image, HTTPHeaders)
    /// 304: it is still the one whose tag was sent.
    case unchanged(HTTPHeaders)
}

extension ImageServing {
    /// A picture by its address, which is public: no token goes with the call.
    ///
    /// - Parameters:
    ///   - path: from the bank's address on; begins with `/`.
    ///   - etag: of the picture at hand, sent as `If-None-Match` (RFC 9110 §13.1.2); nil if there is none.
    /// - Throws: ``ClientFailure``; `decode` for an answer that is no picture, `rejected` for a path that would lead elsewhere.
    func image(_ caller: BankCaller, path: String, unless etag: String?) async throws(ClientFailure) -> ImageAnswer {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ClientFailure(
                .rejected, "found the path \(path), expected one that begins with / and is percent-encoded", mayHaveLeft: false)
        }
        var call = BankCall("GET", path, headers: ["Accept": "image/*"], authorised: false)
        if let etag {
            call.headers["If-None-Match"] = etag
            call.expected.insert(304)
        }
        return try await caller.read(call) { response throws(ClientFailure) in
            if response.status == 304 { return .unchanged(response.headers) }
            let type = response.mediaType
            guard type.hasPrefix("image/"), !response.body.isEmpty else {
                throw ClientFailure(
                    .decode, "found \(response.body.count) bytes of type \(type.isEmpty ? "none" : type), expected an image",
                    mayHaveLeft: true)
            }
            return .new(Image(bytes: response.body, mediaType: type), response.headers)
        }
    }
}
