import BankModel

extension AttachedRule {
    /// The suites that have rules.
    package static var suites: [String] { distinct(all.map(\.suite)) }

    /// Reads a list of suites, such as `auth,pay`; blanks around a name do not count.
    ///
    /// - Returns: the names, each once; none for an empty list.
    /// - Throws: ``UnknownSuiteError`` for the first name that no rule's suite has.
    package static func suites(named list: String) throws(UnknownSuiteError) -> [String] {
        let names = list.split(separator: ",").map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
        for name in names where !suites.contains(name) { throw UnknownSuiteError(name: name) }
        return distinct(names)
    }
}

/// A suite was named that no journal can be judged by.
package struct UnknownSuiteError: Error, CustomStringConvertible {
    /// The complaint about an unknown suite.
    package let name: String

    package var description: String {
        let hint = didYouMean(name, among: AttachedRule.suites)
        return "found the suite `\(name)`, expected \(oneOf(AttachedRule.suites)); a journal alone is enough for these only\(hint)"
    }
}
