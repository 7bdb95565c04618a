package import BankModel

/// The keys of the lines that harness and driver exchange. Keys that are not here are passed over by both.
package enum MessageKeys {
    static let caseID = Field(required: "case", .line, "the case's id")
    static let n = Field(required: "n", .whole, "the step's number")
    static let version = Field(required: "v", .whole, "the version of the protocol; 1")
    static let nonce = Field(required: "nonce", .line, "the harness's own word, which the driver sends back")

    // MARK: steps

    static let operation = Field(required: "op", .line, "what the client is asked for; one that it does not have is answered `unsupported`")
    static let arguments = Field("args", .value(.any), "arguments by name, an object")
    static let now = Field("now", .line, "the time to go by, for clients with the feature `clock`")

    // MARK: results

    static let outcomes = ["ok", "error", "silent", "unsupported"]
    static let outcome = Field(
        required: "outcome", Format<String>(.words(outcomes), read: { $0.scalar(else: $1) }, write: { .string($0) }),
        "a view, an error, nothing shown to the person, or an operation that the client does not have")
    static let view = Field(
        "view", .value(.anyOf(DriverOperation.allCases.map { ViewShape(of: $0).schema(of: $0) })), "what the person is shown")
    static let error = Field(
        "error", Format<String>(.words(ClientError.allCases.map(\.rawValue)), read: { $0.scalar(else: $1) }, write: { .string($0) }),
        "the kind of error, with the outcome `error`; with `silent` the error that the client received and did not show")
    static let detail = Field("detail", .line, "free text beside an error")
    static let note = Field("note", .line, "free text of the driver's, shown in reports")

    // MARK: the driver's greeting

    static let client = Field(required: "client", .line, "name and version, such as `acme-bank 2.1`")
    static let banks = Field("banks", .lines, "the banks that it speaks; left out: all")
    static let operations = Field(required: "operations", .lines, "the operations that it has")
    static let features = Field(required: "features", .lines, "what it can do beyond single operations: \(featureNames)")

    private static var featureNames: String { DriverFeature.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }

    // MARK: messages

    /// A message: `t` says which one it is.
    static func message(_ type: String, _ what: String, _ about: String, _ fields: [any AnyField] = []) -> ObjectSchema {
        let name = Field(required: "t", Format<String>(.words([type]), read: { $0.scalar(else: $1) }), "the message's type")
        return ObjectSchema(what, about, fields: [name] + fields, others: .any)
    }

    static let harness: [ObjectSchema] = [
        message("hello", "line `hello` of the harness", "The first line from the harness.", [version, nonce]),
        CaseKeys.schema,
        message(
            "step", "line `step`", "The client is asked for something; the answer is a result.", [caseID, n, operation, arguments, now]),
        message("cancel", "line `cancel`", "Nobody waits for that step any more, for clients with the feature `cancel`.", [caseID, n]),
        message("end", "line `end`", "The case is over; the answer is ended.", [caseID]),
        message("bye", "line `bye`", "The last line: the driver ends."),
    ]

    static let driver: [ObjectSchema] = [
        message(
            "hello", "line `hello` of the driver", "What a driver says of its client.",
            [version, nonce, client, banks, operations, features]),
        message("ready", "line `ready`", "The answer to a case: the client can be asked.", [caseID]),
        message("result", "line `result`", "How a step ended.", [caseID, n, outcome, view, error, detail, note]),
        message("ended", "line `ended`", "The answer to an end.", [caseID]),
    ]

    /// Every line of both sides.
    package static let schema = Schema.anyOf((harness + driver).map(Schema.object))
}

