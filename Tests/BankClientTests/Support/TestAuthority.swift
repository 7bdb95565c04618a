import Foundation

/// An authority and certificates of it, made with openssl in a folder.
struct TestAuthority {
    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    private let folder: String

    /// The authority's certificate.
    var file: String { folder + "/ca.pem" }

    init(in folder: String) async throws {
        self.folder = folder
        try await Peer.run(
            Peer.openssl,
            ["req", "-x509"] + TestAuthority.newKey + ["-subj", "/CN=Test authority", "-days", "2"]
                + ["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", folder + "/ca.key", "-out", file])
    }

    /// A certificate and its key, as the files that hold them.
    struct Certificate {
        var file: String
        var key: String
    }

    /// A certificate of this authority.
    ///
    /// - Parameters:
    ///   - name: the subject: `DNS:…` or `IP:…`.
    ///   - days: its validity from now on; negative if it has expired.
    func certificate(for name: String, days: Int = 2) async throws -> Certificate {
        let stem = "\(folder)/\(UUID().uuidString)"
        try await Peer.run(
            Peer.openssl,
            ["req"] + TestAuthority.newKey + ["-subj", "/CN=Test bank", "-addext", "subjectAltName=\(name)"]
                + ["-keyout", stem + ".key", "-out", stem + ".csr"])
        try await Peer.run(
            Peer.openssl,
            ["x509", "-req", "-in", stem + ".csr", "-CA", file, "-CAkey", folder + "/ca.key", "-CAcreateserial", "-days", "\(days)"]
                + ["-copy_extensions", "copy", "-out", stem + ".pem"])
        return Certificate(file: stem + ".pem", key: stem + ".key")
    }

    /// A self-signed certificate for that name.
    func selfSigned(for name: String) async throws -> Certificate {
        let stem = "\(folder)/\(UUID().uuidString)"
        try await Peer.run(
            Peer.openssl,
            ["req", "-x509"] + TestAuthority.newKey + ["-subj", "/CN=Test bank", "-days", "2", "-addext", "subjectAltName=\(name)"]
                + ["-keyout", stem + ".key", "-out", stem + ".pem"])
        return Certificate(file: stem + ".pem", key: stem + ".key")
    }
}
