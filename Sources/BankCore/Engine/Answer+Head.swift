extension SessionState {
    /// Finds the operation, token and customer that the head of a request names. Nothing is validated, claimed or counted.
    ///
    /// The key is left out: without its body an attempt cannot be compared with others under that key.
    ///
    /// - Returns: nil if the bank has no such operation. The admission is a rejection: a request of which only the head is known is never
    ///   executed.
    package func recognize(_ request: BankRequest) -> (match: Match, admission: Admission)? {
        guard let match = prepared.router.match(request, states: states) else { return nil }
        let presented = presented(request)
        var admission = Admission(verdict: .rejected(BankResponse(status: 500)), token: label(presented, match.operation))
        if case .known(let token) = presented { admission.customer = token.customer }
        return (match, admission)
    }
}
