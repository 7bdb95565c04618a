import BankCore
import BankModel

extension TrafficLearner {
    /// Leaves out the operations that a bank has, and the tables that no other operation needs.
    ///
    /// - Parameter originals: the exchanges as they were recorded.
    /// - Returns: the request lines of the bank's operations that answer exchanges.
    mutating func leaveOut(knownTo bank: PreparedBank, among originals: [RecordedExchange]) -> [String] {
        let answers = originals.compactMap { exchange in
            exchange.operation(of: bank).map { (number: exchange.number, requestLine: $0.requestLine) }
        }
        let known = Set(answers.map(\.number))
        operations.removeAll { $0.exchanges.allSatisfy { known.contains($0.number) } }
        isPart = true
        let base = bank.bank.base
        if !base.isEmpty, operations.allSatisfy({ "\($0.path)".hasPrefix(base + "/") }) { self.base = base }
        var needed: Set<String> = []
        // What may name tables.
        var waiting = operations.flatMap { operation -> [JSON] in
            guard case .template(let template) = operation.response else { return [.object(operation.details)] }
            return [.object(operation.details), template]
        }
        while let value = waiting.popLast() {
            for table in tables where !needed.contains(table.name) && value.mentions(table.name) {
                needed.insert(table.name)
                waiting += table.belongs.map { [$0] } ?? []
            }
        }
        tables.removeAll { !needed.contains($0.name) }
        return distinct(answers.map(\.requestLine))
    }
}

extension RecordedExchange {
    /// A bank's operation for the request; nil if it has none.
    fileprivate func operation(of bank: PreparedBank) -> Operation? {
        let request = BankRequest(method, url.path, query: url.query, headers: requestHeaders, body: requestBody.bytes)
        return bank.router.match(request)?.operation
    }
}

extension JSON {
    /// Whether a text or a key in it is that word.
    fileprivate func mentions(_ word: String) -> Bool { flattened.contains { $0.string == word || $0[word] != nil } }
}
