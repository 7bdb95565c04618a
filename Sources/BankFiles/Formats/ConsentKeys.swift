import BankCore
import BankModel

/// The keys of a table in `consents` of `bank.yaml`.
enum ConsentKeys {
    static let parameter = Field(
        "parameter", .text("a parameter's name"),
        "the query parameter of the sign-in page that names a consent; without it each sign-in creates one")
    static let state = Field(required: "state", .node(.text("a field's name")), "the field with the state")
    static let words = Field("words", .node(.object(statesSchema)), "the bank's words for the states; by default these names")
    static let lifetime = Field("lifetime", .duration, "the longest time from the authorisation to the end; without it there is none")
    static let until = Field(
        "until", .node(date), "the field with the end: an app may ask for an earlier one, and an authorised consent shows the actual one")
    static let changed = Field("changed", .node(date), "the field with the time of the latest change of the state")
    static let covers = Field("covers", .node(.text("a table with `belongs: owner`")), "the table of the accounts that consents cover")
    static let accounts = Field(
        "accounts", .node(.text("a field's name")),
        "the field with the keys of the accounts that an authorised consent covers; by default no field shows them")
    static let label = Field(
        "label", .node(.text("a field's name")), "the field of an account by which the sign-in page names it; by default its key")
    static let asked = Field(
        "asked", .node(.object(AskedKeys.schema)), "the accounts that a consent asks for; by default all of the customer")
    static let permissions = Field(
        "permissions", .node(.text("a field's name")), "the field with the permissions: a list of texts, or an object with these members")
    static let redirect = Field(
        "redirect", .node(.text("a field's name")),
        "the field with the app's address, to which the page returns without a code; by default apps get a code")
    static let credential = Field(
        "credential", .bool, default: false, "whether the row's key is the token of the customer who has authorised it")
    static let row = Field("row", .template, "the row that a sign-in adds if its address names no consent")
    static let bodies = Field(
        "bodies", .node(.map(keys: "types of events about consents", .any)),
        "the shapes of the bodies of webhooks about these consents, in place of those in `webhooks`")

    private static let date = Schema.map(keys: "a field", .choice(of: DateStyle.self))

    static let schema = ObjectSchema(
        "consents in a table", "Consents: rows that operations add, and that customers authorise on the sign-in page.",
        fields: [
            parameter, state, words, lifetime, until, changed, covers, label, accounts, asked, permissions, redirect, credential, row,
            bodies,
        ],
        example:
            "{parameter: consent, state: status, until: {valid_until: day}, lifetime: 90d, covers: accounts, permissions: permissions}")

    /// A value for each state.
    static let statesSchema = ObjectSchema(
        "values by state of a consent", "A value for each state of a consent.",
        fields: ConsentState.allCases.map { Field($0.rawValue, Format<Node>.node(.any), $0.about) })
}

/// The keys of `asked` in `consents`.
enum AskedKeys {
    static let at = Field(required: "at", .node(.text("a JSONPath")), "the location of the accounts in the row")
    static let field = Field(required: "field", .node(.text("a field's name")), "the field of an account that this location contains")
    static let schema = ObjectSchema(
        "asked", "The accounts that a consent asks for. A consent that names none asks for all.", fields: [at, field],
        example: "{at: \"$.access.accounts[*].iban\", field: iban}")
}

/// The keys of `uses` in an operation.
enum UsesKeys {
    static let consent = Field(required: "consent", .oneRow, "the consent, by its table and key; it must be the token's")
    static let same = Field("same", .texts("a path into the JSON body"), "fields that must be the same as in the request for the consent")
    static let schema = ObjectSchema(
        "uses", "Uses a consent, which is possible only once; otherwise the response is `wrong-consent` in `refuse`, or `bad-request`.",
        fields: [consent, same],
        example: "{consent: {payment-consents: {body: consent}}, same: [amount, to]}")
}
