import BankFiles
import TestBanks
import Testing

private let accounts = "till/accounts.json"
private let entries = "till/entries.json"
private let dialect = "dialects/terse.yaml"
private let views = "till/expected.yaml"

@Suite struct BrokenFixtureTests {
    @Test(arguments: rows)
    func `a fault of a fixture is reported with the row's position`(_ broken: Broken) {
        broken.check()
    }

    @Test(arguments: dialects + expected)
    func `a fault of a dialect or view is reported with its position`(_ broken: Broken) {
        broken.check()
    }

    static let rows: [Broken] = [
        Broken(accounts, "\"balance\": \"7.00\"}]", "\"balance\": \"7.00\",}]", at: "}]", message: "found }], expected a name in quotes"),
        Broken(accounts, "\"name\": \"Current\"", "\"name\": 'Current'", at: "'Current'", message: "found 'Current',, expected a value"),
        Broken(
            accounts, "\"id\": \"b1\"", "\"id\": \"a2\"", at: "{\"id\": \"a2\", \"name\": \"Bob",
            message: "row 3: found the key `a2` a second time (first in row 2), expected each once (or `dirty: [key]` in bank.yaml)",
            consequences: 2),
        Broken(
            accounts, "\"id\": \"b1\"", "\"uid\": \"b1\"", at: "{\"uid\"", message: "row 3: found no id, expected the row's key there",
            consequences: 2),
        Broken(
            accounts, "\"7.00\"", "\"7.005\"", at: "{\"id\": \"b1\"",
            message: "row 3: found balance \"7.005\", expected a text in major units with at most 2 digits after the point, as GBP has"),
        Broken(
            accounts, "\"7.00\"", "7.00", at: "{\"id\": \"b1\"",
            message: "row 3: found balance 7.00, expected a text in major units with at most 2 digits after the point, as GBP has"),
        Broken(
            accounts, "\"name\": \"Savings\"", "\"fee\": {\"amount\": \"1.5\", \"currency\": \"JPY\"}", at: "{\"id\": \"a2\"",
            message: "row 2: fee: found 1.5, expected at most 0 digits after the point, as JPY has"),
        Broken(
            accounts, "\"name\": \"Savings\"", "\"fee\": {\"amount\": 1.234, \"currency\": \"EUR\"}", at: "{\"id\": \"a2\"",
            message: "row 2: fee: found 1.234, expected at most 2 digits after the point, as EUR has"),
        Broken(
            accounts, "\"name\": \"Savings\"", "\"fee\": {\"minorUnits\": 1.5, \"currency\": \"GBP\"}", at: "{\"id\": \"a2\"",
            message: "row 2: found fee.minorUnits 1.5, expected a whole number of minor units"),
        Broken(
            accounts, "\"name\": \"Savings\"", "\"opened\": \"@-9d10:00\"", at: "{\"id\": \"a2\"",
            message:
                "row 2: found the relative date `@-9d10:00` at opened, expected opened among the table's `dates`: otherwise it is sent unchanged"
        ),
        Broken(
            entries, "\"@-9d08:00\"", "\"@-9d8:00\"", at: "{\"id\": \"e1\"",
            message: "row 1: found at `@-9d8:00`, expected a relative date such as @-3d09:15"),
        Broken(
            entries, "\"@-9d08:00\"", "\"2026-01-12T09:15:00Z\"", at: "[",
            message: "found 5 relative and 1 absolute dates in entries, expected all of one kind: their order would change from day to day"),
        Broken(
            entries, "\"_account\": \"b1\"", "\"_account\": \"b2\"", at: "{\"id\": \"e5\"",
            message: "row 5: found `b2` at _account, expected the id of a row of accounts; did you mean `a2`?"),
        Broken(
            "till/payees.json", "[{\"id\": \"p1\", \"name\": \"Grocer\"}]", "[{\"id\": \"p1\"},\n 12]", at: "12",
            message: "row 2: found a number, expected an object"),
        Broken(
            "till/payees.json", "[{\"id\": \"p1\", \"name\": \"Grocer\"}]", "{\"id\": \"p1\"}", at: "{",
            message: "found an object, expected an array of rows, or `at` in the table with the member that has it"),
    ]

