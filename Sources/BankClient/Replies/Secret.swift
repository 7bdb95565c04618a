import Foundation

/// Keeps secrets out of texts that a person or a log will see.
enum Secret {
    /// The text with every occurrence of the secret blotted out.
    static func hide(_ secret: String, in text: String) -> String {
        guard !secret.isEmpty, text.contains(secret) else { return text }
        return text.replacingOccurrences(of: secret, with: "(redacted)")
    }
}

extension ClientFailure {
    /// The same, the secret blotted out of its text.
    func hiding(_ secret: String) -> ClientFailure {
        var failure = self
        failure.detail = Secret.hide(secret, in: detail)
        return failure
    }
}
