import BankCore
import BankModel

/// The keys of an operation in `bank.yaml`.
enum OperationKeys {
    static let request = Field(
        required: "request", .node(.text("a method and a path such as `GET /accounts/{id}`")),
        "the method, and the path after the bank's `base`")
    static let when = Field("when", .node(.object(whenSchema)), "further conditions; the first operation that matches is used")
    static let open = Field("open", .bool, default: false, "whether the operation needs no token")
    static let scope = Field("scope", .node(.text("a scope of `auth`")), "the required scope of the token")
    static let rateLimit = Field(
        "rate_limit", .node(.anyOf([.words(["none"]), .object(RateLimitKeys.schema)])),
        "the operation's own limit, counted separately, instead of the dialect's; `none`: no limit")
    static let fresh = Field("fresh", .node(.object(FreshKeys.schema)), "requires a recent sign-in for old rows")
    static let stepUp = Field(
        "step_up", .node(StepUpKeys.schema), "the requests that the customer must confirm, in a session with challenges")
    static let challenge = Field("challenge", .node(.object(ChallengeCallKeys.schema)), "shows a challenge, or takes its code")
    static let takes = Field("takes", .node(.object(TakesKeys.schema)), "the request body and its required fields")
    static let parent = Field(
        "parent", .node(.map(keys: "tables", TemplateKeys.source)), "the rows must exist and belong to the customer; otherwise `not-found`")
    static let key = Field(
        "key", .node(.anyOf([.words(["dialect"]), .object(TemplateKeys.value)])),
        "the location of the idempotency key; its behavior is defined in the dialect")
    static let grant = Field("grant", .node(.object(GrantKeys.schema)), "issues or revokes tokens")
    static let signIn = Field(
        "sign_in", .choice(of: Operation.SignIn.self),
        "its part of the sign-in: `page` shows the page, `decision` takes its form, `push` takes a pushed request; the responses are "
            + "those of the RFCs"
    )
    static let permission = Field(
        "permission", .texts("a permission"),
        "the permissions of which the token's consent must have at least one; otherwise the response is `scope-refused`")
    static let uses = Field("uses", .node(.object(UsesKeys.schema)), "uses the token's consent, which is possible only once")
    static let revoke = Field(
        "revoke", .oneRow,
        "revokes the consent with this key; without such a consent the response is `not-found`, and a consent that has ended is not changed"
    )
    static let move = Field("move", .node(.object(MoveKeys.schema)), "moves money")
    static let quote = Field(
        "quote", .node(.object(QuoteKeys.schema)), "a quote that the payment may name, used once; otherwise the response is `quote-ended`")
    static let insert = Field("insert", .node(.map(keys: "one table", TemplateKeys.template)), "inserts a row with these fields")
    static let update = Field("update", .node(.object(UpdateKeys.schema)), "changes a row; without such a row the response is `not-found`")
    static let delete = Field(
        "delete", .oneRow,
        "removes the row with this key; without such a row the response is `not-found`, and with money in it `bad-request`")
    static let cancel = Field(
        "cancel", .oneRow,
        "cancels the pending payment of the row with this key and returns its money; `not-pending` in `refuse` is the response if it is "
            + "no longer pending"
    )
    static let repeats = Field(
        "repeats", .node(.object(RepeatsKeys.schema)), "schedules payments by the session clock, for as long as the row of `insert` exists")
    static let ifMatch = Field(
        "if_match", .node(.object(IfMatchKeys.schema)),
        "executes the request only if `If-Match` has the latest entity tag (RFC 9110 §13.1.1)")
    static let then = Field("then", .node(.object(thenSchema)), "changes of the session's state, which later requests can test with `when`")
    static let authorised = Field(
        "authorised", .template, "the fields that change when it is authorised, or at once if it needs no authorisation")
    static let settled = Field("settled", .node(MoveKeys.stage), "the fields of the inserted row that change when the movement settles")
    static let rejected = Field("rejected", .node(MoveKeys.stage), "the fields that change when it is rejected; `gone`: the row is deleted")
    static let cancelled = Field(
        "cancelled", .node(MoveKeys.stage), "the fields that change when it is cancelled; `gone`: the row is deleted")
    static let returned = Field("returned", .template, "the fields that change when an event returns the money of the settled movement")
    static let businessFailure = Field("business_failure", .template, "the body of a response with a success status that reports a failure")
    static let refuse = Field("refuse", .node(.object(refuseSchema)), "error responses of this operation")
    static let status = Field("status", .int(in: 200...599), default: 200, "the status of a successful response")
    static let headers = Field("headers", .node(HeaderKeys.schema), "headers of a successful response, instead of the dialect's")
    static let response = Field(
        "reply", .node(.anyOf([.object(FileKeys.schema), .object(TextKeys.schema), .object(FolderKeys.schema), TemplateKeys.template])),
        "the body's structure, or a file; without it there is no body")
    static let stream = Field("stream", .node(.object(StreamKeys.schema)), "sends server-sent events")
    static let etag = Field("etag", .bool, default: false, "sends an `ETag`, and responds to `If-None-Match` with 304")