/// The keys of a case's beginning.
enum CaseKeys {
    static let baseURL = Field(required: "base_url", .line, "the bank's address, without a slash at its end")
    static let stateDirectory = Field(required: "state_dir", .line, "the only folder that the client may write to")
    static let bank = Field(required: "bank", .line, "the bank's name")
    static let roles = Field("roles", .value(.any), "for information: method and absolute path of each role's operations")
    static let login = Field("login", .value(.object(loginSchema)), "who signs in")
    static let customers = Field(
        "customers", .value(.list(.object(loginSchema), atLeast: 0)), "the other customers whom steps of the case sign in")
    static let caFile = Field("ca_file", .line, "a PEM file of the authority to trust besides the system's")
    static let pins = Field(
        "pins", .lines,
        "for clients with the feature `pins`: the keys that the bank's certificate may have, the one in use first, each as the SHA-256 of "
            + "its SubjectPublicKeyInfo in base 64")
    static let timeZone = Field("time_zone", .line, "the IANA name of the zone in which days are shown")
    static let locale = Field("locale", .line, "the person's locale, such as `de_DE`; the process has it in LANG and LC_ALL too")
    static let timeouts = Field("timeouts", .value(.object(timeoutsSchema)), "real time")
    static let now = Field("now", .line, "the time to go by, for clients with the feature `clock`")
    static let resumed = Field("resumed", .bool, "after a restart, or in a second process: the folder holds what the client kept")
    static let process = Field("process", .whole, "2: a second process of the app, on the same folder at the same time")

    static let user = Field("user", .line, "the name")
    static let password = Field("password", .line, "the password")
    static let token = Field("token", .line, "a token, where the bank has no login call")
    private static let loginSchema = ObjectSchema("login", "Who signs in.", fields: [user, password, token], others: .any)

    static let connect = Field("connect_ms", .whole, "to connect, in milliseconds")
    static let total = Field("total_ms", .whole, "for one attempt, in milliseconds")
    static let backoff = Field(
        "backoff_ms", .whole,
        "the longest first pause before an attempt is repeated, in milliseconds, for clients whose pauses can be set; missing where their "
            + "own pauses are judged")
    private static let timeoutsSchema = ObjectSchema("limits", "Real time.", fields: [connect, total, backoff], others: .any)

    static let schema = MessageKeys.message(
        "case", "line `case`", "A case begins; the answer is ready.",
        [
            MessageKeys.caseID, baseURL, stateDirectory, bank, roles, login, customers, caFile, pins, timeZone, locale, timeouts, now,
            resumed, process,
        ])
}

extension ViewShape {
    /// The view of an operation as a schema.
    fileprivate func schema(of operation: DriverOperation) -> Schema {
        .object(schema("the view of \(operation.rawValue)", "What `\(operation.rawValue)` shows."))
    }

    private func schema(_ what: String, _ about: String) -> ObjectSchema {
        ObjectSchema(what, about, fields: fields.map { $0.schema(in: what) }, others: .any)
    }
}

extension ViewShape.Kind {
    fileprivate func schema(in what: String) -> Schema {
        switch self {
        case .text(let example): .text(TextSchema("a text such as `\(example)`"))
        case .bool: .bool
        case .whole: .integer(0...Int.max)
        case .rows(let shape):
            .list(.object(ObjectSchema("a row of \(what)", fields: shape.fields.map { $0.schema(in: what) }, others: .any)), atLeast: 0)
        }
    }
}

extension ViewShape.Field {
    fileprivate func schema(in what: String) -> FieldSchema {
        FieldSchema(
            key: name, schema: .anyOf([kind.schema(in: "\(what) \(name)"), .nothing]), isRequired: presence == .always, standard: nil,
            help: presence == .optional ? "a client may leave it out" : "shown wherever the bank has it")
    }
}

extension Node {
    /// The text; a complaint if this is none.
    fileprivate func scalar(else complaints: Complaints) -> String? { scalar ?? wrong(complaints, "a text") }
}

extension Format<String> {
    fileprivate static var line: Format {
        Format(.text(TextSchema("a text", pattern: "[\\s\\S]*")), read: { $0.scalar(else: $1) }, write: { .string($0) })
    }
}

extension Format<[String]> {
    fileprivate static var lines: Format {
        Format(.list(Format<String>.line.schema, atLeast: 0), read: { $0.texts($1) }, write: { .array($0.map(JSON.string)) })
    }
}

extension Format<Int> {
    fileprivate static var whole: Format { .int(in: 0...Int.max) }
}

extension Format<JSON> {
    /// A value of the protocol's own, which is read by itself.
    fileprivate static func value(_ schema: Schema) -> Format { Format(schema, read: { node, _ in node.json }, write: { $0 }) }
}
