import BankCore
import BankModel

/// Finds a call by which customers sign in with a name and a password, where a description has no password flow of OAuth.
struct DescribedSignIn {
    private(set) var choices: [RoleChoice] = []
    /// The operation's name in the bank; nil if there is none, or it is not confirmed.
    private(set) var operation: String?

    private static let words = ["login", "signin", "sessions", "session", "token", "authenticate", "auth", "logon"]
    private static let users: Set<String> = ["username", "user", "login", "email", "userid", "loginid", "userlogin"]
    private static let passwords: Set<String> = ["password", "pin", "secret", "passcode", "passphrase"]
    private static let tokens: [String: String] = [
        "accesstoken": "access", "token": "access", "sessiontoken": "access", "authtoken": "access", "jwt": "access", "idtoken": "access",
        "refreshtoken": "refresh", "expiresin": "lifetime", "lifetime": "lifetime",
    ]

    /// Makes a sign-in of an operation.
    ///
    /// - Parameters:
    ///   - hasFlow: whether the description's OAuth password flow signs in already.
    ///   - hasRefresh: whether the bank has refresh tokens.
    init(_ operations: inout [DescribedOperation], hasTokens: Bool, hasFlow: Bool, hasRefresh: Bool, confirmed: Bool) {
        for (index, operation) in operations.enumerated()
        where operation.method == "POST" && DescribedSignIn.words.contains(DescribedName.plain(operation.noun)) {
            func choose(_ state: RoleChoice.State, _ reason: String) {
                choices.append(RoleChoice(state: state, role: "login", operation: operation.node.item, reason: reason))
            }
            guard hasTokens else {
                choose(.declined, "no operation of the description requires a token")
                continue
            }
            guard !hasFlow, self.operation == nil, !choices.contains(where: { $0.state == .proposed }) else {
                choose(.declined, "another call signs in")
                continue
            }
            let fields = operation.fields.filter { $0.kind == .text || operation.isForm }
            guard let user = fields.first(where: { DescribedSignIn.users.contains(DescribedName.plain($0.name)) }),
                let password = fields.first(where: { DescribedSignIn.passwords.contains(DescribedName.plain($0.name)) })
            else {
                choose(
                    .declined, "its body has no field for a user's name and one for a password; tokens come from `counterfoil tokens issue`"
                )
                continue
            }
            guard let json = operation.body?.json?.object, let response = DescribedSignIn.response(json, hasRefresh: hasRefresh) else {
                choose(.declined, "its response has no member such as access_token")
                continue
            }
            let part = operation.isForm ? "form" : "body"
            choose(
                confirmed ? .bound : .proposed, "user: \(part) \(user.path); password: \(part) \(password.path); token: \(response.words)")
            guard confirmed else { continue }
            self.operation = operation.name
            operations[index].isOpen = true
            operations[index].grant = ["password": ["user": [part: .string(user.path)], "password": [part: .string(password.path)]]]
            operations[index].takes = [operation.isForm ? "form" : "json": [.string(user.path), .string(password.path)]]
            operations[index].response = response.template
        }
    }

    private static func response(_ json: JSONObject, hasRefresh: Bool) -> (template: JSON, words: String)? {
        var words: String?
        func made(_ object: JSONObject, _ path: String) -> JSON {
            let templates = object.compactMapValues { key, value in
                if let field = tokens[DescribedName.plain(key)], !value.isContainer {
                    if field == "refresh", !hasRefresh { return nil }
                    if field == "access" { words = words ?? "$.\(path)\(key)" }
                    return ["token": .string(field)]
                }
                return value.object.map { made($0, "\(path)\(key).") } ?? TemplateWords.constant(value)
            }
            return TemplateWords.object(templates, of: object)
        }
        let template = made(json, "")
        return words.map { (template, $0) }
    }
}
