package import BankFiles

extension BankLibrary {
    /// A folder `Stubs` in memory, of files by their paths from there.
    package init(inMemory given: [String: [UInt8]]) {
        let files = Dictionary(uniqueKeysWithValues: given.map { ("Stubs/\($0.key)", $0.value) })
        self.init(
            folder: "Stubs",
            files: FileReader(
                read: { files[$0] },
                list: { folder in
                    let names = files.keys.filter { $0.hasPrefix(folder + "/") }.compactMap {
                        $0.dropFirst(folder.count + 1).split(separator: "/").first
                    }
                    return names.isEmpty ? nil : Set(names.map(String.init)).sorted()
                }))
    }
}

/// Banks in memory, so that a test defines its bank and nothing else.
package struct TestFiles: Sendable, Equatable {
    package var files: [String: String]

    package init(_ files: [String: String] = TestFiles.till) { self.files = files }

    /// The files as a folder `Stubs`.
    package var library: BankLibrary {
        BankLibrary(inMemory: files.mapValues { Array($0.utf8) })
    }

    /// The files with one of them changed. If the file does not have the text, the test ends: it would be about an unchanged bank.
    package func replacing(_ file: String, _ old: String, with new: String) -> TestFiles {
        let text = files[file] ?? ""
        precondition(text.contains(old), "found no `\(old)` in \(file)")
        var copy = self
        copy.files[file] = text.replacing(old, with: new)
        return copy
    }

    /// A small bank with all that the core can do, and its own dialect.
    package static let till: [String: String] = [
        "till/bank.yaml": """
        bank: till
        about: A small bank for tests.
        base: /v1
        dialect: terse
        operations_of_a_client: [login, accounts, transactions, pay]
        defaults: {pay: {from: a1, to: p1, currency: GBP}}
        tables:
          accounts:
            file: accounts.json
            key: id
            belongs: owner
            holds: {amounts: [balance], fixed_currency: GBP, unit: major, lowest: 0}
          entries: {file: entries.json, key: id, order: -at, belongs: {_account: accounts}, dates: {at: seconds}}
          payees: {file: payees.json, key: id}
          payments: {key: id, belongs: {_customer: customer}}
        customers:
        - {login: ann, password: apple, owns: {accounts: [a1, a2]}, profile: {name: Ann}}
        - {login: bob, password: berry, owns: {accounts: [b1]}, profile: {name: Bob}}
        - {login: cat, password: cherry, locked: true}
        auth: {lifetime: 10m, scopes: [read, pay], refresh: 1d}
        roles: {login: [signIn], refresh: [renew], logout: [revoke], accounts: [accounts], transactions: [entries], pay: [pay]}
        operations:
          signIn:
            request: POST /token
            open: true
            when: {form: {grant_type: password}}
            takes: {form: [username, password]}
            grant: {password: {user: {form: username}, password: {form: password}, scope: {form: scope}}}
            reply: {access: {token: access}, refresh: {token: refresh}, seconds: {token: lifetime}, scope: {token: scope}}
            refuse:
              wrong-login: {status: 401, body: {error: wrong}}
              locked: {status: 423, body: {error: locked}}
          renew:
            request: POST /token
            open: true
            when: {form: {grant_type: refresh_token}}
            takes: {form: [refresh_token]}
            grant: {refresh: {token: {form: refresh_token}}}
            reply: {access: {token: access}, refresh: {token: refresh}}
            refuse: {invalid-grant: {status: 400, body: {error: invalid_grant}}}
          revoke:
            request: POST /revoke
            open: true
            takes: {form: []}
            grant: {revoke: {token: {form: token}}}
          accounts: {request: GET /accounts, reply: {accounts: {rows: accounts}}}
          account: {request: "GET /accounts/{id}", reply: {row: accounts, where: {id: {path: id}}}}
          entries:
            request: GET /accounts/{id}/entries
            scope: read
            parent: {accounts: {path: id}}
            reply:
              entries:
                rows: entries
                where: {_account: {path: id}}
                between: {field: at, from: {query: from}, to: {query: to}}
                page: {style: cursor, cursor: cursor, limit: limit, size: 3, largest: 5}
              next: {page: next}
          pay:
            request: POST /payments
            scope: pay
            takes: {json: [from, to, amount]}
            key: dialect
            move: {amount: {body: amount}, unit: major, currency: {literal: GBP}, from: {accounts: {body: from}}, to: {payees: {body: to}, accounts: {body: to}}}
            insert: {payments: {id: {uuid: "pay-"}, _customer: {customer: login}, amount: {body: amount}, at: {now: seconds}}}
            status: 201
            reply: {inserted: payments}
            business_failure: {done: false, amount: {body: amount}}
          payment: {request: "GET /payments/{id}", reply: {row: payments, where: {id: {path: id}}}}
          clock: {request: GET /clock, open: true, reply: {now: {now: milliseconds}, id: {uuid: ""}}}
          document: {request: GET /document.json, open: true, reply: {file: document.json}, etag: true, headers: {Cache-Control: max-age=60}}
          elsewhere: {request: GET /elsewhere, open: true, status: 302, headers: {Location: {url: /v1/document.json}}}
        """,
        "till/accounts.json": """
        [{"id": "a1", "name": "Current", "balance": "100.00"}, {"id": "a2", "name": "Savings", "balance": "5.50"},
         {"id": "b1", "name": "Bob's", "balance": "7.00"}]
        """,
        "till/entries.json": """
        [{"id": "e1", "_account": "a1", "at": "@-9d08:00", "amount": 12.00}, {"id": "e2", "_account": "a1", "at": "@-2d09:15", "amount": -3.50},
         {"id": "e3", "_account": "a1", "at": "@-2d09:15", "amount": 1e2}, {"id": "e4", "_account": "a1", "at": "@-1d23:59", "amount": 0.05},
         {"id": "e5", "_account": "b1", "at": "@-1d10:00", "amount": 1}, {"id": "e6", "_account": "a1", "at": "@0d00:00", "amount": 2}]
        """,
        "till/payees.json": "[{\"id\": \"p1\", \"name\": \"Grocer\"}]",
        "till/document.json": "{ \"odd\" :  12.00,\n\"spacing\": true }\n",
        "dialects/terse.yaml": """
        dialect: terse
        about: Short words, for tests.
        content_type: application/json
        headers: {Cache-Control: no-store}
        request_id: X-Request-Id
        idempotency:
          key: {header: Idempotency-Key}
          required: true
          quoted: either
          longest: 40
          window: 24h
          stored: executed
          marker: {Idempotent-Replayed: "true"}
        replies:
          no-credentials: {status: 401, headers: {WWW-Authenticate: Bearer}, body: {error: no-credentials}}
          token-rejected: {status: 401, headers: {WWW-Authenticate: 'Bearer error="invalid_token"'}, body: {error: token-rejected}}
          token-expired: {status: 401, body: {error: token-expired}}
          scope-refused: {status: 403, body: {error: scope-refused}}
          step-up: {status: 403, body: {error: step-up}}
          consent-expired: {status: 403, body: {error: consent-expired}}
          not-found: {status: 404, body: {error: not-found, detail: {detail: nothing here}}}
          bad-request: {status: 400, body: {error: bad-request, detail: {detail: not understood}}}
          key-missing: {status: 400, body: {error: key-missing}}
          key-mismatch: {status: 422, body: {error: key-mismatch}}
          key-in-flight: {status: 409, body: {error: key-in-flight}}
          rate-limited: {status: 429, body: {error: rate-limited}}
          maintenance: {status: 503, body: {error: maintenance}}
          internal-error: {status: 500, body: {error: internal-error}}
          insufficient-funds: {status: 422, body: {error: insufficient-funds}}
          cursor-expired: {status: 400, body: {error: cursor-expired}}
        """,
    ]
}
