import BankModel
import Contracts
import Crypto

/// The code verifiers of a case's sign-ins (RFC 7636), known by their digests: the challenges in the addresses of sign-in pages.
struct Verifiers {
    private let challenges: Set<String>

    init(in journal: [JournalEntry]) {
        challenges = Set(
            journal.flatMap { entry in
                [entry.query ?? "", entry.method == "POST" ? String(decoding: entry.requestBody, as: UTF8.self) : ""]
            }.filter { $0.contains(Verifiers.challenge) }.compactMap { FormFields($0)[Verifiers.challenge] })
    }

    /// Each position of a verifier in the exchange's address: under its own name, whose value the journal does not have, or as a
    /// part of another parameter.
    func foundSecrets(in exchange: JournalEntry) -> [Evidence.FoundSecret] {
        FormFields(exchange.query ?? "").all.compactMap { parameter in
            let isNamed = parameter.name == "code_verifier" && !parameter.value.isEmpty
            guard isNamed || Verifiers.candidates(in: parameter.value).contains(where: isVerifier) else { return nil }
            return Evidence.FoundSecret(
                token: "the code verifier", kind: .verifier, location: .address, path: "exchange \(exchange.seq)",
                encoding: "as the parameter `\(parameter.name.prefix(40))`", after: Evidence.FoundSecret.atEnd)
        }
    }

    private static let challenge = "code_challenge"

    /// The parts of a text that may be a verifier: 43 to 128 unreserved characters (RFC 7636 §4.1).
    private static func candidates(in text: String) -> [Substring] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0))) }.filter { (43...128).contains($0.count) }
    }

    private func isVerifier(_ text: Substring) -> Bool {
        !challenges.isEmpty && challenges.contains(Base64.url(Array(SHA256.hash(data: Array(text.utf8)))))
    }
}
