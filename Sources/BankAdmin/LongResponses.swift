import BankModel
import NIOHTTP1
import Platform

/// Bounds the work for long responses, such as a whole journal: a few at once.
final class LongResponses: Sendable {
    /// The maximum number of long responses at once.
    static let limit = 4
    /// The longest response that is not long, in bytes.
    static let shortBytes = 1 << 18

    private let count = Locked(0)

    /// Takes a slot for a long response.
    ///
    /// - Throws: ``AdminProblem``: 429 if all are taken.
    func takeSlot() throws -> Slot {
        let isTaken = count.withLock { count in
            guard count < LongResponses.limit else { return false }
            count += 1
            return true
        }
        guard isTaken else {
            var problem = AdminProblem(
                status: .tooManyRequests,
                detail:
                    "found \(LongResponses.limit) responses of over \(LongResponses.shortBytes) bytes in progress, expected fewer; request fewer exchanges (`since`, `last`, `brief`), or try again later"
            )
            problem.retryAfter = 1
            throw problem
        }
        return Slot(of: self)
    }

    /// One of the slots for long responses; free again when it is released.
    final class Slot: Sendable {
        private let owner: LongResponses

        fileprivate init(of owner: LongResponses) { self.owner = owner }

        deinit { owner.count.withLock { $0 -= 1 } }
    }
}

/// A JSON array's text in pieces: long ones need as little memory as short ones.
///
/// - Parameters:
///   - count: the number of elements in each piece.
///   - json: what an element adds to the array.
func arrayPieces<Elements: RandomAccessCollection>(
    _ elements: Elements, by count: Int, _ json: @escaping (Elements.Element) -> [JSON]
) -> AnySequence<[UInt8]> where Elements.Index == Int {
    let starts = stride(from: elements.startIndex, to: elements.endIndex, by: count)
    let pieces = starts.lazy.map { start in
        let slice = elements[start..<Swift.min(start + count, elements.endIndex)]
        let text = JSON.array(slice.flatMap(json)).bytes.dropFirst().dropLast()
        return (start == elements.startIndex ? [] : [UInt8(ascii: ",")]) + text
    }
    return AnySequence([AnySequence([[UInt8(ascii: "[")]]), AnySequence(pieces), AnySequence([[UInt8(ascii: "]")]])].joined())
}
