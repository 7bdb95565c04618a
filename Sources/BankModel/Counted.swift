/// A count with its noun: `1 case`, `2 cases`.
///
/// - Parameter noun: the singular; its plural ends in `s`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