    /// What becomes of the inserted row.
    static let stages: [Field<Node>] = [authorised, settled, rejected, cancelled, returned]

    static let schema = ObjectSchema(
        "an operation", "One operation of the bank.",
        fields: [
            request, when, open, scope, rateLimit, fresh, stepUp, challenge, takes, parent, key, grant, signIn, permission, uses, revoke,
            move, quote, insert, decoupled, registers, update, delete, cancel, repeats, ifMatch, then, authorised, settled, rejected,
            cancelled, returned, businessFailure, refuse, status, headers, response, stream, etag,
        ], example: "{request: \"GET /accounts/{id}\", scope: accounts, reply: {row: accounts, where: {id: {path: id}}}}")

    private static let wanted = Schema.named("wanted") { .anyOf([.any, .object(ConditionKeys.object)]) }

    static let thenSchema = ObjectSchema(
        "then", "Changes of the session.",
        fields: [
            Field("state", Format<Node>.node(.map(keys: "variables", .anyOf([.text("a state"), .nothing]))), "states; `null` clears one")
        ], example: "{state: {order: paid}}")

    /// A part of each name, in the order of ``Condition/Part``.
    private static let whenSchema = ObjectSchema(
        "when", "Distinguishes operations with the same method and path. All conditions must hold; `null`: the value is absent.",
        fields: Condition.Part.allCases.map { part in
            Field(part.rawValue, Format<Node>.node(part.isWhole || part == .json ? wanted : .map(keys: "names", wanted)), part.help)
        }, example: "{query: {type: savings, page: null}, header: {Accept: {like: \"*json*\"}}}")

    private static let refuseSchema = ObjectSchema(
        "refuse", "Error responses of the operation.",
        fields: Operation.RejectionReason.allCases.map { Field($0.rawValue, Format<Node>.node(.object(ResponseKeys.schema)), $0.help) })
}

/// The keys of `repeats` in an operation.
enum RepeatsKeys {
    static let pays = Field(
        required: "pays", .node(.text("an operation with `move`")),
        "the operation whose `move` and `insert` make each payment, from the body of this request")
    static let starts = Field(required: "starts", .source, "the day of the first payment, such as `2026-01-31`")
    static let every = Field(
        "every", .source, "`week` or `month` (in a shorter month, on its last day); a request without it orders one payment")
    static let at = Field("at", .text("a time such as `06:00`"), "the time of day of each payment, in UTC; by default 06:00")
    static let weekends = Field(
        "weekends", .choice(among: ["next"]), "`next`: a payment due on a Saturday or Sunday is made on the following Monday")
    static let schema = ObjectSchema(
        "repeats", "A scheduled payment or a standing order.", fields: [pays, starts, every, at, weekends],
        example: "{pays: payments, starts: {body: starts}, every: {body: every}, at: \"06:00\", weekends: next}")
}

