import BankModel
import Crypto
import SwiftASN1

/// An extension of a certificate (RFC 5280 §4.2).
struct CertificateExtension: Sendable, Hashable {
    let id: ASN1ObjectIdentifier
    /// Whether a client that does not know it must reject the certificate.
    let isCritical: Bool
    /// The extension's own DER.
    let value: [UInt8]

    init(_ id: ASN1ObjectIdentifier, isCritical: Bool = false, _ value: [UInt8]) {
        self.id = id
        self.isCritical = isCritical
        self.value = value
    }

    private init(
        _ id: ASN1ObjectIdentifier, isCritical: Bool = false, sequence: (inout DER.Serializer) throws -> Void
    ) rethrows {
        self.init(id, isCritical: isCritical, try DER.bytes { try $0.appendConstructedNode(identifier: .sequence, sequence) })
    }

    func write(to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(id)
            // A default is left out in DER.
            if isCritical { try coder.serialize(true) }
            try coder.serialize(ASN1OctetString(contentBytes: value[...]))
        }
    }

    init(_ node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            let id = try ASN1ObjectIdentifier(derEncoded: nodes.expected(), withIdentifier: .objectIdentifier)
            var next = try nodes.expected()
            let isCritical = next.identifier == .boolean
            if isCritical { next = try nodes.expected() }
            return CertificateExtension(id, isCritical: isCritical, Array(try ASN1OctetString(derEncoded: next).bytes))
        }
    }
}

// MARK: the extensions that the authority writes

extension CertificateExtension {
    private static let constraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
    private static let names: ASN1ObjectIdentifier = [2, 5, 29, 30]

    /// An authority, which may sign chains of that many further authorities (§4.2.1.9).
    static func authority(below length: Int) throws -> CertificateExtension {
        try CertificateExtension(constraints, isCritical: true) { coder in
            try coder.serialize(true)
            try coder.serialize(length)
        }
    }

    /// No authority.
    static let noAuthority = CertificateExtension(constraints, isCritical: true) { _ in }

    /// The uses of the key (§4.2.1.3): the bits of `digitalSignature` (0), `keyCertSign` (5) and `cRLSign` (6).
    static func keyUsage(isAuthority: Bool) throws -> CertificateExtension {
        let bits = isAuthority ? ASN1BitString(bytes: [0b0000_0110], paddingBits: 1) : ASN1BitString(bytes: [0b1000_0000], paddingBits: 7)
        return CertificateExtension([2, 5, 29, 15], isCritical: true, try DER.bytes { try $0.serialize(bits) })
    }

    /// Permits the key for TLS servers only (§4.2.1.12).
    static func serverUsage() throws -> CertificateExtension {
        try CertificateExtension([2, 5, 29, 37]) { try $0.serialize([1, 3, 6, 1, 5, 5, 7, 3, 1] as ASN1ObjectIdentifier) }
    }

    /// Names the certificate's own key (§4.2.1.2).
    static func subjectKey(_ key: P256.Signing.PublicKey) throws -> CertificateExtension {
        CertificateExtension(
            [2, 5, 29, 14], try DER.bytes { try $0.serialize(ASN1OctetString(contentBytes: keyName(key.x963Representation))) })
    }

