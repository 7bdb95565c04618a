import BankCore
import BankModel

/// The keys of `sign_in`.
enum SignInKeys {
    static let clients = Field(
        required: "clients", .node(.map(keys: "client ids", .object(ClientKeys.schema))), "the apps that may ask for a sign-in, by id")
    static let scopes = Field(
        "scopes", .texts("a scope"),
        "scopes that a client may ask for, besides those of `auth`; a request without scopes gets those of `auth`")
    static let refreshScope = Field(
        "refresh_scope", .text("a scope"), "the scope without which a sign-in gives no refresh token; by default every sign-in gives one")
    static let code = Field("code", .duration, default: .seconds(60), "the lifetime of a code")
    static let page = Field("page", .duration, default: .seconds(600), "the time that a customer has for the page")
    static let pushed = Field("pushed", .duration, default: .seconds(60), "the lifetime of a pushed request (RFC 9126)")
    static let requiresPushed = Field(
        "requires_pushed", .bool, default: false, "whether the page accepts pushed requests only")
    static let parameters = Field(
        "parameters", .node(.object(parametersSchema)), "the bank's names of parameters that it calls otherwise than the RFCs do")

    static let schema = ObjectSchema(
        "sign_in", "Sign-in on the bank's page: authorization code with PKCE.",
        fields: [clients, scopes, refreshScope, code, page, pushed, requiresPushed, parameters],
        example: "{clients: {app: {redirects: [\"app:/callback\"]}}, scopes: [offline_access], refresh_scope: offline_access}")

    static let names = SignInPolicy.Parameter.allCases.map {
        Field($0.rawValue, Format<String>.text("a parameter's name"), "instead of `\($0.rawValue)`")
    }
    static let parametersSchema = ObjectSchema(
        "parameters", "Names of parameters, by their names in the RFCs.", fields: names, example: "{client_id: clientId}")
}

/// The keys of a client in `sign_in`.
enum ClientKeys {
    static let name = Field("name", .text(), "its name on the page; by default its id")
    static let secret = Field("secret", .text(), "its secret; without one it is a public client, which must use PKCE")
    static let authentication = Field(
        "authentication", .choice(of: OAuthClient.Authentication.self),
        "how it presents its secret; `client_secret_basic` by default, `none` for a public client")
    static let redirects = Field(
        "redirects", .node(.list(.text("an address"), atLeast: 0)),
        "the addresses of its callback, compared byte for byte; `http://127.0.0.1` and `http://[::1]` with any port")
    static let pkce = Field("pkce", .bool, default: false, "whether a client with a secret must use PKCE too")

    static let schema = ObjectSchema(
        "a client", "An app that is registered with the bank.", fields: [name, secret, authentication, redirects, pkce],
        example: "{secret: web-secret, redirects: [\"https://web.example/callback\"]}")
}