/// The keys of `if_match` in an operation.
enum IfMatchKeys {
    static let read = Field(required: "read", .text("a GET operation with `etag: true`"), "the operation whose response has the entity tag")
    static let required = Field("required", .bool, default: false, "whether a request without `If-Match` is rejected")
    static let schema = ObjectSchema(
        "if_match", "The rejections are `precondition-failed` and `precondition-required` in `refuse`.", fields: [read, required],
        example: "{read: payee, required: true}")
}

/// The keys of `takes` in an operation.
enum TakesKeys {
    static let kinds = Field(
        "kinds", .node(.map(keys: "paths into the JSON body", .choice(of: Operation.BodyRule.Kind.self))),
        "the types of fields, if they are present")

    static func required(_ form: Operation.BodyRule.Form) -> Field<[String]> {
        Field(form.rawValue, .texts("a field's name"), form == .json ? "a JSON body with these fields" : "a form with these fields")
    }

    static let schema = ObjectSchema(
        "takes", "The required body of a request.", fields: Operation.BodyRule.Form.allCases.map(required) + [kinds],
        rules: [.exactlyOne(Operation.BodyRule.Form.allCases.map { [$0.rawValue] })],
        example: "{json: [to, amount.currency], kinds: {to: text, amount.minorUnits: whole}}")
}

/// The keys of `grant` in an operation.
enum GrantKeys {
    static let password = Field("password", .node(.object(passwordSchema)), "issues tokens for a user name and a password")
    static let refresh = Field("refresh", .node(.object(refreshSchema)), "issues tokens for a refresh token")
    static let revoke = Field("revoke", .node(.object(revokeSchema)), "revokes a token")
    static let code = Field("code", .node(.object(codeSchema)), "issues tokens for an authorization code")
    static let client = Field("client", .node(.object(clientSchema)), "issues a token for a client itself, without a customer")
    static let schema = ObjectSchema(
        "grant", "Issues or revokes tokens.", fields: [password, refresh, revoke, code, client],
        rules: [.exactlyOne([["password"], ["refresh"], ["revoke"], ["code"], ["client"]])],
        example: "{password: {user: {form: username}, password: {form: password}, scope: {form: scope}}}")

    static let user = Field(required: "user", .source, "the location of the user name")
    static let word = Field(required: "password", .source, "the location of the password")
    static let scope = Field("scope", .source, "the location of the requested scopes")
    static let token = Field(required: "token", .source, "the location of the token")

    static let codeSource = Field(required: "code", .source, "the location of the code")
    static let redirect = Field(required: "redirect", .source, "the location of the redirect address, which must be that of the sign-in")
    static let verifier = Field(required: "verifier", .source, "the location of the PKCE code verifier")

    static let codeSchema = ObjectSchema(
        "a code grant", fields: [codeSource, redirect, verifier],
        example: "{code: {form: code}, redirect: {form: redirect_uri}, verifier: {form: code_verifier}}")
    static let clientSchema = ObjectSchema("a client grant", fields: [scope])
    static let passwordSchema = ObjectSchema("a password grant", fields: [user, word, scope])
    static let refreshSchema = ObjectSchema("a refresh grant", fields: [token, scope])
    static let revokeSchema = ObjectSchema("a revocation", fields: [token])
}

/// The keys of a response that is a file.
enum FileKeys {
    static let contentType = Field(
        "content_type", .node(.anyOf([.text("a media type"), .nothing])),
        "the media type, by default derived from the file's name; `null` sends no `Content-Type`")
    static let file = Field(required: "file", .node(.text("a path inside the bank's folder")), "the file, sent byte for byte")
    static let schema = ObjectSchema("a file", "A file as the body.", fields: [contentType, file])
}

