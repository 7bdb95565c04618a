import BankModel

extension SessionState {
    /// Rejects a query for old rows too long after the sign-in. The token remains valid for everything else.
    ///
    /// A value that is not an instant is not rejected here.
    func requireFreshSignIn(_ operation: Operation, _ scope: Scope) throws(RequestRejection) {
        if let rule = operation.fresh, isTooOld(rule, scope) { throw RequestRejection(.stepUp) }
    }

    /// Whether a query is for old rows, and the sign-in is too long ago.
    func isTooOld(_ rule: Operation.Freshness, _ scope: Scope) -> Bool {
        guard let token = scope.token, let text = scope.request.queryValue(rule.query),
            let from = Instant(rfc3339: text) ?? CivilDate(text).map({ Instant($0) })
        else { return false }
        return from < scope.now + (.zero - rule.older) && scope.now > token.signedInAt + rule.within
    }
}
