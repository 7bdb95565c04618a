#if TLS
package import BankModel
import Crypto
import Platform
import SwiftASN1
import X509

/// The folder of a user's certificate authority.
///
/// `authority.pem` contains key and certificate in one file, mode 0600, so that they always match; `ca.pem` beside it is the
/// certificate alone, for clients.
package struct AuthorityFolder: Sendable {
    /// The folder's path, without a slash at the end.
    package let path: String

    package init(_ path: String) { self.path = path }

    /// The path of the certificate alone, for clients to trust.
    package var certificatePath: String { path + "/ca.pem" }

    private var secretPath: String { path + "/authority.pem" }

    /// Loads the authority; creates it at first use.
    ///
    /// Two concurrent first uses end with one authority: an existing `authority.pem` is never replaced.
    ///
    /// - Parameter hosts: the names and addresses, besides this machine's own, that it must be able to sign for; an existing authority
    ///   that cannot is rejected.
    /// - Throws: ``AuthorityError``
    package func authority(for hosts: [String] = [], at now: Instant) throws(AuthorityError) -> CertificateAuthority {
        if access(secretPath, F_OK) != 0 { try make(for: hosts, at: now) }
        let authority = try load(at: now)
        guard authority.isFor(LocalNames.hosts + hosts) else {
            throw AuthorityError(
                path: secretPath, found: "an authority for other names, or for all names",
                expected: "one for \((["this machine's own names"] + hosts).joined(separator: ", ")) only",
                remedy: "delete it, or name an empty folder with --authority; clients must trust the new authority")
        }
        try write(authority.pem + "\n", to: certificatePath, mode: 0o644, replacing: true)
        return authority
    }

    // MARK: reading

    private func load(at now: Instant) throws(AuthorityError) -> CertificateAuthority {
        guard let status = FileStatus(secretPath) else { throw unreadable() }
        guard status.permissions & 0o077 == 0 else {
            throw AuthorityError(
                path: secretPath, found: "a key that others may read (mode \(String(status.permissions, radix: 8)))",
                expected: "mode 600", remedy: "others may know it: delete it; clients must trust the new authority")
        }
        guard let bytes = Disk.bytes(secretPath) else { throw unreadable() }
        let text = String(decoding: bytes, as: UTF8.self)
        let authority: CertificateAuthority
        do {
            let documents = try PEMDocument.parseMultiple(pemString: text)
            guard documents.count == 2 else { throw ASN1Error.invalidPEMDocument(reason: "\(documents.count) parts") }
            let key = try P256.Signing.PrivateKey(pemRepresentation: documents[0].pemString)
            let certificate = try Certificate(pemDocument: documents[1])
            guard certificate.publicKey == Certificate.PublicKey(key.publicKey) else {
                throw ASN1Error.invalidPEMDocument(reason: "the certificate of another key")
            }
            authority = try CertificateAuthority(certificate: certificate, key: key)
        } catch {
            throw AuthorityError(
                path: secretPath, found: "no readable key and certificate", expected: "the key and certificate that Counterfoil wrote",
                remedy: "delete it; clients must trust the new authority")
        }
        guard authority.isValid(at: now) else {
            throw AuthorityError(
                path: secretPath, found: "an authority that is not valid today", expected: "a valid one",
                remedy: "delete it; clients must trust the new authority")
        }
        return authority
    }

    /// - Parameter fault: the system's number of the error.
    private func unreadable(_ fault: Int32 = errno) -> AuthorityError {
        AuthorityError(
            path: secretPath, found: String(cString: strerror(fault)), expected: "a file that can be read and written",
            remedy: "fix its permissions, or choose another folder with --authority or COUNTERFOIL_HOME")
    }

    // MARK: writing

    private func make(for hosts: [String], at now: Instant) throws(AuthorityError) {
        makeFolder()
        let text: String
        do {
            let new = try CertificateAuthority.make(
                named: "Counterfoil local authority (\(ThisProcess.hostName))", hosts: hosts, at: now)
            text = new.key.pemRepresentation + "\n" + new.pem
        } catch {
            throw AuthorityError(path: secretPath, found: "\(error)", expected: "an authority", remedy: "report this error")
        }
        try write(text, to: secretPath, mode: 0o600, replacing: false)
    }

    private func makeFolder() {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for end in parts.indices where !parts[end].isEmpty { _ = mkdir(parts[...end].joined(separator: "/"), 0o700) }
    }

    /// Writes a file atomically; its mode is set before its first byte.
    private func write(_ text: String, to target: String, mode: mode_t, replacing: Bool) throws(AuthorityError) {
        let temporary = "\(target).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw unreadable() }
        defer { unlink(temporary) }
        if let fault = AuthorityFolder.fill(file, Array(text.utf8), mode: mode) { throw unreadable(fault) }
        // `link` fails if the target exists: the first writer wins.
        guard (replacing ? rename(temporary, target) : link(temporary, target)) == 0 || (!replacing && errno == EEXIST) else {
            throw unreadable()
        }
    }
}

extension AuthorityFolder {
    /// Sets a file's mode, writes all bytes to it, and closes it in any case.
    ///
    /// - Returns: the system's number of the first error; nil if all bytes are written.
    static func fill(_ file: Int32, _ bytes: [UInt8], mode: mode_t) -> Int32? {
        var fault = fchmod(file, mode) == 0 ? nil : errno
        var rest = bytes[...]
        while fault == nil, !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0) }
            // A short write is continued: only the next one reports why it was short.
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { fault = errno }
        }
        return close(file) == 0 ? fault : fault ?? errno
    }
}

/// The user's authority cannot be loaded or created.
package struct AuthorityError: Error, Sendable, Hashable, CustomStringConvertible {
    let path: String
    let found: String
    let expected: String
    let remedy: String

    package var description: String { "\(path): found \(found), expected \(expected); \(remedy)" }
}

/// Calls the system's `write`, which the method of that name hides.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(file, bytes.baseAddress, bytes.count) }
#endif
