import BankCore
import BankModel

/// The keys of an operation in `bank.yaml`.
enum OperationKeys {
    static let request = Field(
        required: "request", .node(.text("a method and a path such as `GET /accounts/{id}`")), "method and path; `base` is put before it")
    static let when = Field("when", .node(.object(whenSchema)), "what the request must have besides; the first operation that fits answers")
    static let open = Field("open", .bool, default: false, "whether no token is wanted")
    static let scope = Field("scope", .node(.text("a scope of `auth`")), "the scope that a token needs")
    static let fresh = Field("fresh", .node(.object(FreshKeys.schema)), "old rows need a sign-in that is not long ago")
    static let takes = Field("takes", .node(.object(TakesKeys.schema)), "the body and its required fields")
    static let parent = Field(
        "parent", .node(.map(keys: "tables", TemplateKeys.source)), "these rows must be there and the customer's, else `not-found`")
    static let key = Field(
        "key", .node(.anyOf([.words(["dialect"]), .object(TemplateKeys.value)])),
        "where the idempotency key is; what it promises is the dialect's")
    static let grant = Field("grant", .node(.object(GrantKeys.schema)), "makes or revokes tokens")
    static let move = Field("move", .node(.object(MoveKeys.schema)), "moves money")
    static let insert = Field("insert", .node(.map(keys: "one table", TemplateKeys.template)), "adds a row of that shape")
    static let settled = Field("settled", .node(MoveKeys.stage), "the fields of the inserted row that change when the movement settles")
    static let rejected = Field("rejected", .node(MoveKeys.stage), "the fields that change when it is rejected; `gone`: the row goes")
    static let businessFailure = Field(
        "business_failure", .node(TemplateKeys.template), "the body with which a success by its status says no")
    static let refuse = Field("refuse", .node(.object(refuseSchema)), "replies of its own")
    static let status = Field("status", .int(in: 200...599), default: 200, "of a success")
    static let headers = Field("headers", .node(HeaderKeys.schema), "in place of the dialect's")
    static let reply = Field(
        "reply", .node(.anyOf([.object(FileKeys.schema), .object(FolderKeys.schema), TemplateKeys.template])),
        "the body's shape, or a file; none: no body")
    static let etag = Field("etag", .bool, default: false, "sends an `ETag`, and answers `If-None-Match` with 304")

    static let schema = ObjectSchema(
        "an operation", "One call of the bank.",
        fields: [
            request, when, open, scope, fresh, takes, parent, key, grant, move, insert, settled, rejected, businessFailure, refuse, status,
            headers, reply, etag,
        ], example: "{request: \"GET /accounts/{id}\", scope: accounts, reply: {row: accounts, where: {id: {path: id}}}}")

    private static let wanted = Schema.anyOf([
        .any,
        .object(
            ObjectSchema(
                "a condition", "`*` stands for any text; of several patterns all must fit.",
                fields: [
                    Field("like", Format<Node>.node(.anyOf([.text("a pattern"), .list(.text("a pattern"), atLeast: 1)])), "a pattern"),
                    Field("is", Format<Node>.node(.any), "any JSON"),
                ], rules: [.exactlyOne([["like"], ["is"]])])),
    ])

    /// A part of each name, in the order of ``Condition/Part``.
    private static let whenSchema = ObjectSchema(
        "when", "What tells operations on one method and path apart. All that is listed must hold; `null`: it is absent.",
        fields: Condition.Part.allCases.map { part in
            Field(part.rawValue, Format<Node>.node(part.isWhole || part == .json ? wanted : .map(keys: "names", wanted)), part.help)
        }, example: "{query: {type: savings, page: null}, header: {Accept: {like: \"*json*\"}}}")

    private static let refuseSchema = ObjectSchema(
        "refuse", "Replies of the operation's own.",
        fields: Operation.Refusal.allCases.map { Field($0.rawValue, Format<Node>.node(.object(ReplyKeys.schema)), $0.help) })
}

/// The keys of `fresh` in an operation.
enum FreshKeys {
    static let within = Field(required: "within", .duration, "how long after the sign-in; a refresh is none")
    static let rows = Field(required: "for", .node(.object(rowsSchema)), "for which requests")
    static let schema = ObjectSchema(
        "fresh", "Later than that after the sign-in a query for old rows gets `step-up`; the token stays good.", fields: [within, rows],
        example: "{within: 5m, for: {query: since, older: 90d}}")

