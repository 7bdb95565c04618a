import BankCore
import BankModel

/// The keys of a table in `bank.yaml`.
enum TableKeys {
    static let key = Field(
        "key", .node(.text("a field's name")), "the field that identifies a row; without it each row gets its number in the file as `_row`")
    static let file = Field(
        "file", .node(.text("a path inside the bank's folder")), "the file with an array of rows; without it the table starts empty")
    static let at = Field("at", .text("a path of members"), "the member of the file's object that contains the rows")
    static let order = Field(
        "order", .node(.text("a field's name")), "the field by which rows are sorted; with `-`, newest or greatest first")
    static let belongs = Field(
        "belongs", .node(.anyOf([.words(["owner"]), .map(keys: "a field", .text("a table, or `customer`"))])),
        "the owner of a row: the customer whose `owns` names it, the owner of the row that the field names, or the customer with the "
            + "login in the field"
    )
    static let holds = Field("holds", .node(.object(HoldsKeys.schema)), "a balance in the row that payments change")
    static let closed = Field(
        "closed", .node(.map(keys: "fields", .any)),
        "the fields that show an account as closed, such as `{status: closed}`: payments from and to it are rejected")
    static let urls = Field("urls", .texts("a field's name"), "fields whose paths are sent as absolute URLs")
    static let dates = Field(
        "dates", .node(.map(keys: "fields", .choice(of: DateStyle.self))), "fields with relative dates, and their format")

    static let schema = ObjectSchema(
        "a table", "A table of rows. Fields that begin with `_` are for filters and never sent.",
        fields: [key, file, at, order, belongs, holds, closed, urls, dates],
        example: "{file: accounts.json, key: id, belongs: owner, order: -booked_at, dates: {booked_at: seconds}}")
}

/// The keys of `holds` in a table.
enum HoldsKeys {
    static let amounts = Field(
        required: "amounts", .texts("a field's name"), "the fields with amounts, which change together; the first is the opening balance")
    static let settled = Field("settled", .texts("a field's name"), "amounts that change only when a movement settles")
    static let currency = Field("currency", .node(.text("a field's name")), "the field with the currency")
    static let fixedCurrency = Field("fixed_currency", .node(.text("an ISO 4217 code such as `GBP`")), "the currency, if rows name none")
    static let unit = Field(required: "unit", .choice(of: AmountUnit.self), "the format of amounts: `\"12.30\"`, `1230` or `12.30`")
    static let lowest = Field("lowest", .node(.integer(Int.min...Int.max)), "the lowest balance that a payment may leave, in minor units")

    static let schema = ObjectSchema(
        "holds", "A balance that payments change.", fields: [amounts, settled, currency, fixedCurrency, unit, lowest],
        rules: [.atLeastOne(["currency", "fixed_currency"])],
        example: "{amounts: [balance.amount], currency: balance.currency, unit: major, lowest: 0}")
}