    /// Names the signer's key (§4.2.1.1).
    ///
    /// - Parameter key: the key as a point on the curve.
    static func signerKey(_ key: some Sequence<UInt8>) -> CertificateExtension {
        CertificateExtension([2, 5, 29, 35]) { coder in
            coder.appendPrimitiveNode(identifier: ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)) { $0 += keyName(key) }
        }
    }

    /// SHA-1 of the key's bits (§4.2.1.2, the first way): a name, not a proof.
    private static func keyName(_ key: some Sequence<UInt8>) -> ArraySlice<UInt8> {
        ArraySlice(Insecure.SHA1.hash(data: Array(key)))
    }

    /// The names and addresses that the certificate is for (§4.2.1.6).
    static func hosts(_ hosts: [String]) -> CertificateExtension {
        CertificateExtension([2, 5, 29, 17]) { coder in
            for host in hosts { coder.append(LocalNames.octets(host).map(GeneralName.address) ?? .name(host)) }
        }
    }

    /// A server that presents the certificate must staple its status (RFC 7633 §6, RFC 6066 §8).
    ///
    /// A list of one number: `status_request` is the extension 5 of a handshake.
    static let mustStaple = CertificateExtension([1, 3, 6, 1, 5, 5, 7, 1, 24], [0x30, 0x03, 0x02, 0x01, 0x05])

    /// The names that an authority may sign for.
    init(_ constraints: NameConstraints) {
        self.init(CertificateExtension.names, isCritical: true) { coder in
            let permitted = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
            coder.appendConstructedNode(identifier: permitted) { coder in
                for each in constraints.domains.map(GeneralName.name) + constraints.ranges.map(GeneralName.address) {
                    coder.appendConstructedNode(identifier: .sequence) { $0.append(each) }
                }
            }
        }
    }
}

extension Certificate {
    /// The number of further authorities in a chain below this one; nil if it is no authority or has no limit.
    var authoritiesBelow: Int? {
        guard let own = extensions.first(where: { $0.id == [2, 5, 29, 19] }), let list = try? DER.parse(own.value) else { return nil }
        return try? DER.sequence(list, identifier: .sequence) { nodes in
            _ = try nodes.expected()
            return try Int(derEncoded: nodes.expected())
        }
    }

    /// The names that it may sign for; nil if it may sign for any.
    var nameConstraints: NameConstraints? {
        extensions.first { $0.id == [2, 5, 29, 30] }.flatMap { try? NameConstraints(DER.parse($0.value)) }
    }
}

/// The names and addresses that an authority may sign for (RFC 5280 §4.2.1.10).
struct NameConstraints: Sendable, Hashable {
    /// Each with all names below it.
    let domains: [String]
    /// An address and its mask each, 8 or 32 bytes.
    let ranges: [[UInt8]]
}

extension NameConstraints {
    fileprivate init(_ node: ASN1Node) throws {
        let found: [GeneralName] = try DER.sequence(node, identifier: .sequence) { nodes in
            let permitted = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
            return try DER.sequence(nodes.expected(), identifier: permitted) { trees in
                var found: [GeneralName] = []
                while let tree = trees.next() {
                    found.append(try DER.sequence(tree, identifier: .sequence) { try GeneralName($0.expected()) })
                }
                return found
            }
        }
        domains = found.compactMap { if case .name(let name) = $0 { name } else { nil } }
        ranges = found.compactMap { if case .address(let bytes) = $0 { bytes } else { nil } }
    }
}

/// A name or an address in a certificate (RFC 5280 §4.2.1.6).
private enum GeneralName {
    case name(String)
    /// 4 or 16 bytes; with a mask, twice as many.
    case address([UInt8])

    static let nameTag = ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific)
    static let addressTag = ASN1Identifier(tagWithNumber: 7, tagClass: .contextSpecific)

    init(_ node: ASN1Node) throws {
        switch (node.identifier, node.content) {
        case (GeneralName.nameTag, .primitive(let bytes)): self = .name(String(decoding: bytes, as: UTF8.self))
        case (GeneralName.addressTag, .primitive(let bytes)): self = .address(Array(bytes))
        default: throw ASN1Error.unexpectedFieldType(node.identifier)
        }
    }
}

extension DER.Serializer {
    fileprivate mutating func append(_ name: GeneralName) {
        switch name {
        case .name(let text): appendPrimitiveNode(identifier: GeneralName.nameTag) { $0 += text.utf8 }
        case .address(let bytes): appendPrimitiveNode(identifier: GeneralName.addressTag) { $0 += bytes }
        }
    }
}
