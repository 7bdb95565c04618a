import BankCore
import BankModel

/// The keys of `move` in an operation.
enum MoveKeys {
    private static let accounts = Schema.map(keys: "tables", TemplateKeys.source)

    static let amount = Field(required: "amount", .source, "the amount")
    static let unit = Field(required: "unit", .choice(of: AmountUnit.self), "the format of the amount: `\"12.30\"`, `1230` or `12.30`")
    static let currency = Field(required: "currency", .source, "its currency")
    static let from = Field(required: "from", .node(accounts), "the paying account; the first table that contains the row is used")
    static let to = Field(required: "to", .node(accounts), "the recipient; the first table that contains the row is used")
    static let settles = Field(
        "settles", .node(.map(keys: "tables of `to`", Format<Duration>.duration.schema)),
        "the time until the movement settles; by default it settles immediately")
    static let authorisation = Field(
        "authorisation", .node(.map(keys: "tables of `to`", Format<Duration>.duration.schema)),
        "the time that a second person has to authorise the payment, which is rejected after it; by default it needs no authorisation")
    static let lists = Field("lists", .node(.list(.object(ListingKeys.schema), atLeast: 0)), "the lists that show the movement")

    static let schema = ObjectSchema(
        "move", "Moves money from one account to another.", fields: [amount, unit, currency, from, to, settles, authorisation, lists],
        example: "{amount: {body: amount}, unit: minor, currency: {body: currency}, from: {accounts: {path: id}}, to: {goals: {body: to}}}")

    /// The later stages of a row.
    static let stage = Schema.anyOf([.words(["gone"]), TemplateKeys.template])
}

/// The keys of `update` in an operation.
enum UpdateKeys {
    static let row = Field(required: "row", .oneRow, "the row, by its table and key")
    static let changes = Field(
        required: "with", .template, "the fields that change; a field whose value is missing in the request is not changed")
    static let schema = ObjectSchema(
        "update", "Changes a row that the customer may see.", fields: [row, changes],
        example: "{row: {payees: {path: id}}, with: {name: {body: name}}}")
}

/// The keys of `quote` in an operation.
enum QuoteKeys {
    static let row = Field(required: "row", .oneRow, "the row, by its table and key; a request without the key is executed without a quote")
    static let expires = Field(
        required: "expires", .text("a field of the row"), "the field with the instant at which the quote expires, by the session clock")
    static let fixes = Field(
        "fixes", .node(.map(keys: "fields of the row", TemplateKeys.source)),
        "the quote's fields, each with the value of the request that must equal it")
    static let schema = ObjectSchema(
        "quote", "A quote that a payment may name. The payment removes the row.", fields: [row, expires, fixes],
        example: "{row: {quotes: {body: quote}}, expires: expires_at, fixes: {amount.currency: {body: amount.currency}}}")
}

/// The keys of a list in `move`.
enum ListingKeys {
    static let table = Field(required: "in", .node(.text("a table")), "the table of the list")
    static let side = Field(required: "side", .node(.text("a table of `from` or `to`")), "one row for each side in this table")
    static let row = Field(required: "row", .template, "the row; it may contain `{move: …}` and `{side: …}`")
    static let authorised = Field(
        "authorised", .template, "the fields that change when a second person authorises it, or at once if it needs no `authorisation`")
    static let settled = Field(
        "settled", .node(MoveKeys.stage), "the fields that change when it settles; with an `id` the pending row is deleted")
    static let rejected = Field(
        "rejected", .node(MoveKeys.stage), "the fields that change when it is rejected; without it the row is deleted")

    static let cancelled = Field(
        "cancelled", .node(MoveKeys.stage), "the fields that change when it is cancelled; without it the row is deleted")
    static let returned = Field(
        "returned", .template,
        "if an event returns the money, the fields in which the new row for the return differs; fields that are `null` are left out"
    )

    static let schema = ObjectSchema(
        "a list that shows the movement", "A list in which a movement is shown.",
        fields: [table, side, row, authorised, settled, rejected, cancelled, returned])
}

/// The keys of `events`.
enum EventsKeys {
    static let unit = Field(required: "unit", .choice(of: AmountUnit.self), "the format of amounts in the rows")
    static let lists = Field(
        required: "lists", .node(.list(.object(ListingKeys.schema), atLeast: 1)), "the lists that show the money; as in `move`")
    static let schema = ObjectSchema(
        "events", "How lists show money that events move between an account and a party outside the bank.", fields: [unit, lists])
}
