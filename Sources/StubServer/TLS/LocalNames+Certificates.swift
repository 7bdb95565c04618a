#if TLS
import SwiftASN1
import X509

extension LocalNames {
    /// The names an authority may sign for: `localhost` and all names below it, 127.0.0.0/8, ::1, 10.0.2.2, and these.
    static func constraints(adding hosts: [String]) -> NameConstraints {
        let others = hosts.filter(isOne).filter { !LocalNames.hosts.contains($0) }
        let own: [[UInt8]] = [
            [127, 0, 0, 0, 255, 0, 0, 0], [10, 0, 2, 2, 255, 255, 255, 255],
            [UInt8](repeating: 0, count: 15) + [1] + [UInt8](repeating: 255, count: 16),
        ]
        let addresses = others.compactMap(octets).map { $0 + [UInt8](repeating: 255, count: $0.count) }
        return NameConstraints(
            permittedDNSDomains: ["localhost"] + others.filter { octets($0) == nil },
            permittedIPRanges: (own + addresses).map { ASN1OctetString(contentBytes: $0[...]) })
    }

    /// A name or an address as a certificate contains it (RFC 5280 §4.2.1.6).
    static func generalName(_ host: String) -> GeneralName {
        octets(host).map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) } ?? .dnsName(host)
    }
}

extension NameConstraints {
    /// Whether an authority with these constraints may sign for a name or address (RFC 5280 §4.2.1.10).
    func permit(_ host: String) -> Bool {
        guard let address = LocalNames.octets(host) else {
            return permittedDNSDomains.contains { host == $0 || host.hasSuffix("." + $0) }
        }
        return permittedIPRanges.contains { range in
            let base = range.bytes.prefix(address.count)
            let mask = range.bytes.suffix(address.count)
            return range.bytes.count == 2 * address.count
                && zip(address, zip(base, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
        }
    }
}
#endif