    static let query = Field(required: "query", .text("a query field's name"), "the field with the instant")
    static let older = Field(required: "older", .duration, "rows from longer ago than that")
    static let rowsSchema = ObjectSchema("for", "Requests for old rows.", fields: [query, older])
}

/// The keys of `takes` in an operation.
enum TakesKeys {
    static let kinds = Field(
        "kinds", .node(.map(keys: "paths into the JSON body", .choice(of: Operation.BodyRule.Kind.self))),
        "what fields must be where they are there")

    static func required(_ form: Operation.BodyRule.Form) -> Field<[String]> {
        Field(form.rawValue, .texts("a field's name"), form == .json ? "a JSON body with these fields" : "a form with these fields")
    }

    static let schema = ObjectSchema(
        "takes", "The body that a request must bring.", fields: Operation.BodyRule.Form.allCases.map(required) + [kinds],
        rules: [.exactlyOne(Operation.BodyRule.Form.allCases.map { [$0.rawValue] })],
        example: "{json: [to, amount.currency], kinds: {to: text, amount.minorUnits: whole}}")
}

/// The keys of `grant` in an operation.
enum GrantKeys {
    static let password = Field("password", .node(.object(passwordSchema)), "tokens for a name and a password")
    static let refresh = Field("refresh", .node(.object(refreshSchema)), "tokens for a refresh token")
    static let revoke = Field("revoke", .node(.object(revokeSchema)), "ends a token")
    static let schema = ObjectSchema(
        "grant", "Makes or revokes tokens.", fields: [password, refresh, revoke],
        rules: [.exactlyOne([["password"], ["refresh"], ["revoke"]])],
        example: "{password: {user: {form: username}, password: {form: password}, scope: {form: scope}}}")

    static let user = Field(required: "user", .node(TemplateKeys.source), "where the login is")
    static let word = Field(required: "password", .node(TemplateKeys.source), "where the password is")
    static let scope = Field("scope", .node(TemplateKeys.source), "where the scopes are that are asked for")
    static let token = Field(required: "token", .node(TemplateKeys.source), "where the token is")

    static let passwordSchema = ObjectSchema("a password grant", fields: [user, word, scope])
    static let refreshSchema = ObjectSchema("a refresh grant", fields: [token, scope])
    static let revokeSchema = ObjectSchema("a revocation", fields: [token])
}

/// The keys of a reply that is a file.
enum FileKeys {
    static let contentType = Field(
        "content_type", .node(.anyOf([.text("a media type"), .nothing])),
        "without it told by the file's name; `null` sends no `Content-Type`")
    static let file = Field(required: "file", .node(.text("a path inside the bank's folder")), "sent byte for byte")
    static let schema = ObjectSchema("a file", "A file as the body.", fields: [contentType, file])
}

/// The keys of a reply that is one of a folder's files.
enum FolderKeys {
    static let files = Field(required: "files", .node(.text("a folder inside the bank's")), "the folder")
    static let name = Field(required: "name", .node(TemplateKeys.source), "the file's name")
    static let schema = ObjectSchema("files", "One of a folder's files as the body.", fields: [files, name])
}

extension Condition.Part {
    /// The part of a request that it examines.
    fileprivate var help: String {
        switch self {
        case .path: "parameters of the path"
        case .query: "fields of the query; of several of one name any"
        case .header: "headers; of several lines any"
        case .form: "fields of a form body; of several of one name any"
        case .body: "dotted paths into the JSON body; unquoted numbers, `true` and `false` are such"
        case .rawQuery: "the whole query as sent"
        case .queryNames: "the names of the query's fields, sorted, each once; no others may come"
        case .json: "the whole JSON body"
        case .text: "the whole body as text"
        }
    }
}

extension Operation.Refusal {
    /// When it is sent.
    fileprivate var help: String {
        switch self {
        case .wrongLogin: "the name or the password is wrong"
        case .locked: "the customer is locked"
        case .malformed: "the body is not what it must be"
        case .invalidGrant: "the refresh token is unknown, used, expired or revoked"
        case .invalidScope: "a scope is asked for that the bank does not have"
        }
    }
}
