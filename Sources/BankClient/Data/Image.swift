import BankModel
import Crypto

/// A picture as the bank sent it.
public struct Image: Sendable, Hashable {
    public var bytes: [UInt8]
    /// In lower case, such as `image/png`.
    public var mediaType: String

    public init(bytes: [UInt8], mediaType: String) { (self.bytes, self.mediaType) = (bytes, mediaType) }

    /// The bytes' SHA-256 in hexadecimal: tells two pictures apart.
    public var sha256: String { hexadecimal(Array(SHA256.hash(data: bytes))) }
}

extension ImageServing {
    /// A picture by its address, which is public: no token goes with the call.
    ///
    /// - Parameter path: from the bank's address on; begins with `/`.
    /// - Throws: ``ClientFailure``; `decode` for an answer that is no picture, `rejected` for a path that would lead elsewhere.
    func image(_ caller: BankCaller, path: String) async throws(ClientFailure) -> Image {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ClientFailure(
                .rejected, "found the path \(path), expected one that begins with / and is percent-encoded", mayHaveLeft: false)
        }
        let call = BankCall("GET", path, headers: ["Accept": "image/*"], authorised: false)
        return try await caller.read(call) { response throws(ClientFailure) in
            let type = response.mediaType
            guard type.hasPrefix("image/"), !response.body.isEmpty else {
                throw ClientFailure(
                    .decode, "found \(response.body.count) bytes of type \(type.isEmpty ? "none" : type), expected an image",
                    mayHaveLeft: true)
            }
            return Image(bytes: response.body, mediaType: type)
        }
    }
}
