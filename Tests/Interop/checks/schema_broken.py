"""For each schema, files with one fault each, which it must reject, and what it must take."""

CASE = """contract: 1
suite: pay
cases:
- id: pay.once
  why: Nothing is paid twice.
  needs: [login, pay]
  steps: [login, {pay: {intent: A, amount: "10.00"}}]
  expect: [{step: 2, outcome: ok}]
"""


def case(old, new):
    """The valid case with one piece replaced."""
    assert old in CASE, old
    return CASE.replace(old, new)


BANK = """bank: till
about: A payment.
dialect: plain
tables:
  accounts: {file: accounts.json, key: id, belongs: owner, holds: {amounts: [balance], fixed_currency: GBP, unit: major, lowest: 0}}
customers: [{login: ava, password: correct-horse, owns: {accounts: [a1]}}]
auth: {lifetime: 15m, scopes: [pay]}
roles: {pay: [pay]}
operations:
  pay:
    request: POST /payments
    scope: pay
    when: {query: {type: null}}
    takes: {json: [to, amount]}
    move: {amount: {body: amount}, unit: major, currency: GBP, from: {accounts: a1}, to: {accounts: {body: to}}}
    reply: {id: {uuid: "pay-"}}
    refuse: {malformed: {status: 422, body: {code: odd}}}
"""

DIALECT = """dialect: mine
about: As the plain one, but for some.
extends: plain
headers: {X-Api: "2"}
idempotency: {key: {header: Idempotency-Key}, longest: 40, window: ~, stored: {not: [429, 5xx]}}
magic: {amounts: {"6660101": insufficient-funds}}
replies: {not-found: {status: 410}, key-missing: {body: ~}}
"""


EXPECTED = """ava:
  accounts: {accounts: [{id: a1, name: Everyday, currency: GBP, balance: "120.50"}]}
  balance: {balance: "120.50", available: "-3.00", currency: GBP}
  transactions: {transactions: [{id: "4471", date: "@-3d09:15", description: "", amount: "-2.40", pending: false}]}
anyone: {atms: {atms: [{id: m1, lat: "51.4", lng: "-2.5"}]}}
"""


def bank(old, new):
    """The valid bank with one piece replaced."""
    assert old in BANK, old
    return BANK.replace(old, new)


def expected(old, new):
    """The valid views with one piece replaced."""
    assert old in EXPECTED, old
    return EXPECTED.replace(old, new)


def dialect(old, new):
    """The valid dialect with one piece replaced."""
    assert old in DIALECT, old
    return DIALECT.replace(old, new)


RULES = [
    "fault: clsoe",
    "fault: {clsoe: {}}",
    "fault: {close: {}, reset: {}}",
    "fault: status",
    "fault: {status: {}}",
    "fault: {status: {status: 99}}",
    "fault: {status: {status: 503, body: a, body_hex: ff}}",
    "fault: {lose-reply: {by: accident}}",
    "fault: {lose-reply: {by: close, at: 3}}",
    "fault: {slow: {chunks: 3}}",
    "fault: {slow: {bytes_per_second: 100, chunks: 3, over: 1s}}",
    "fault: {delay: {fixed: 300}}",
    "fault: {delay: {fixed: 300ms, until: released}}",
    "fault: {delay: {uniform: {from: 1s}}}",
    "fault: {truncate: {at: half}}",
    "fault: {redirect: {to: nowhere}}",
    "fault: {date-skew: {by: 3 hours}}",
    "fault: {close: {}, after: soon}",
    "on: {role: pay}",
    "{fault: close, on: {rôle: pay}}",
    "{fault: close, on: {role: payer}}",
    "{fault: close, on: {attempt: 0}}",
    "{fault: close, nth: 0}",
    "{fault: close, probability: 1.5}",
    "{fault: close, probability: {from: 0, to: 1}}",
    "{fault: close, ttl: 30}",
    "{fault: close, tims: 1}",
    "[{fault: close}]",
]

