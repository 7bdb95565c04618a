import BankFiles
import TestBanks
import Testing

private let bank = "till/bank.yaml"

@Suite struct BrokenBankTests {
    @Test func `the valid bank has no complaint`() {
        #expect(complaints(Broken.valid) == [])
    }

    @Test(arguments: top + tables + customers)
    func `a fault of a definition is reported with its position`(_ broken: Broken) {
        broken.check()
    }

    @Test(arguments: operations + values)
    func `a fault of an operation is reported with its position`(_ broken: Broken) {
        broken.check()
    }

    static let top: [Broken] = [
        Broken(bank, "bank: till", "bank: tell", at: "tell", message: "found `tell`, expected `till`, the folder's name"),
        Broken(bank, "about: A", "abuot: A", at: "abuot", message: "unknown key `abuot` in a bank; did you mean `about`?", consequences: 1),
        Broken(
            bank, "base: /v1", "base: v1", at: "v1",
            message: "found `v1`, expected nothing, or a path such as /api/v2 that begins with a slash and does not end with one"),
        Broken(
            bank, "dialect: terse", "dialect: ters", at: "ters", message: "found the dialect `ters`, expected terse; did you mean `terse`?"),
        Broken(
            "dialects/terse.yaml", "replies:", "more_digits: rounded\nreplies:", at: "rounded",
            message: "found `rounded`, expected refused or zeros", consequences: 0),
        Broken(
            bank, "[login, accounts, transactions, pay]", "[login, acounts, transactions, pay]", at: "acounts",
            message:
                "found `acounts`, expected login, logout, status, accounts, balance, transactions, atms, image, goals, pay, resume, round_up, payment_status, authorize_begin, authorize_finish, events, challenge_answer, consents, consent_revoke, quote or watch; did you mean `accounts`?",
            consequences: 1),
        Broken(
            bank, "[login, accounts, transactions, pay]", "[login, accounts, transactions, pay, goals]", at: "goals",
            message: "found `goals`, expected an operation with the role goals in `roles`"),
        Broken(
            bank, "[login, accounts, transactions, pay]", "[login, accounts, transactions, pay, consents]", at: "consents",
            message: "found `consents`, expected `consents` in the bank: a sign-in covers everything"),
        Broken(
            bank, "[login, accounts, transactions, pay]", "[login, accounts, transactions, pay, pay]", at: "pay]",
            message: "found `pay` a second time, expected each once"),
        Broken(
            bank, "{pay: {from: a1", "{pya: {from: a1", at: "pya",
            message:
                """
                found `pya`, expected login, logout, status, accounts, balance, transactions, atms, image, goals, pay, resume, round_up, payment_status, authorize_begin, \
                authorize_finish, events, challenge_answer, consents, consent_revoke, quote or watch; did you mean `pay`?
                """),
        Broken(
            bank, "{pay: {from: a1", "{pay: {from: a9", at: "a9",
            message: "found `a9`, expected the key of a row of accounts; did you mean `a1`?"),
        Broken(
            bank, "to: p1, currency", "to: p1, curency", at: "curency",
            message: "found `curency`, expected account, goal, from, to, currency or path; did you mean `currency`?", consequences: 1),
        Broken(
            bank, "defaults: {pay", "defaults: {balance: {account: a1}, pay", at: "balance",
            message: "found defaults of `balance`, expected an operation listed in `operations_of_a_client`"),
        Broken(
            bank, "defaults: {pay", "defaults: {transactions: {account: a1, from: yesterday}, pay", at: "yesterday",
            message: "found `yesterday`, expected an instant such as 2026-01-12T09:15:00Z or @-3d09:15"),
        Broken(
            bank, "defaults: {pay", "dirty: [keys]\ndefaults: {pay", at: "keys]",
            message: "found `keys`, expected key, date or amount; did you mean `key`?"),
        Broken(
            bank, "accounts: [accounts], transactions", "accounts: [acounts], transactions", at: "acounts",
            message: "found the operation `acounts` for the role accounts, expected one of the bank's own; did you mean `accounts`?",
            consequences: 1),
        Broken(
            bank, "{login: [signIn], refresh", "{login: [signIn], refrsh", at: "refrsh",
            message:
                "found `refrsh`, expected login, refresh, logout, accounts, balance, transactions, atms, pay, goals, image, payment_status or quote; did you mean `refresh`?"
        ),
        Broken(
            bank, "{pay: {from: a1, to: p1, currency: GBP}}", "{pay: {from: a1, to: p1}}", at: "{from: a1, to: p1}",
            message: "`currency` is missing in the defaults of `pay`"),
        Broken(
            bank, "transactions: [entries]", "transactions: []", at: "[], pay",
            message: "found no operation for the role transactions, expected at least one", consequences: 1),
        Broken(
            bank, "auth: {lifetime: 10m", "auth: {lifetime: 10 minutes", at: "10 minutes",
            message: "found `10 minutes`, expected a duration such as 250ms, 30s, 5m, 2h or 1d, at most 36525d (100 years)"),
        Broken(
            bank, "bank: till", "bank: [till", at: ": A small",
            message: "found `:`, expected ',' or ']' (in a list with brackets that begins in line 1)"),
        Broken(
            bank, "base: /v1", "base: /v1\nbase: /v2", at: "base: /v2",
            message: "found the key `base` a second time (first in line 3), expected each once"),
    ]

