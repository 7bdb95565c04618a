import BankModel

/// A kind of data about people, found by the name of the member that has it, or by its form.
enum PersonalData: Sendable, Hashable {
    case name, email, phone, account, iban, card, address, birthday
    /// Of a customer, an account or any other row.
    case id

    /// The kind of a member's value; nil if it is not personal.
    ///
    /// - Parameters:
    ///   - path: the names of the members that lead to the value, the nearest last.
    ///   - text: the value as text.
    init?(_ path: [String], _ text: String) {
        if let kind = PersonalData(formOf: text) {
            self = kind
            return
        }
        guard let written = path.last, text.count >= 2, text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
        let name = RecordedExchange.plain(written)
        let digits = text.count { $0.isNumber }
        switch name {
        case _ where PersonalData.ends(name, ["email", "emailaddress", "mail"]): self = .email
        case _ where digits >= 4 && PersonalData.ends(name, ["phone", "phonenumber", "mobile", "mobilenumber", "msisdn", "telephone"]):
            self = .phone
        case _ where digits >= 4 && PersonalData.ends(name, ["iban"]): self = .iban
        case _ where digits >= 4 && PersonalData.ends(name, ["cardnumber", "cardno", "maskedpan"]), "pan" where digits >= 4: self = .card
        case _ where digits >= 4 && PersonalData.ends(name, PersonalData.accounts): self = .account
        case _ where PersonalData.birthdays.contains(name): self = .birthday
        case _ where PersonalData.addresses.contains(name) || name.hasPrefix("addressline"): self = .address
        case _ where PersonalData.names.contains(name) || PersonalData.ends(name, PersonalData.nameEndings): self = .name
        case "name": if PersonalData.isOfPerson(path) { self = .name } else { return nil }
        default:
            guard PersonalData.isID(written, name) else { return nil }
            // A text without a digit is a word of the API, such as `groceries`, unless it names a person.
            let isOfPerson = PersonalData.people.contains { name.hasPrefix($0) }
            let isOwn = ["id", "uid"].contains(name) && text.contains { "-_".contains($0) }
            guard text.count >= 4, digits > 0 || isOfPerson || isOwn, !text.contains(" ") else { return nil }
            self = .id
        }
    }

    /// The kind of a text that shows by its form what it is: an IBAN (ISO 13616), a card's number (ISO 7812) or an e-mail address.
    init?(formOf text: String) {
        if Checksums.isIBAN(text) {
            self = .iban
        } else if Checksums.isCard(text) {
            self = .card
        } else if PersonalData.isEmail(text) {
            self = .email
        } else {
            return nil
        }
    }

    /// Whether a segment of a path is the id of something: a UUID, or digits and letters that are neither version nor date.
    static func isID(segment: String) -> Bool {
        let digits = segment.utf8.count { $0 >= 0x30 && $0 <= 0x39 }
        guard segment.utf8.count >= 6, digits >= 3, !segment.contains("."), CivilDate(segment) == nil, Instant(rfc3339: segment) == nil
        else {
            return false
        }
        return segment.allSatisfy { "-_~:".contains($0) || $0.isLetter || $0.isASCII && $0.isNumber }
    }

    // MARK: names of members

    private static let accounts = [
        "accountnumber", "accountno", "accountnum", "bban", "identification", "sortcode", "routingnumber", "banknumber", "nino", "ssn",
        "nationalid", "taxid", "taxnumber", "passportnumber", "customernumber", "customerno",
    ]
    private static let birthdays: Set<String> = ["dateofbirth", "birthdate", "dob", "birthday"]
    private static let addresses: Set<String> = [
        "address", "street", "streetname", "streetaddress", "postcode", "postalcode", "zip", "zipcode", "line1", "line2", "housenumber",
    ]
    private static let names: Set<String> = [
        "fullname", "givenname", "familyname", "middlename", "surname", "forename", "displayname", "username", "login", "loginid",
        "nickname", "holder", "owner", "ownername", "counterparty", "counterpartyname", "payee", "payeename", "creditorname", "debtorname",
        "beneficiaryname", "recipientname", "sendername", "customername", "cardholder", "user", "beneficiary", "recipient",
    ]
    private static let nameEndings = ["firstname", "lastname", "holdername", "accountholder", "cardholdername"]
    private static let people = ["customer", "user", "owner", "party", "person", "client", "member", "holder", "psu", "subject"]
    /// Things that have a name and are not a person.
    private static let things = [
        "product", "currency", "country", "category", "merchant", "atm", "branch", "institution", "scheme", "type", "bank", "brand",
    ]

    private static func ends(_ name: String, _ endings: [String]) -> Bool { endings.contains { name.hasSuffix($0) } }

    private static func isOfPerson(_ path: [String]) -> Bool {
        guard let parent = path.dropLast().last.map(RecordedExchange.plain) else { return true }
        return !things.contains { parent.hasPrefix($0) || parent.hasSuffix($0) }
    }

    /// `id`, `accountId`, `account_id`, `AccountID`, `accountUid`, and no `paid`.
    private static func isID(_ written: String, _ name: String) -> Bool {
        if ["id", "uid", "uuid", "guid", "sub"].contains(name) { return true }
        return ["Id", "ID", "_id", "-id", "Uid", "_uid", "Uuid", "_uuid"].contains { written.hasSuffix($0) }
    }

    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, text.utf8.count < 200 else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } }
            && !parts[0].contains { " /:?#,;<>\"".contains($0) }
    }
}

/// The check digits of account and card numbers.
enum Checksums {
    /// Whether the text is an IBAN with valid check digits, with or without spaces (ISO 13616, ISO 7064 MOD 97-10).
    static func isIBAN(_ text: String) -> Bool {
        let plain = text.filter { $0 != " " }
        guard (15...34).contains(plain.utf8.count), plain.prefix(2).allSatisfy({ $0.isASCII && $0.isUppercase }),
            plain.dropFirst(2).prefix(2).allSatisfy({ $0.isASCII && $0.isNumber })
        else { return false }
        return remainder(plain) == 1
    }

    /// The IBAN with the right check digits.
    static func iban(_ text: String) -> String {
        let head = String(text.prefix(2))
        let rest = String(text.dropFirst(4))
        guard let remainder = remainder(head + "00" + rest) else { return text }
        let digits = 98 - remainder
        return head + (digits < 10 ? "0" : "") + String(digits) + rest
    }

    private static func remainder(_ text: String) -> Int? {
        var sum = 0
        for sign in text.dropFirst(4) + text.prefix(4) {
            guard sign.isASCII, let value = sign.uppercased() == String(sign) ? Int(String(sign), radix: 36) : nil else { return nil }
            sum = (sum * (value > 9 ? 100 : 10) + value) % 97
        }
        return sum
    }

    /// Whether the text is 15 or 16 digits with a valid check digit, in groups or not.
    static func isCard(_ text: String) -> Bool {
        let plain = text.filter { $0 != " " && $0 != "-" }
        return (15...16).contains(plain.utf8.count) && "3456".contains(plain.prefix(1)) && luhn(plain) == 0
    }

    /// What the last digit is too great by (ISO 7812-1, annex B); nil if the text is not digits.
    static func luhn(_ text: String) -> Int? {
        var sum = 0
        for (index, sign) in text.reversed().enumerated() {
            guard sign.isASCII, let digit = sign.wholeNumberValue else { return nil }
            let doubled = digit * 2
            sum += index % 2 == 0 ? digit : doubled > 9 ? doubled - 9 : doubled
        }
        return sum % 10
    }
}
