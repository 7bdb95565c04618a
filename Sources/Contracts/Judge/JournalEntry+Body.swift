import BankModel

extension JournalEntry {
    /// A text that is the same for two bodies that say the same: JSON by value, all else byte for byte.
    ///
    /// A body of which the journal kept only the beginning is compared by its bytes.
    var bodyValue: String {
        guard bodyBytes <= JournalEntry.keptBody else { return bodySHA256 }
        // A body that a test leaves out has its digest alone; one with a secret is told by it, too.
        guard !requestBody.isEmpty, !isBodyBlanked else { return bodySHA256 }
        return String(decoding: JSON.canonical(ofBody: requestBody), as: UTF8.self)
    }

    /// The number of bytes of a body that the journal stores.
    private static let keptBody = 8192
}