    static let dialects: [Broken] = [
        Broken(dialect, "dialect: terse", "dialect: verbose", at: "verbose", message: "found `verbose`, expected `terse`, the file's name"),
        Broken(
            dialect, "  step-up: {status: 403, body: {error: step-up}}\n", "", at: "no-credentials:",
            message: "`step-up` missing in `replies`"
        ),
        Broken(
            dialect, "  step-up: {", "  stepup: {", at: "stepup",
            message:
                "found `stepup`, expected no-credentials, token-rejected, token-expired, scope-refused, step-up, consent-expired, not-found, bad-request, key-missing, key-mismatch, key-in-flight, rate-limited, maintenance, internal-error, insufficient-funds or cursor-expired; did you mean `step-up`?",
            consequences: 1),
        Broken(
            dialect, "stored: executed", "stored: execute", at: "execute",
            message:
                "found `execute`, expected executed, success, statuses such as [2xx, 402] or {not: [429, 5xx]}; did you mean `executed`?"),
        Broken(
            dialect, "stored: executed", "stored: {not: [5xx, 600]}", at: "600",
            message: "found `600`, expected a status such as 402, a class such as 5xx or a range such as 501-599"),
        Broken(dialect, "stored: executed", "stored: []", at: "[]", message: "found a list, expected at least one status"),
        Broken(
            dialect, "stored: executed", "stored: executed\n  replay: now", at: "now", message: "found `now`, expected stored or current"),
        Broken(
            dialect, "stored: executed", "stored: executed\n  scope: bank", at: "bank",
            message: "found `bank`, expected operation or customer"
        ),
        Broken(
            dialect, "stored: executed", "stored: executed\n  fingerprint: part", at: "part",
            message: "found `part`, expected `whole`, `bytes` or a list of the body's fields, such as [amount, to]"),
        Broken(
            dialect, "replies:", "magic: {amounts: {\"66.01\": step-up}}\nreplies:", at: "\"66.01\"",
            message: "found `66.01`, expected an amount in minor units, such as \"6660101\""),
        Broken(
            dialect, "replies:", "magic: {payees: {nobody: rejecte}}\nreplies:", at: "rejecte}",
            message:
                "found `rejecte`, expected rejected, no-credentials, token-rejected, token-expired, scope-refused, step-up, consent-expired, not-found, bad-request, key-missing, key-mismatch, key-in-flight, rate-limited, maintenance, internal-error, insufficient-funds or cursor-expired; did you mean `rejected`?"
        ),
        Broken(
            dialect, "replies:", "magic: {customers: {}}\nreplies:", at: "customers",
            message: "unknown key `customers` in magic; known keys are amounts, payees"),
        Broken(dialect, "quoted: either", "quoted: yes", at: "yes", message: "found `yes`, expected either, no or required"),
        Broken(
            dialect, "quoted: either", "qouted: either", at: "qouted",
            message: "unknown key `qouted` in idempotency; did you mean `quoted`?"),
        Broken(dialect, "longest: 40", "longest: forty", at: "forty", message: "found `forty`, expected a whole number from 1 to 10000"),
        Broken(
            dialect, "not-found: {status: 404,", "not-found: {satus: 404, status: 404,", at: "satus",
            message: "unknown key `satus` in a response; did you mean `status`?"),
        Broken(
            dialect, "{error: key-missing}", "{error: {rows: accounts}}", at: "accounts",
            message: "found the table `accounts`, expected none: the bank has no tables"),
        Broken(
            dialect, "marker: {Idempotent-Replayed: \"true\"}", "marker: {Idempotent Replayed: \"true\"}", at: "Idempotent Replayed",
            message: "found `Idempotent Replayed`, expected a header's name (RFC 9110 §5.6.2)"),
    ]

    static let expected: [Broken] = [
        Broken(views, "ann:", "amn:", at: "amn", message: "found the customer `amn`, expected ann, bob or cat; did you mean `ann`?"),
        Broken(
            views, "  transactions:\n    t", "  transaction:\n    t", at: "transaction:",
            message: "unknown key `transaction` in the expected results of ann; did you mean `transactions`?"),
        Broken(
            views, "    transactions:\n", "    transaction:\n", at: "transaction:",
            message: "`transactions` is missing in the view `transactions`", consequences: 1),
        Broken(
            views, "name: Current, currency: GBP", "name: Current, currency: pounds", at: "pounds",
            message: "found `pounds`, expected an ISO 4217 code such as GBP"),
        Broken(views, "{id: a1, name", "{id: 1, name", at: "1, name", message: "found `1`, expected a text; numbers in quotes"),
        Broken(
            views, "balance: \"5.50\"", "balance: 5.50", at: "5.50", message: "found `5.50`, expected an amount in quotes such as \"12.30\""
        ),
        Broken(views, "amount: \"2.00\"", "amount: \"2.0\"", at: "\"2.0\"", message: "found `2.0`, expected all digits of GBP: \"2.00\""),
        Broken(
            views, "\"@-1d23:59\"", "\"@-1d24:59\"", at: "\"@-1d24:59\"",
            message: "found `@-1d24:59`, expected a day such as \"2026-01-12\" or \"@-3d09:15\""),
        Broken(
            views, "date: \"@0d00:00\"", "dat: \"@0d00:00\"", at: "dat:",
            message: "unknown key `dat` in one of `transactions`; did you mean `date`?"),
        Broken(
            views, "  transactions:\n    t", "  goals: {goals: []}\n  transactions:\n    t", at: "goals:",
            message: "found an expected result of `goals`, expected one of an operation listed in `operations_of_a_client`"),
    ]
}
