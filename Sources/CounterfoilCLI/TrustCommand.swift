import ArgumentParser
import BankEngine
import BankModel
import Crypto
import StubServer

struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Show your local certificate authority, and how to trust it.",
        discussion: """
            Example: counterfoil trust --ca-out ca.pem
            The authority is created at first use in COUNTERFOIL_HOME, else in your user's state folder; its key \
            stays there. This command installs nothing. To trust the authority:
              curl:             curl --cacert ca.pem https://localhost:8443/
              Debian, Ubuntu:   sudo cp ca.pem /usr/local/share/ca-certificates/cf.crt
                                sudo update-ca-certificates
              macOS:            security add-trusted-cert -r trustRoot \\
                                -k ~/Library/Keychains/login.keychain-db ca.pem
              iOS simulator:    xcrun simctl keychain booted add-root-cert ca.pem
              Android emulator: adb push ca.pem /sdcard/
                                then Settings, Security, Install a certificate
              Python, others:   SSL_CERT_FILE=ca.pem
            To revoke the trust, remove it there and delete the folder.
            """)

    @Option(help: "Write the authority's certificate to this file.")
    var caOut: String?

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        do {
            let folder = try UserFolder.authority
            let pem = try folder.authority(at: MachineClock.system.now()).pem
            if let caOut { try WholeFile(caOut).write(pem + "\n") }
            let path = caOut ?? folder.certificatePath
            let fingerprint = SHA256.hash(data: try CertificateAuthority.der(pem: pem))
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
            guard !json else { return Output.results.line(JSON.object(["ca": .string(path), "sha256": .string(fingerprint)]).text) }
            Output.results.line("\(path)\nSHA-256 \(fingerprint)")
            Output.errors.line("\ncounterfoil trust --help shows how to trust it")
        } catch {
            throw UsageError("\(error)", hint: (error as? FileError)?.hint)
        }
    }
}