/// The keys of a response that is one of a folder's files.
enum FolderKeys {
    static let files = Field(required: "files", .node(.text("a path inside the bank's folder")), "the folder")
    static let name = Field(required: "name", .source, "the file's name")
    static let schema = ObjectSchema("files", "A file of a folder as the body.", fields: [files, name])
}

/// The keys of one condition in `when`.
enum ConditionKeys {
    static let like: Field<Node> = Field(
        "like", .node(.anyOf([.text("a pattern"), .list(.text("a pattern"), atLeast: 1)])),
        "a pattern in which `*` matches any text; of a list, all patterns must match")
    static let matches: Field<Node> = Field("matches", .node(.text("a regular expression")), "a regular expression for the whole text")
    static let any: Field<Node> = Field("any", .node(list), "one of these conditions must hold")
    static let all: Field<Node> = Field("all", .node(list), "all of these conditions must hold")
    static let not: Field<Node> = Field("not", .node(.named("wanted") { wanted }), "there is a value, and this condition does not hold")
    static let include: Field<Node> = Field("include", .node(list), "each of these conditions holds for one of the field's values")
    static let exactly: Field<Node> = Field("exactly", .node(list), "as `include`, and the field has as many values")
    static let at: Field<Node> = Field(
        "at", .node(.map(keys: "JSONPaths", .named("wanted") { wanted })),
        "the value at a JSONPath in this JSON, compared as text; of a list, one element must satisfy the condition")
    static let alike: Field<Node> = Field("like_json", .node(.object(LikenessKeys.schema)), "JSON like this document")
    static let schema: Field<Node> = Field("of_schema", .node(.any), "JSON that a JSON Schema describes")
    static let json: Field<Node> = Field("is", .node(.any), "any JSON")

    private static let wanted: Schema = .anyOf([.any, .object(object)])
    private static let fields = [like, matches, any, all, not, include, exactly, at, alike, schema, json]
    private static let list: Schema = .list(.named("wanted") { wanted }, atLeast: 1)
    static let object = ObjectSchema(
        "a condition", "A condition on a value.", fields: fields,
        rules: [.exactlyOne(fields.map { [$0.key] })])
}

/// The keys of `like_json`.
enum LikenessKeys {
    static let document = Field(required: "is", .node(.any), "the document; `${json-unit.any-string}` and the like match any value")
    static let more = Field("more", .bool, default: false, "whether objects and lists may contain more elements")
    static let order = Field("any_order", .bool, default: false, "whether the elements of lists may come in any order")
    static let schema = ObjectSchema(
        "likeness", "JSON like a document.", fields: [document, more, order], example: "{is: {type: savings}, more: true}")
}

/// The keys of a response that is a text.
enum TextKeys {
    static let text = Field(required: "text", .source, "the text")
    static let contentType = Field(
        required: "content_type", .node(.anyOf([.text("a media type"), .nothing])), "the media type; `null` sends no `Content-Type`")
    static let schema = ObjectSchema(
        "a text", "A text as the body. It must have exactly these two keys: any other mapping is JSON.", fields: [text, contentType],
        example: "{text: {joined: [\"Hello \", {query: name}]}, content_type: text/plain}")
}

extension Condition.Part {
    /// The part of a request that it examines.
    fileprivate var help: String {
        switch self {
        case .path: "parameters of the path"
        case .query: "fields of the query; any field of that name may match"
        case .header: "headers; any line of that name may match"
        case .form: "fields of a form body; any field of that name may match"
        case .body: "dotted paths into the JSON body; unquoted numbers, `true` and `false` are JSON values"
        case .state: "states of the session, which operations set with `then`; at first there is none"
        case .rawPath: "the whole path as sent"
        case .url: "path and query as sent"
        case .rawQuery: "the whole query as sent"
        case .queryNames: "the names of the query's fields, sorted, each once; other fields are not allowed"
        case .json: "the complete JSON body"
        case .text: "the complete body as text"
        }
    }
}

extension Operation.RejectionReason {
    fileprivate var help: String { self == .challenged ? "\(about); by default the dialect's `step-up`" : about }
}
