import CCurl

/// Scheme, host and port of an address, as libcurl itself parses it: the comparison uses the host that would be connected to.
struct Origin: Hashable {
    var scheme: String
    var host: String
    var port: String

    /// The origin of an absolute `http` or `https` address; nil for any other text.
    init?(_ url: String) {
        guard let address = CurlAddress(url),
            let scheme = address.part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https",
            let host = address.part(CURLUPART_HOST)?.lowercased(),
            let port = address.part(CURLUPART_PORT, flags: UInt32(CURLU_DEFAULT_PORT))
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
