import BankModel
import Crypto
import SwiftASN1

/// A certificate of version 3, signed with ECDSA on P-256 and SHA-256 (RFC 5280 §4.1, RFC 5758 §3.2).
///
/// Written and read here, on swift-asn1: swift-certificates takes 58 s of processor time in each first build (docs/decisions/size.md).
package struct Certificate: Sendable {
    /// The whole certificate, signature included.
    package let der: [UInt8]
    /// The subject's name, in DER.
    let subject: [UInt8]
    /// The last second is in it (RFC 5280 §4.1.2.5).
    let validity: ClosedRange<Instant>
    /// The subject's public key as a point on the curve (X9.63).
    let key: [UInt8]
    let extensions: [CertificateExtension]

    /// The contents of a certificate before it is signed.
    struct Contents {
        /// The name in DER, as ``Certificate/name(organization:common:)`` returns it.
        let subject: [UInt8]
        let key: P256.Signing.PublicKey
        let validity: ClosedRange<Instant>
        let extensions: [CertificateExtension]
    }

    private init(der: [UInt8], subject: [UInt8], validity: ClosedRange<Instant>, key: [UInt8], extensions: [CertificateExtension]) {
        self.der = der
        self.subject = subject
        self.validity = validity
        self.key = key
        self.extensions = extensions
    }

    /// Signs a new certificate, with a random serial number of 16 bytes.
    ///
    /// - Parameter issuer: the signer's name, in DER.
    init(_ contents: Contents, issuer: [UInt8], signer: P256.Signing.PrivateKey) throws {
        let signed = try DER.bytes { try Certificate.write(contents, issuer: issuer, to: &$0) }
        let signature = try signer.signature(for: signed).derRepresentation
        der = try DER.bytes { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                coder.serializeRawBytes(signed)
                try Certificate.writeAlgorithm(to: &coder)
                try coder.serialize(ASN1BitString(bytes: ArraySlice(signature)))
            }
        }
        subject = contents.subject
        // The certificate has whole seconds.
        validity = contents.validity.lowerBound.wholeSeconds...contents.validity.upperBound.wholeSeconds
        key = Array(contents.key.x963Representation)
        extensions = contents.extensions
    }

    /// A name of one or two parts, in DER (RFC 5280 §4.1.2.4).
    static func name(organization: String? = nil, common: String) throws -> [UInt8] {
        let parts: [(ASN1ObjectIdentifier, String?)] = [([2, 5, 4, 10], organization), ([2, 5, 4, 3], common)]
        return try DER.bytes { coder in
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                for case (let kind, let text?) in parts {
                    try coder.appendConstructedNode(identifier: .set) { coder in
                        try coder.appendConstructedNode(identifier: .sequence) { coder in
                            try coder.serialize(kind)
                            try coder.serialize(ASN1UTF8String(text))
                        }
                    }
                }
            }
        }
    }

    /// The certificate as text (RFC 7468).
    var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString }

    // MARK: writing

    private static func write(_ contents: Contents, issuer: [UInt8], to coder: inout DER.Serializer) throws {
        // A positive number without a leading zero (§4.1.2.2).
        let serial = [UInt8.random(in: 1...127)] + (1...15).map { _ in UInt8.random(in: 0...255) }
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            // Version 3 is written as 2.
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { try $0.serialize(2) }
            try coder.serialize(ArraySlice(serial))
            try writeAlgorithm(to: &coder)
            coder.serializeRawBytes(issuer)
            coder.appendConstructedNode(identifier: .sequence) { coder in
                coder.append(contents.validity.lowerBound)
                coder.append(contents.validity.upperBound)
            }
            coder.serializeRawBytes(contents.subject)
            coder.serializeRawBytes(contents.key.derRepresentation)
            try coder.serialize(explicitlyTaggedWithTagNumber: 3, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    for each in contents.extensions { try each.write(to: &coder) }
                }
            }
        }
    }

    private static func writeAlgorithm(to coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { try $0.serialize([1, 2, 840, 10045, 4, 3, 2] as ASN1ObjectIdentifier) }
    }

    // MARK: reading

    /// Reads a certificate of this form. Its signature is not verified.
    ///
    /// - Throws: an error of swift-asn1, or of swift-crypto for a key of another kind.
    init(der: [UInt8]) throws {
        let contents = try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            let contents = try nodes.expected()
            _ = try (nodes.expected(), nodes.expected())
            return contents
        }
        self = try DER.sequence(contents, identifier: .sequence) { nodes in
            // Version, serial number, algorithm and issuer.
            for _ in 1...4 { _ = try nodes.expected() }
            let validity = try DER.sequence(nodes.expected(), identifier: .sequence) { times in
                let (begin, end) = try (Instant(time: times.expected()), Instant(time: times.expected()))
                guard begin <= end else { throw ASN1Error.invalidASN1Object(reason: "a time that ends before it begins") }
                return begin...end
            }
            let subject = try Array(nodes.expected().encodedBytes)
            let key = try P256.Signing.PublicKey(derRepresentation: nodes.expected().encodedBytes)
            let extensions = try DER.explicitlyTagged(nodes.expected(), tagNumber: 3, tagClass: .contextSpecific) { list in
                try DER.sequence(list, identifier: .sequence) { nodes in
                    var found: [CertificateExtension] = []
                    while let node = nodes.next() { found.append(try CertificateExtension(node)) }
                    return found
                }
            }
            return Certificate(
                der: der, subject: subject, validity: validity, key: Array(key.x963Representation), extensions: extensions)
        }
    }
}

extension Instant {
    /// The same moment without parts of a second.
    fileprivate var wholeSeconds: Instant { Instant(seconds: seconds) }

    /// Reads a time of a certificate.
    fileprivate init(time node: ASN1Node) throws {
        guard node.identifier == .utcTime || node.identifier == .generalizedTime, case .primitive(let bytes) = node.content else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        var text = String(decoding: bytes, as: UTF8.self)
        // Two digits of the year mean 1950 to 2049 (RFC 5280 §4.1.2.5.1).
        if node.identifier == .utcTime { text = (text >= "50" ? "19" : "20") + text }
        let marks: [Int: String] = [4: "-", 6: "-", 8: "T", 10: ":", 12: ":"]
        let date = text.enumerated().reduce(into: "") { $0 += (marks[$1.offset] ?? "") + String($1.element) }
        guard let instant = Instant(rfc3339: date) else { throw ASN1Error.invalidASN1Object(reason: "\(text) is not a time") }
        self = instant
    }
}

extension DER.Serializer {
    /// Appends a time of a certificate: UTCTime through 2049, GeneralizedTime after that (RFC 5280 §4.1.2.5).
    fileprivate mutating func append(_ instant: Instant) {
        let digits = instant.rfc3339().utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isShort = digits.starts(with: "19".utf8) || digits.starts(with: "20".utf8) && digits[2] < UInt8(ascii: "5")
        appendPrimitiveNode(identifier: isShort ? .utcTime : .generalizedTime) { bytes in
            bytes += (isShort ? digits[2...] : digits[...]) + [UInt8(ascii: "Z")]
        }
    }
}

extension DER {
    /// The bytes that `write` appends.
    static func bytes(_ write: (inout DER.Serializer) throws -> Void) rethrows -> [UInt8] {
        var coder = DER.Serializer()
        try write(&coder)
        return coder.serializedBytes
    }
}

extension ASN1NodeCollection.Iterator {
    /// The next node; throws if there is none.
    mutating func expected() throws -> ASN1Node {
        guard let node = next() else { throw ASN1Error.invalidASN1Object(reason: "found its end, expected another part") }
        return node
    }
}
