import Foundation

/// Removes secrets from texts that a person or a log will see.
enum Secret {
    /// The text with every occurrence of the secret redacted.
    static func hide(_ secret: String, in text: String) -> String {
        guard !secret.isEmpty, text.contains(secret) else { return text }
        return text.replacingOccurrences(of: secret, with: "(redacted)")
    }
}

extension ClientFailure {
    /// The same failure with the secret redacted.
    func hiding(_ secret: String) -> ClientFailure {
        var failure = self
        failure.detail = Secret.hide(secret, in: detail)
        return failure
    }
}
