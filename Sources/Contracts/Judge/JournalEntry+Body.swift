import BankModel

extension JournalEntry {
    /// A text that is the same for two bodies that say the same: JSON by value, all else byte for byte.
    ///
    /// A body of which the journal stores only the beginning, or with a secret taken out, is compared by its digest.
    var bodyValue: String {
        guard isBodyWhole, !isBodyBlanked else { return bodySHA256 }
        return String(decoding: JSON.canonical(ofBody: requestBody), as: UTF8.self)
    }

    /// Whether the journal stores the request's body to its end: it stores only the beginning of a long one, and nothing of
    /// one that is forwarded to another bank.
    var isBodyWhole: Bool { !requestBody.isEmpty && bodyBytes <= JournalEntry.storedBodyBytes }
}
