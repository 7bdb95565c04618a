import BankModel

/// The reason why an authorization cannot be decided.
package enum AuthorizationError: Error, Sendable, Hashable, CustomStringConvertible {
    case bankHasNoSignIn(String)
    case unknown(Int, known: Int)
    case decided(Int, Authorization.Stage)
    case unknownCustomer(String, known: [String])
    /// The message on the page, where the client must not be sent an error.
    case rejectedOnPage(String)
    case sessionFull(SessionSize)

    package var description: String {
        switch self {
        case .bankHasNoSignIn(let bank): "bank \(bank) has no `sign_in`"
        case .unknown(let number, let known):
            known == 0
                ? "found the authorization \(number), expected none: no client has opened the sign-in page"
                : "found the authorization \(number), expected a number from 1 to \(known)"
        case .decided(let number, let stage): "authorization \(number) is \(stage.rawValue), expected one that is pending"
        case .unknownCustomer(let login, let known): "found the customer \"\(login)\", expected \(oneOf(known))"
        case .rejectedOnPage(let words): "the bank shows an error on its page and redirects nowhere: \(words)"
        case .sessionFull(let limit): limit.rejection
        }
    }
}
