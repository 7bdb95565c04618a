package import BankModel
import StubServer

/// The hosts under which a proxy may be called: addresses, localhost, and names that its user has given.
///
/// A web page can give its own name this machine's address (DNS rebinding), and would reach the real bank through the proxy.
/// Browsers send the page's name as `Host`, and no page has an address as its name unless it was loaded from there.
package struct ProxyHosts: Sendable {
    private let names: [HostPattern]

    package init(_ names: [HostPattern] = []) { self.names = names }

    /// - Parameter authority: a host with or without a port, as a request has it.
    func allow(_ authority: String) -> Bool {
        let host = hostName(authority)
        let address = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return host == "localhost" || host.hasSuffix(".localhost") || LocalNames.octets(address) != nil || names.contains { $0.fits(host) }
    }
}