# Without the faults: what it is that the broken ones are rejected for.
VALID = {
    "schemas/api.schema.json": [
        "{}\n",
        "hosts: [bank.example]\npays: [POST /v1/orders]\nkey: {header: X-Request-Id}\nrejected: {status: [401]}\n",
    ],
    "schemas/bank.schema.json": [BANK],
    "schemas/expected.schema.json": [EXPECTED],
    "schemas/dialect.schema.json": [DIALECT],
    "schemas/rule.schema.json": ["fault: close\n", "{fault: {status: {status: 503}, after: released}, on: {role: pay}, nth: 1}\n"],
    "schemas/plan.schema.json": ["about: A rule.\nentries:\n- rules: [{fault: close}]\n"],
    "schemas/contract.schema.json": [CASE],
    "schemas/bugs.schema.json": [
        "contract: 1\nbugs:\n- {id: a, bug: B., where: [square/okhttp#9726, a/b PR#1, KTOR-6569, 'https://example.org/1']}\n",
    ],
    "schemas/invariants.schema.json": ["contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: never-dies}\n"],
}

BROKEN = {
    "schemas/api.schema.json": [
        "host: bank.example\n",
        "hosts: []\n",
        "pays: POST /v1/orders\n",
        "pays: [/v1/orders]\n",
        "rejected: {status: [all]}\n",
    ],
    "schemas/bank.schema.json": [
        bank("about: A payment.\n", ""),
        bank("dialect: plain\n", ""),
        bank("dialect:", "dialcet:"),
        bank("unit: major, lowest", "unit: pounds, lowest"),
        bank("fixed_currency: GBP, ", ""),
        bank("lowest: 0", "lowest: none"),
        bank("login: ava, ", ""),
        bank("lifetime: 15m", "lifetime: soon"),
        bank("roles: {pay:", "roles: {payment:"),
        bank("    request: POST /payments\n", ""),
        bank("request:", "requset:"),
        bank("when: {query:", "when: {qurey:"),
        bank("takes: {json: [to, amount]}", "takes: {json: [to], form: [to]}"),
        bank("{body: amount}", "{bdoy: amount}"),
        bank("{malformed:", "{malfromed:"),
        bank("status: 422", "status: 999"),
        bank("reply:", "status: 99\n    reply:"),
        bank("reply:", "etag: perhaps\n    reply:"),
        bank("reply:", "grant: {password: {user: ava}}\n    reply:"),
    ],
    "schemas/expected.schema.json": [
        expected("  transactions: {tran", "  transaction: {tran"),
        expected("{transactions: [", "{transaction: ["),
        expected("id: a1, ", ""),
        expected('id: "4471"', "id: 4471"),
        expected('"120.50"}]}', "120.50}]}"),
        expected('"-3.00"', '"-3.00 GBP"'),
        expected("currency: GBP}\n", "currency: pounds}\n"),
        expected('"@-3d09:15"', '"three days ago"'),
        expected("pending: false", "pending: perhaps"),
        expected("name: Everyday", "nickname: Everyday"),
        expected('lat: "51.4"', "lat: 51.4"),
    ],
    "schemas/dialect.schema.json": [
        dialect("extends: plain", "extend: plain"),
        dialect("longest: 40", "longest: 0"),
        dialect("longest: 40", "longst: 40"),
        dialect("window: ~", "window: soon"),
        dialect("{not: [429, 5xx]}", "{but: [429]}"),
        dialect("insufficient-funds", "no-funds"),
        dialect("not-found:", "not-fond:"),
        dialect("status: 410", "status: 99"),
        dialect("about", "more_digits: some\nabout"),
    ],
    "schemas/rule.schema.json": [rule + "\n" for rule in RULES],
    "schemas/plan.schema.json": [
        "about: Nothing happens.\n",
        "entries: [{tokens: expire}]\n",
        "about: Nothing happens.\nentries: []\n",
        "about: Nothing happens.\nentries: [{for: 3m}]\n",
        "about: A slip.\nsede: 7\nentries: [{tokens: expire}]\n",
        "about: A seed.\nseed: many\nentries: [{tokens: expire}]\n",
        "about: A clock.\nclock: wall\nentries: [{tokens: expire}]\n",
        "about: A length.\nentries: [{for: 3, tokens: expire}]\n",
        "about: Tokens.\nentries: [{tokens: revoke}]\n",
        *[f"about: A rule.\nentries:\n- rules: [{rule if rule[0] in '{[' else '{' + rule + '}'}]\n" for rule in RULES],
    ],
    "schemas/contract.schema.json": [
        case("contract: 1", "contract: 2"),
        case("suite: pay\n", ""),
        case("  why: Nothing is paid twice.\n", ""),
        case("  expect: [{step: 2, outcome: ok}]\n", ""),
        case("expect: [{step: 2, outcome: ok}]", "expect: []"),
        case("  needs", "  nedes: 1\n  needs"),
        case("  needs", "  level: may\n  needs"),
        case("[login, pay]", "[login, paid]"),
        case("  needs", "  features: [teleport]\n  needs"),
        case("  needs", "  foreach: {body: files/*}\n  needs"),
        case("  needs", "  matrix: {by: close}\n  needs"),
        case("  needs", "  exempt: {bounded: why}\n  needs"),
        case("  needs", "  given: {protocol: h3}\n  needs"),
        case("  needs", "  given: {timeouts: {total_ms: 0}}\n  needs"),
        case("  needs", "  given: {clock: {mode: frozen}}\n  needs"),
        case("[login, ", "[sign-in, "),
        case('{intent: A, amount: "10.00"}', "{amount: \"10.00\"}"),
        case('{intent: A, amount: "10.00"}', '{intent: A, amount: "10.00", note: x}'),
        case('"10.00"', "10.00"),
        case("[login, ", "[login, pay, "),
        case("[login, ", "[{login: {}, logout: {}}, "),
        case("[login, ", "[{advance: 3}, "),
        case("[login, ", "[{connections: hot}, "),
        case("[login, ", "[{tokens: lose}, "),
        case("[login, ", "[{fault: clsoe}, "),
        case("[login, ", "[{fault: close, nth: first}, "),
        case("[login, ", "[{fault: stop, times: 1}, "),
        case("[login, ", "[{together: [restart]}, "),
        case("[login, ", "[{kill: {during: accounts, at: commit}}, "),
        case("[login, ", "[{kill: {during: pay}}, "),
        case("[login, ", '[{login: {}, label: "two words"}, '),
        case("{step: 2, outcome: ok}", "{stpe: 2}"),
        case("outcome: ok", "outcome: fine"),
        case("outcome: ok", "error: fatal"),
        case("outcome: ok", "any: [{outcome: ok}], stale: true"),
        case("outcome: ok", "within: 3"),
        case("{step: 2, outcome: ok}", "{fired: 0}"),
        case("{step: 2, outcome: ok}", "{never: {sends: letters}}"),
        case("{step: 2, outcome: ok}", "{never: {to: clear}}"),
        case("{step: 2, outcome: ok}", "{ledger: {A: twice}}"),
        case("{step: 2, outcome: ok}", "{requests: {role: pay}}"),
        case("{step: 2, outcome: ok}", "{same: [key], across: intent}"),
        case("{step: 2, outcome: ok}", "{distinct: [keys], across: intent}"),
        case("{step: 2, outcome: ok}", "{disk: {}}"),
        case("{step: 2, outcome: ok}", '{disk: {mode: "rw-"}}'),
        case("{step: 2, outcome: ok}", "{log: {lacks: secrets}}"),
        case("{step: 2, outcome: ok}", "{url: {}}"),
        case("{step: 2, outcome: ok}", "{order: [login]}"),
        case("{step: 2, outcome: ok}", "{gap: {role: pay}}"),
        case("{step: 2, outcome: ok}", "{key: {format: short}}"),
    ],
    "schemas/bugs.schema.json": [
        "contract: 1\n",
        "contract: 1\nbugs:\n- {id: a, bug: B.}\n",
        "contract: 1\nbugs:\n- {id: a, bug: B., where: []}\n",
        "contract: 1\nbugs:\n- {id: a, bug: B., where: [okhttp#9726]}\n",
        "contract: 1\nbugs:\n- {id: a, bug: B., where: [KTOR-6569], because: C.}\n",
    ],
    "schemas/invariants.schema.json": [
        "contract: 1\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B.}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: always}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: bounded}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: {bounded: {requests: 100}}}\n",
        'contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: {files-private: {mode: "600"}}}\n',
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: never-dies, until: friday}\n",
    ],
}
