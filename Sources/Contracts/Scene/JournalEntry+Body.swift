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

    /// Whether both requests' bodies say the same: JSON by value, all else byte for byte.
    ///
    /// - Returns: nil if the journal stores too little of them to tell.
    func hasBody(of other: JournalEntry) -> Bool? {
        if bodySHA256 == other.bodySHA256 { return true }
        if bodyBytes == 0 || other.bodyBytes == 0 { return false }
        guard isBodyWhole, other.isBodyWhole, !isBodyBlanked, !other.isBodyBlanked else { return nil }
        return JSON.isSameBody(requestBody, other.requestBody)
    }
}
