import BankModel

extension Match {
    /// The token or code that a request presents to be exchanged or revoked; nil if the operation does neither, or the request presents
    /// none.
    package func presentedToken(in request: BankRequest) -> String? {
        switch operation.grant {
        case .refresh(let token, _), .revoke(let token), .code(let token, _, _): token.text(in: request)
        case .password, .client, nil: nil
        }
    }
}

extension ValueSource {
    /// The text of a field of the body; nil if the source is another, or the field is missing.
    fileprivate func text(in request: BankRequest) -> String? {
        switch self {
        case .form(let name): request.form[name]
        case .body(let path): (try? request.json())?.at(path)?.plainText
        case .or(let first, let second): first.text(in: request) ?? second.text(in: request)
        default: nil
        }
    }
}