    static let tables: [Broken] = [
        Broken(
            bank, "{file: payees.json", "{file: ../payees.json", at: "../payees",
            message: "found `../payees.json`, expected a path inside the bank's folder"),
        Broken(
            bank, "{file: payees.json", "{file: payee.json", at: "payee.json",
            message: "found `payee.json`, expected a file Stubs/till/payee.json"),
        Broken(bank, "order: -at", "ordre: -at", at: "ordre", message: "unknown key `ordre` in the table `entries`; did you mean `order`?"),
        Broken(
            bank, "order: -at", "order: -att", at: "-att",
            message: "found the field `att`, expected a field that a row of entries has; did you mean `at`?"),
        Broken(
            bank, "{file: payees.json, key: id}", "{file: payees.json, key: idd}", at: "idd",
            message: "found the field `idd`, expected a field that a row of payees has; did you mean `id`?", consequences: 1),
        Broken(
            bank, "belongs: {_account: accounts}", "belongs: {_account: acounts}", at: "entries: {file",
            message: "found the table `acounts`, expected accounts, entries, payees or payments; did you mean `accounts`?"),
        Broken(
            bank, "belongs: {_account: accounts}", "belongs: {_acount: accounts}", at: "_acount",
            message: "found the field `_acount`, expected a field that a row of entries has; did you mean `_account`?"),
        Broken(
            bank, "dates: {at: seconds}", "dates: {at: second}", at: "second",
            message: "found `second`, expected seconds, milliseconds, day or slashed; did you mean `seconds`?"),
        Broken(
            bank, "unit: major, lowest: 0", "unit: majr, lowest: 0", at: "majr",
            message: "found `majr`, expected major, minor or number; did you mean `major`?"),
        Broken(
            bank, "fixed_currency: GBP, unit: major", "fixed_currency: pounds, unit: major", at: "pounds",
            message: "found `pounds`, expected an ISO 4217 code such as GBP"),
        Broken(
            bank, "amounts: [balance], fixed_currency", "amounts: [balanec], fixed_currency", at: "balanec",
            message: "found the field `balanec`, expected a field that a row of accounts has; did you mean `balance`?"),
        Broken(bank, "lowest: 0", "lowest: nothing", at: "nothing", message: "found `nothing`, expected a whole number of minor units"),
    ]

    static let customers: [Broken] = [
        Broken(
            bank, "login: bob, password: berry", "login: ann, password: berry", at: "ann, password: berry",
            message: "found the customer `ann` a second time, expected each login once"),
        Broken(
            bank, "login: bob, password: berry", "login: bob", at: "{login: bob",
            message: "`password` is missing in a customer, but `signIn` needs one"),
        Broken(
            bank, "owns: {accounts: [b1]}", "owns: {accounts: [b2]}", at: "b2",
            message: "found the key `b2`, expected a row of accounts with that id; did you mean `a2`?", consequences: 1),
        Broken(
            bank, "owns: {accounts: [b1]}", "owns: {accounts: [b1], payees: [p1]}", at: "payees: [p1]",
            message: "found `owns` of payees, expected a table with `belongs: owner`: other tables ignore `owns`"),
        Broken(
            bank, "password: berry", "pasword: berry", at: "pasword",
            message: "unknown key `pasword` in a customer; did you mean `password`?",
            consequences: 1),
    ]

