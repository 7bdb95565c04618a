import BankCore
import BankModel

/// The directives of values: in responses, inserted rows, and wherever a value is taken from a request.
enum TemplateKeys {
    static let fallback = Field("default", .node(.any), "the value if the source has none; works with every source")

    /// Each directive that is one value.
    static let sources: [Field<Node>] = [
        Field("path", .node(.text("a name of the path")), "a parameter of the path; it must be in `request`"),
        Field("query", .node(.text("a field's name")), "a field of the query"),
        Field("header", .node(.text("a header's name")), "a header of the request"),
        Field("body", .node(.text("a path into the JSON body")), "a field of the JSON body, such as `amount.currency`"),
        Field("form", .node(.text("a field's name")), "a field of the form body"),
        Field("json_path", .node(.text("a JSONPath")), "the value at a JSONPath in the JSON body, as text"),
        Field("path_segment", .node(.integer(0...1000)), "a segment of the path, decoded; the first is 0"),
        Field(
            "of_request", .node(.choice(of: ValueSource.RequestPart.self)), "a part of the request: the path decoded, the others as sent"),
        Field("now", .node(.anyOf([.choice(of: DateStyle.self), .object(DateKeys.schema)])), "the session clock"),
        Field("random_text", .node(.object(RandomKeys.schema)), "random characters, from the session's seed"),
        Field("joined", .node(.list(.named("source") { source }, atLeast: 1)), "several values as one text"),
        Field("html_escaped", .node(.named("source") { source }), "a value with the characters of HTML escaped"),
        Field("uuid", .node(.words("a text")), "a new UUID, with this text as prefix"),
        Field("url", .node(.words("a path")), "an absolute URL of the bank; `{name}` in it is a parameter of the request's path"),
        Field("token", .node(.choice(of: ValueSource.TokenField.self)), "a property of the issued token, or of the request's token"),
        Field(
            "openid", .node(.choice(of: ValueSource.OpenIDField.self)),
            "the ID token of the tokens just issued, if the scope `openid` was granted, or the keys that verify it"),
        Field(
            "consent", .node(.anyOf([.words(["account"]), .object(ConsentKeys.statesSchema)])),
            "the first account that the token's consent covers, or a value by the state of a consent that has ended, or that a webhook is "
                + "about"),
        Field("added", .node(.text("a field's name")), "a field of the row that the operation adds"),
        Field(
            "challenge", .node(.choice(of: ValueSource.ChallengeField.self)),
            "a property of the challenge that the response is about; missing if there is none"),
        Field(
            "webhook", .node(.choice(of: ValueSource.WebhookField.self)),
            "whether the operation has registered a webhook, or the names of its events, in the form in which a request has them; these are "
                + "missing if it has registered none"),
        Field("customer", .node(.text("`login`, or a field of the profile")), "a property of the signed-in customer"),
        Field("detail", .node(.words("a text")), "the reason for the error, or this text if there is none"),
        Field("lacking", .node(.text("a text with `{scope}` in it")), "this text with the scope that the token lacks"),
        Field("literal", .node(.any), "a value used verbatim, even if it looks like a directive"),
        Field("move", .node(.choice(of: ValueSource.MovementField.self)), "a property of the movement, in rows that it adds"),
        Field(
            "side",
            .node(.anyOf([.text("`account`, or `other.`, `payer.` or `payee.` and a field of the other side's row"), .object(side)])),
            "a property of one side of the movement, in the rows of `lists`"),
        Field(
            "event", .node(.anyOf([.choice(of: BankEvent.Property.self), .object(kinds)])),
            "a property of the event, or a value by its kind, in rows that it adds, and in those of payments that it rejects or returns"),
        Field("pending", .node(.text("a field's name")), "a field of the row before the movement settled"),
    ]

    private static let kinds = ObjectSchema(
        "values by kind of event", "A value for each kind of event.",
        fields: BankEvent.Kind.allCases.map { Field($0.rawValue, Format<Node>.node(.any), $0.about) })

    private static let side = ObjectSchema(
        "a side", "A value for each side of a movement, or by the table of the other side.",
        fields: [
            Field("debit", Format<Node>.node(.any), "for the paying side"),
            Field("credit", Format<Node>.node(.any), "for the receiving side"),
            Field("other", Format<Node>.node(.map(keys: "tables", .any)), "by the table of the other side"),
        ], rules: [.exactlyOne([["debit", "credit"], ["other"]])])

    static let value = ObjectSchema(
        "a value", "A mapping with one of these keys is replaced by its value; all other values are sent unchanged.",
        fields: sources + [fallback], rules: [.exactlyOne(sources.map { [$0.key] })], example: "{query: limit, default: \"30\"}")

    /// One value: fixed, or from a directive.
    static let source = Schema.named("source") {
        .anyOf([.object(value), .text("a fixed value"), .nothing, .list(.any, atLeast: 0)])
    }

    /// The shape of a body or a row, with directives anywhere in it.
    static let template = Schema.named("shape") {
        .anyOf([.object(rows), .object(row), .object(inserted), .object(pageFact), .object(value), .any])
    }

    // MARK: queries

    private static let conditions = Format<Node>.node(.map(keys: "fields of the rows", source))
    static let filter = Field("where", conditions, "rows with these field values")
    static let only = Field("only", .node(.list(.text("a field's name"), atLeast: 0)), "only these fields of a row")

