"""For each schema, files with one fault each, which it must refuse, and what it must take."""

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
    """The sound case with one piece replaced."""
    assert old in CASE, old
    return CASE.replace(old, new)


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

# Without the faults: what it is that the broken ones are refused for.
SOUND = {
    "Stubs/rule.schema.json": ["fault: close\n", "{fault: {status: {status: 503}, after: released}, on: {role: pay}, nth: 1}\n"],
    "Stubs/plan.schema.json": ["about: A rule.\nentries:\n- rules: [{fault: close}]\n"],
    "Contracts/contract.schema.json": [CASE],
    "Contracts/invariants.schema.json": ["contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: never-dies}\n"],
}

BROKEN = {
    "Stubs/rule.schema.json": [rule + "\n" for rule in RULES],
    "Stubs/plan.schema.json": [
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
    "Contracts/contract.schema.json": [
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
    "Contracts/invariants.schema.json": [
        "contract: 1\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B.}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: always}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: bounded}\n",
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: {bounded: {requests: 100}}}\n",
        'contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: {files-private: {mode: "600"}}}\n',
        "contract: 1\ninvariants:\n- {id: invariant.a, why: B., holds: never-dies, until: friday}\n",
    ],
}
