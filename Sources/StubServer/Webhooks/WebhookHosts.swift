import BankCore
import BankModel
import NIOCore
import NIOPosix

/// The hosts that webhooks may be sent to: those that are named when the server starts, and the machine itself unless others share it.
package struct WebhookHosts: Sendable, Hashable {
    /// Host names and addresses besides loopback, in lower case.
    private let named: Set<String>
    /// Whether other machines reach the server: its loopback is not that of its users.
    private let isShared: Bool

    /// The field `User-Agent` of every webhook, by which the admin API knows them.
    package static let userAgent = "Counterfoil"

    package init(named: [String] = [], isShared: Bool = false) {
        self.named = Set(named.map { $0.lowercased() })
        self.isShared = isShared
    }

    /// Whether a text is a host name or an address, as the host of a URL is.
    package static func isName(_ text: String) -> Bool {
        ProviderAddress("http://\(text.urlHost)").map { $0.host == text.lowercased() } ?? false
    }

    /// Checks an address as far as that can be done without looking its host up.
    func address(_ url: String) throws(WebhookError) -> (origin: ProviderAddress, target: String) {
        guard url.utf8.count <= WebhookHosts.longest else {
            throw .address("found an address of \(url.utf8.count) bytes, expected at most \(WebhookHosts.longest)")
        }
        let base = url.prefix { $0 != "?" }
        let query = url.dropFirst(base.count)
        guard let address = ProviderAddress(String(base)), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !query.contains("#") else {
            throw .address(
                "found the address \(ProviderAddress.shown(url)), expected one such as http://127.0.0.1:9000/hook, without user and fragment"
            )
        }
        if let literal = try? SocketAddress(ipAddress: address.host, port: 0), NetworkRange(literal) == .forbidden {
            throw .address("found the host \(address.host.shortened(to: 80)), to which this server never sends: link-local or no host")
        }
        guard isAllowed(address.host) else {
            let host = address.host.shortened(to: 80)
            let expected =
                isShared ? "a host that the server names, because others share it" : "this machine (127.0.0.1, [::1] or localhost)"
            throw .address("found the host \(host), expected \(expected); serve --webhooks-to \(host) lets it send there")
        }
        return (address, (address.path.isEmpty ? "/" : address.path) + query)
    }

    private func isAllowed(_ host: String) -> Bool { named.contains(host) || !isShared && WebhookHosts.isThisMachine(host) }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || (try? SocketAddress(ipAddress: host, port: 0)).map { NetworkRange($0) == .loopback } ?? false
    }

    /// Looks up the address of a host, which may take long.
    typealias Lookup = @Sendable (_ host: String, _ port: Int) throws -> SocketAddress

    /// The lookup of the operating system.
    static let systemLookup: Lookup = { host, port in try SocketAddress.makeAddressResolvingHost(host, port: port) }

    /// The address to connect to: looked up once, and checked. The connection goes to that address and no other.
    ///
    /// - Returns: the reason if it is one that this server does not send to.
    func resolved(
        _ address: ProviderAddress, by lookup: @escaping Lookup = WebhookHosts.systemLookup
    ) async -> Result<SocketAddress, ProviderFailure> {
        guard isAllowed(address.host) else { return .failure(.unreachable("\(address.host) is not named by --webhooks-to")) }
        let (host, port) = (address.host, address.port)
        let found = try? await NIOThreadPool.singleton.runIfActive { try lookup(host, port) }
        guard let found else { return .failure(.unreachable("no address is known for \(host)")) }
        switch NetworkRange(found) {
        case .loopback where !isShared || WebhookHosts.isThisMachine(host): return .success(found)
        case .loopback: return .failure(.unreachable("\(host) is this machine, which others share"))
        case .elsewhere where named.contains(host): return .success(found)
        case .elsewhere: return .failure(.unreachable("\(host) is \(found.ipAddress ?? "an address") and not this machine"))
        case .forbidden: return .failure(.unreachable("\(host) is \(found.ipAddress ?? "an address"), to which nothing is sent"))
        }
    }

    /// The longest address, in bytes.
    private static let longest = 2000
}

/// Where an address leads to.
enum NetworkRange: Sendable, Hashable {
    case loopback
    /// Link-local, multicast or unspecified: among them the metadata service of a cloud.
    case forbidden
    case elsewhere

    init(_ address: SocketAddress) {
        let bytes = address.ipAddress.flatMap { LocalNames.octets(String($0.prefix { $0 != "%" })) } ?? []
        switch bytes.count {
        case 4: self.init(four: bytes)
        case 16: self.init(sixteen: bytes)
        default: self = .forbidden
        }
    }

    /// - Parameter four: the bytes of an IPv4 address.
    private init(four: [UInt8]) {
        switch (four[0], four[1]) {
        case (127, _): self = .loopback
        case (0, _), (169, 254), (224...255, _): self = .forbidden
        // Alibaba's metadata service.
        case (100, 100) where four[2] == 100 && four[3] == 200: self = .forbidden
        default: self = .elsewhere
        }
    }

    /// - Parameter bytes: the bytes of an IPv6 address.
    private init(sixteen bytes: [UInt8]) {
        let zeros = bytes.prefix { $0 == 0 }.count
        let isMapped = zeros >= 10 && bytes[10] == 0xFF && bytes[11] == 0xFF
        // NAT64 (RFC 6052 §2.1) and IPv4-translated (RFC 2765 §2.1), which lead to an IPv4 address as well.
        let isTranslated =
            bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
            || bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0])
        if isMapped || isTranslated {
            self.init(four: Array(bytes[12...]))
        } else if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01]) || bytes.starts(with: [0x20, 0x01, 0, 0]) {
            // Local NAT64 (RFC 8215): only its network knows where the IPv4 address is. Teredo (RFC 4380 §4) hides it.
            self = .forbidden
        } else if zeros == 15, bytes[15] == 1 {
            self = .loopback
        } else if zeros >= 12 || bytes[0] == 0xFF || (bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80) {
            // Unspecified or IPv4-compatible; multicast; link-local and the site-local of old.
            self = .forbidden
        } else if bytes.starts(with: [0x20, 0x02]) {
            // 6to4 (RFC 3056 §2): the IPv4 address is in the prefix.
            self.init(four: Array(bytes[2..<6]))
        } else if bytes.starts(with: [0xFD, 0x00, 0x0E, 0xC2]) {
            // Amazon's metadata service.
            self = .forbidden
        } else {
            self = .elsewhere
        }
    }
}