    static let rowsTable = Field(required: "rows", .node(.text("a table")), "the table")
    static let betweenField = Field("between", .node(.object(BetweenKeys.schema)), "rows between two instants")
    static let nearField = Field("near", .node(.object(NearKeys.schema)), "rows near a point")
    static let given = Field("given", conditions, "as `where`, except that a value that is missing or empty in the request does not filter")
    static let pageField = Field("page", .node(.object(PageKeys.schema)), "a page of rows")
    static let rows = ObjectSchema(
        "rows", "The rows of a table, in its order.", fields: [rowsTable, filter, given, betweenField, nearField, pageField, only],
        example: "{rows: feed, where: {status: SETTLED, _account: {path: id}}, page: {style: cursor, cursor: cursor}}")

    static let rowTable = Field(required: "row", .node(.text("a table")), "the table")
    static let rowField = Field("field", .node(.text("a field's name")), "one field of the row; without it the whole row")
    static let row = ObjectSchema(
        "row", "One row of a table; if there is none, the response is `not-found`.", fields: [rowTable, filter, rowField, only],
        example: "{row: accounts, where: {id: {path: id}}, field: balance}")

    static let insertedTable = Field(required: "inserted", .node(.text("a table")), "the table of `insert`")
    static let insertedField = Field("field", .text("a field's name"), "one field of the row; without it the whole row")
    static let inserted = ObjectSchema("inserted", "The row that the operation has inserted.", fields: [insertedTable, insertedField])

    static let fact = Field(
        required: "page", Format<PageFact>.choice(of: PageFact.self),
        "the name of the next page (`next`) or its absolute address, both missing on the last page; whether there is `more`; the `total` "
            + "of rows, the number of `pages`, the `number` of this page"
    )
    static let pageFact = ObjectSchema(
        "a fact about the page", "A property of the page of rows in the same response.", fields: [fact, fallback],
        example: "{page: next, default: null}")
}

/// The keys of `now` with a format.
enum DateKeys {
    static let format = Field(
        required: "format", .node(.text("a date format")), "the format, such as `yyyy-MM-dd HH:mm:ss`; also `epoch` and `unix`")
    static let offset = Field("offset", .signedDuration, "a duration to add to the time, such as `-3d`")
    static let schema = ObjectSchema(
        "a date", "The session's time in a format.", fields: [format, offset], example: "{format: \"yyyy-MM-dd'T'HH:mm\", offset: 3d}")
}

/// The keys of `random_text`.
enum RandomKeys {
    static let alphabet = Field(required: "of", .node(.text("characters")), "the characters to choose from")
    static let length = Field(required: "length", .int(in: 1...10_000), "the number of characters")
    static let schema = ObjectSchema(
        "a random text", "Random characters.", fields: [alphabet, length], example: "{of: \"0123456789\", length: 8}")
}

/// The keys of `between`.
enum BetweenKeys {
    static let field = Field(required: "field", .node(.text("a field's name")), "the field with the row's date")
    static let from = Field("from", .source, "the first instant, included")
    static let to = Field("to", .source, "the last instant, included")
    static let required = Field("required", .bool, default: false, "whether a request without both is rejected with `bad-request`")
    static let ignoresZone = Field(
        "ignores_zone", .bool, default: false,
        "whether an instant of the request is one of UTC, whatever time zone it names, and needs none (as in Open Banking)")

    static let schema = ObjectSchema(
        "between", "Rows between two instants, both included.", fields: [field, from, to, required, ignoresZone],
        example: "{field: booked_at, from: {query: from}, to: {query: to}, required: true}")
}

/// The keys of `near`.
enum NearKeys {
    static let point = Field(required: "point", .source, "latitude and longitude, separated by a comma")
    static let within = Field(required: "within", .source, "the radius in metres")
    static let latitude = Field(required: "lat", .node(.text("a field's name")), "the field with the row's latitude")
    static let longitude = Field(required: "lng", .node(.text("a field's name")), "the field with the row's longitude")

    static let schema = ObjectSchema(
        "near", "Rows near a point.", fields: [point, within, latitude, longitude],
        example: "{point: {query: near}, within: {query: within}, lat: location.lat, lng: location.lng}")
}

/// The part of a request that names a page.
enum PagePart: String, CaseIterable {
    case query, body
}

/// The keys of `page`.
enum PageKeys {
    static let sizes = 1...100_000

    static let style = Field(required: "style", .choice(of: Paging.Style.self), "how the next page is identified")
    static let cursor = Field(required: "cursor", .text("a field's name"), "the field that selects a page")
    static let limit = Field("limit", .text("a field's name"), "the field that sets the page size")
    static let part = Field(
        "in", .choice(of: PagePart.self), default: .query,
        "where the two fields are: in the query, or in the JSON body by their paths, such as `options.count`")
    static let size = Field("size", .node(.integer(sizes)), "the default number of rows per page; 30 if omitted")
    static let largest = Field(
        "largest", .node(.integer(sizes)), "the maximum number of rows per page; 100 if omitted, or `size` if that is larger")

    static let schema = ObjectSchema(
        "page", "A list in pages.", fields: [style, cursor, limit, part, size, largest],
        example: "{style: cursor, cursor: cursor, limit: limit, size: 30, largest: 100}")
}