    static let operations: [Broken] = [
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, update: {row: {payees: {literal: p1}}}}\n  clock: {", at: "{row: {payees",
            message: "`with` is missing in update"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, update: {row: {payees: {literal: p1}}, with: {id: x}}}\n  clock: {",
            at: "{id: x}",
            message: "found `id`, the key of payees, expected other fields: a key never changes"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, update: {row: {accounts: {literal: a1}}, with: {balance: x}}}\n  clock: {",
            at: "{balance: x}", message: "found `balance`, the money of accounts, expected other fields: `move` moves money"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, delete: {payees: x, accounts: y}}\n  clock: {", at: "{payees: x",
            message: "found a mapping, expected one table and its row's key"),
        Broken(
            bank, "  clock: {", "  watch: {request: GET /x, stream: {tables: [entries, payes]}}\n  clock: {", at: "payes",
            message: "found the table `payes`, expected accounts, entries, payees or payments; did you mean `payees`?"),
        Broken(
            bank, "  clock: {", "  watch: {request: POST /x, stream: {tables: [entries]}}\n  clock: {", at: "{tables: [entries",
            message: "found `stream`, expected it in a GET operation with the status 200 that changes nothing"),
        Broken(
            bank, "  clock: {", "  watch: {request: GET /x, stream: {tables: [entries]}, reply: {a: b}}\n  clock: {",
            at: "{tables: [entries", message: "found `stream`, expected it without `reply` and `etag`: the response consists of events"),
        Broken(
            bank, "  clock: {", "  watch: {request: GET /x, stream: {tables: [entries], heartbeat: 10ms}}\n  clock: {",
            at: "10ms", message: "found `10ms`, expected 1s or more"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, quote: {row: {payees: x}, expires: until}}\n  clock: {", at: "{row: {payees",
            message: "found `quote`, expected it beside `move`: a quote is for a payment"),
        Broken(
            bank, "    status: 201", "    quote: {row: {payees: x}}\n    status: 201", at: "{row: {payees",
            message: "`expires` is missing in quote"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, cancel: {payees: x}}\n  clock: {", at: "change: {",
            message: "found `cancel` of payees in `change`, expected a table to which an operation with `move` adds rows"),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, delete: {payees: x}, if_match: {read: account}}\n  clock: {", at: "change: {",
            message:
                "found `if_match` in `change` with `read: account`, expected a GET operation of this bank with `etag: true`",
            consequences: 1),
        Broken(
            bank, "  clock: {", "  change: {request: PUT /x, delete: {payees: x}, if_match: {read: document}}\n  clock: {", at: "change: {",
            message: "found `if_match` in `change`, expected `precondition-failed` in its `refuse`: the dialect has no such response"),
        Broken(
            bank, "operations:\n", "events: {unit: major, lists: [{in: entries, side: payees, row: {id: x}}]}\noperations:\n",
            at: "payees, row",
            message: "found `payees`, expected accounts"),
        Broken(
            bank, "operations:\n",
            "events: {unit: major, lists: [{in: entries, side: accounts, row: {id: x, name: {event: nam}}}]}\noperations:\n", at: "nam}",
            message: "found `nam`, expected kind, name, reference or reason; did you mean `name`?"),
        Broken(
            bank, "operations:\n",
            "events: {unit: major, lists: [{in: entries, side: accounts, row: {id: x, way: {side: {debit: {move: id}, credit: in}}}}]}\n"
                + "operations:\n",
            at: "{move: id}", message: "found {move: …}, expected a fixed value; {move: signed} is an amount with a sign"),
        Broken(
            bank, "  payees: {file: payees.json, key: id}", "  payees: {file: payees.json, key: id}\n  outside: {key: id}", at: "outside",
            message: "found a table `outside`, expected another name: this one is for accounts of other banks"),
        Broken(
            bank, "operations:\n", "life: [{in: 3d, event: payment-in, account: a1, amount: \"1.00\"}]\noperations:\n", at: "{in: 3d",
            message: "found `payment-in`, expected a bank with `events`: till does not define how its lists show it"),
        Broken(
            bank, "operations:\n", "life: [{in: 3d, every: 1h, event: payment-returns}]\noperations:\n", at: "1h",
            message: "found `1h`, expected 1d or more, or `month`"),
        Broken(
            bank, "accounts: {body: to}}}", "accounts: {body: to}}, authorisation: {entries: 1d}}", at: "entries: 1d",
            message: "found authorisation: entries, expected a table of `to`: payees or accounts"),
        Broken(
            bank, "    status: 201", "    authorised: gone\n    status: 201", at: "gone",
            message: "found `gone`, expected the fields that change"),
        Broken(
            bank, "    status: 201", "    returned: 3\n    status: 201", at: "3\n", message: "found `3`, expected the fields that change"),
        Broken(
            bank, "GET /accounts, reply", "FETCH /accounts, reply", at: "FETCH",
            message: "found `FETCH /accounts`, expected a method and a path such as GET /accounts/{id}", consequences: 2),
        Broken(
            bank, "\"GET /accounts/{id}\"", "\"GET /accounts/{id\"", at: "\"GET /accounts/{id\"",
            message: "found `GET /accounts/{id`, expected a method and a path such as GET /accounts/{id}"),
        Broken(
            bank, "parent: {accounts: {path: id}}", "parent: {acounts: {path: id}}", at: "acounts: {path",
            message: "found the table `acounts`, expected accounts, entries, payees or payments; did you mean `accounts`?"),
        Broken(
            bank, "accounts: {request: GET /accounts,", "accounts: {request: GET /accounts, fresh: {within: 5m, for: {query: since}},",
            at: "{query: since}", message: "`older` is missing in for"),
        Broken(
            bank, "clock: {request: GET /clock, open: true,",
            "clock: {request: GET /clock, open: true, fresh: {within: 5m, for: {query: since, older: 90d}},",
            at: "{within: 5m", message: "found `fresh`, expected none: the operation requires no token"),
        Broken(
            bank, "scope: pay\n", "scope: pya\n", at: "pya", message: "found the scope `pya`, expected read or pay; did you mean `pay`?"),
        Broken(
            bank, "auth: {lifetime: 10m, scopes: [read, pay]", "auth: {lifetime: 10m, scopes: [read]", at: "pay\n    takes",
            message: "found the scope `pay`, expected read"),
        Broken(
            bank, "open: true, status: 302", "open: true, scope: read, status: 302", at: "read, status",
            message: "found a scope, expected none: the operation requires no token"),
        Broken(bank, "status: 302", "status: 99", at: "99", message: "found `99`, expected a whole number from 200 to 599"),
        Broken(
            bank, "key: dialect", "key: dialekt", at: "dialekt",
            message: "found `dialekt`, expected `dialect`, or the location of the key, such as {path: transferUid}"),
        Broken(
            bank, "{path: id}}}}\n  clock", "{path: id}}}}\n  payment2: {request: \"GET /payments/{x}\"}\n  clock", at: "payment2",
            message: "no request can match `payment2`: `payment` precedes it and also matches GET /v1/payments/{x}"),
        Broken(
            bank, "accounts: {request: GET /accounts,", "accounts: {open: true, request: GET /accounts,", at: "accounts: {open",
            message: "`accounts` requires no token and reads accounts, which has rows of customers: it would never return a row"),
        Broken(
            bank, "from: {accounts: {body: from}}", "from: {payees: {body: from}}", at: "pay:\n    request",
            message: "found a move from payees in `pay`, expected a table with `holds`: its rows have no money", consequences: 1),
        Broken(
            bank, "insert: {payments: {id:", "insert: {payments: {idd:", at: "{idd",
            message: "`id` is missing in the inserted row: it is the key of payments"),
        Broken(
            bank, "reply: {inserted: payments}", "reply: {inserted: accounts}", at: "accounts}\n    business",
            message: "found the row inserted into `accounts`, expected payments, the table of `insert`"),
        Broken(
            bank, "business_failure: {done: false", "busines_failure: {done: false", at: "busines_failure",
            message: "unknown key `busines_failure` in the operation `pay`; did you mean `business_failure`?"),
        Broken(
            bank, "locked: {status: 423", "loked: {status: 423", at: "loked",
            message:
                "found `loked`, expected wrong-login, locked, malformed, invalid-grant, invalid-scope, invalid-client, unauthorized-client, precondition-failed, precondition-required, not-pending, quote-ended, account-closed, wrong-consent, challenged, wrong-code or challenge-ended; did you mean `locked`?"
        ),
        Broken(
            bank, "reply: {file: document.json}", "reply: {file: documents.json}", at: "documents.json",
            message: "found `documents.json`, expected a file Stubs/till/documents.json"),
        Broken(
            bank, "reply: {file: document.json}", "reply: {file: /etc/hostname}", at: "/etc",
            message: "found `/etc/hostname`, expected a path inside the bank's folder"),
        Broken(
            bank, "reply: {file: document.json}", "reply: {files: picture, name: {query: n}}", at: "picture",
            message: "found `picture`, expected a folder Stubs/till/picture"),
        Broken(
            bank, "Cache-Control: max-age=60", "Cache Control: max-age=60", at: "Cache Control",
            message: "found `Cache Control`, expected a header's name (RFC 9110 §5.6.2)"),
        Broken(
            bank, "Cache-Control: max-age=60", "Cache-Control: \"max-age=60\\r\\nSet-Cookie: a=b\"", at: "\"max-age=60",
            message: "found a line break or control character in the header Cache-Control, expected one line of text (RFC 9110 §5.5)"),
        Broken(
            bank, "grant: {revoke: {token", "grant: {revok: {token", at: "{revok",
            message: "found a mapping, expected password, refresh, revoke, code or client", consequences: 1),
    ]

    static let values: [Broken] = [
        Broken(
            bank, "row: accounts, where: {id: {path: id}}", "row: accounts, where: {id: {path: idd}}", at: "idd",
            message: "found the path's `idd`, expected id; did you mean `id`?"),
        Broken(
            bank, "row: accounts, where: {id: {path: id}}", "row: accounts, were: {id: {path: id}}", at: "were",
            message: "unknown key `were` in row; did you mean `where`?"),
        Broken(
            bank, "row: accounts, where: {id: {path: id}}", "row: accounts, where: {id: {joined: [ ]}}", at: "[ ]",
            message: "found a list, expected a list of at least one value"),
        Broken(
            bank, "row: accounts, where: {id: {path: id}}", "row: accounts, where: {uid: {path: id}}", at: "uid",
            message: "found the field `uid`, expected a field that a row of accounts has; did you mean `id`?"),
        Broken(
            bank, "{row: accounts, where: {id: {path: id}}", "{row: accounts, where: {id: {pth: id}}", at: "{pth",
            message:
                "found a mapping, expected a value or a mapping with body, challenge, customer, detail, form, header, html_escaped, joined, json_path, lacking, literal, now, of_request, openid, path, path_segment, query, random_text, token, url or uuid; did you mean `path`?"
        ),
        Broken(
            bank, "row: accounts, where: {id: {path: id}}", #"row: accounts, where: {id: {lacking: "scope} {scop}"}}"#, at: "\"scope}",
            message: "found `scope} {scop}`, expected a text with {scope} in it"),
        Broken(
            bank, "{accounts: {rows: accounts}}", "{accounts: {rows: acounts}}", at: "acounts",
            message: "found the table `acounts`, expected accounts, entries, payees or payments; did you mean `accounts`?"),
        Broken(
            bank, "{accounts: {rows: accounts}}", "{accounts: {rows: accounts, only: [nam]}}", at: "nam]",
            message: "found the field `nam`, expected a field that a row of accounts has; did you mean `name`?"),
        Broken(
            bank, "page: {style: cursor", "page: {style: curser", at: "curser",
            message: "found `curser`, expected cursor, page-number, since-id, link-header or offset; did you mean `cursor`?",
            consequences: 1),
        Broken(bank, "largest: 5}", "largest: 2}", at: "2}", message: "found `2`, expected a whole number from 3 to 100000"),
        Broken(
            bank, "where: {_account: {path: id}}\n", "where: {_account: {path: id}}\n        only: [id, _account]\n", at: "_account]",
            message: "found `_account`, expected a field without `_` before it: those are never sent"),
        Broken(
            bank, "size: 3, largest", "size: 0, largest", at: "0, largest", message: "found `0`, expected a whole number from 1 to 100000"),
        Broken(
            bank, "        page: {style: cursor, cursor: cursor, limit: limit, size: 3, largest: 5}\n", "", at: "entries:\n    request",
            message: "found {page: …} in `entries`, expected rows with `page` in its `reply`"),
        Broken(
            bank, "next: {page: next}", "next: {page: last}", at: "last",
            message: "found `last`, expected next, address, more, total, pages or number"),
        Broken(
            bank, "{url: /v1/document.json}", "{url: \"/v1/{name}.json\"}", at: "\"/v1/{name}",
            message: "found the path's `name`, expected none: the path has no parameter"),
        Broken(
            bank, "takes: {json: [from, to, amount]}", "takes: {form: [from, to, amount]}", at: "amount}, unit",
            message: "found the body's `amount`, expected `takes: {json: […]}` in the operation", consequences: 5),
        Broken(
            bank, "_customer: {customer: login}", "_customer: {customer: nam}", at: "nam}",
            message: "found the customer's `nam`, expected login or name; did you mean `name`?"),
        Broken(
            bank, "{now: milliseconds}", "{now: millisecond}", at: "millisecond",
            message: "found `millisecond`, expected seconds, milliseconds, day or slashed; did you mean `milliseconds`?"),
        Broken(
            bank, "seconds: {token: lifetime}", "seconds: {token: life}", at: "life}",
            message: "found `life`, expected access, refresh, lifetime, scope, scopes, expires-at or type"),
    ]
}
