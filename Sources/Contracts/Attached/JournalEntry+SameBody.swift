import BankModel

extension JournalEntry {
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
