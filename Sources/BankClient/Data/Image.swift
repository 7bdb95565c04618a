import BankModel
import Crypto

/// An image as the bank sent it.
package struct Image: Sendable, Hashable {
    package var bytes: [UInt8]
    /// In lower case, such as `image/png`.
    package var mediaType: String
    /// True if the image came from the cache, revalidated or not.
    package var isFromCache = false

    /// The bytes' SHA-256 in hexadecimal, which identifies an image.
    package var sha256: String { hexadecimal(Array(SHA256.hash(data: bytes))) }
}

/// A bank's response to a request for an image.
enum ImageAnswer: Sendable {
    /// A new image; the headers decide whether it may be cached.
    case new(Image, HTTPHeaders)
    /// 304: the image whose tag was sent is current.
    case unchanged(HTTPHeaders)
}

extension ImageServing {
    /// Reads the image at a public address: the call carries no token.
    ///
    /// - Parameters:
    ///   - path: the path at the bank's address; begins with `/`.
    ///   - etag: the tag of the cached image, sent as `If-None-Match` (RFC 9110 §13.1.2); nil if there is none.
    /// - Throws: ``ClientFailure``; `decode` for a response that is not an image, `rejected` for a path that leads elsewhere.
    func image(_ caller: BankCaller, path: String, unless etag: String?) async throws(ClientFailure) -> ImageAnswer {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ClientFailure(
                .rejected, "found the path \(path), expected one that begins with / and is percent-encoded", mayHaveLeft: false)
        }
        // Images are compressed already, and libcurl does not notice that a coded body was cut: without JSON nobody else would.
        var call = BankCall("GET", path, headers: ["Accept": "image/*", "Accept-Encoding": "identity"], authorised: false)
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
