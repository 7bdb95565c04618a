import Platform

/// The file of trusted authorities that `--ca-file` or `--provider-ca` names.
///
/// libcurl or BoringSSL opens it. A pipe would make the first of them wait for its writer without a limit, and have nothing for the
/// second; and a file without a certificate would look like an error of the bank's TLS.
enum AuthoritiesFile {
    private static let content = "a PEM file of trusted authorities"

    /// Checks that it is a file that can be opened again.
    ///
    /// - Parameter option: names the file on the command line.
    /// - Throws: ``UsageError`` if it is no regular file, cannot be read or has no certificate.
    static func check(_ path: String, of option: String = "--ca-file") throws(UsageError) {
        let bytes: [UInt8]
        do throws(UnreadFile) {
            bytes = try Disk.withRegularFile(path, followsLinks: true) { descriptor, _ throws(UnreadFile) in
                try Disk.bytes(of: descriptor, .settings)
            }
        } catch {
            throw UsageError("cannot read \(option) \(path): \(error.message(expected: content))")
        }
        // OpenSSL also takes `X509 CERTIFICATE` and `TRUSTED CERTIFICATE`.
        guard bytes.firstRange(of: Array("CERTIFICATE-----".utf8)) != nil else {
            throw UsageError("cannot read \(option) \(path): found no certificate, expected \(content)")
        }
    }
}
