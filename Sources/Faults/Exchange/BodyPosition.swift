import BankModel

/// A position in a body: after a number of bytes, or a fraction of them.
struct BodyPosition: Sendable, Hashable {
    private let bytes: Int?
    private let fraction: Double

    /// A whole body is not a position in it, and `1` is a number of bytes.
    private static let shares = 0.0..<1.0

    /// Half of it.
    static let middle = BodyPosition(bytes: nil, fraction: 0.5)

    private init(bytes: Int?, fraction: Double) {
        self.bytes = bytes
        self.fraction = fraction
    }

    /// Reads `512` or `0.5`.
    init?(_ node: Node, _ complaints: Complaints) {
        if let text = node.scalar, let bytes = Int(text), bytes >= 0 {
            self.init(bytes: bytes, fraction: 0)
        } else if let text = node.scalar, let fraction = Double(text), BodyPosition.shares.contains(fraction) {
            self.init(bytes: nil, fraction: fraction)
        } else {
            complaints.add(found: node.kindName, expected: "a number of bytes, or a fraction below 1 such as 0.5", at: node.position)
            return nil
        }
    }

    /// How many bytes of a body come before it.
    ///
    /// - Throws: ``NotApplied`` if the body ends before.
    func offset(in count: Int) throws(NotApplied) -> Int {
        guard let bytes else { return Int(Double(count) * fraction) }
        guard bytes < count else { throw NotApplied("the body has \(count) bytes, expected more than \(bytes)") }
        return bytes
    }

    var json: JSON { bytes.map { JSON.int($0) } ?? .double(fraction) }
}

extension BodyPosition {
    private static let format = Format(
        .anyOf([.integer(0...Int.max), .numberBelow(shares)]), read: { BodyPosition($0, $1) }, write: { $0.json })

    /// The key `at` of the kinds that cut a body.
    static let at = Field("at", format, default: .middle, "the position in the body: a number of bytes, or a fraction of the body")
}
