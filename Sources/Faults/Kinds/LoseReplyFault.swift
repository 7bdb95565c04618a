package import BankModel

/// The operation is executed and durable; then the reply is lost.
package struct LoseReplyFault: Fault {
    package static let kind = "lose-reply"
    package static let point = FaultPoint.commit

    /// How the reply is lost.
    package enum Way: String, Sendable, CaseIterable {
        /// FIN before any byte.
        case close
        /// RST before any byte.
        case reset
    }

    let way: Way

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let way = fields.required("by")?.choice(of: Way.self, complaints) else { return nil }
        self.way = way
    }

    package var strike: Strike {
        switch way {
        case .close: Strike(steps: [.close])
        case .reset: Strike(steps: [.reset])
        }
    }

    package var settings: JSON { ["by": .string(way.rawValue)] }
}
