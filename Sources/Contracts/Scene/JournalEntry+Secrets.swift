package import BankModel

extension JournalEntry {
    /// The names of those parameters of the address that are made for a secret and have one: the journal has taken their values out.
    /// Tokens of the bank's own are not among them: they stand there by their ids.
    package var secretParameters: [String] {
        (query ?? "").split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, !parts[1].contains("token#"), !parts[1].contains("refresh#") else { return nil }
            let name = Escapes.allRemoved(String(parts[0]))
            return SecretNames.areForNoAddress(name) ? name : nil
        }
    }

    /// Whether the journal has taken a secret's value out of the request's body: what is left of two such bodies may be the same
    /// though they were not.
    var isBodyBlanked: Bool { requestBody.firstPlace(of: Array(SecretFields.mark.utf8)) != nil }
}
