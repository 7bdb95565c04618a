import BankModel

/// A small bank to begin with: a login, two accounts and a payment, and comments that explain what to change.
package struct BankSkeleton: Sendable {
    /// The bank's name.
    package var name: String
    package var signIn: SignIn

    package init(name: String, signIn: SignIn = .password) {
        self.name = name
        self.signIn = signIn
    }

    /// How its customers sign in.
    package enum SignIn: String, Sendable, CaseIterable {
        /// The app sends name and password.
        case password
        /// On the bank's page, by authorization code with PKCE.
        case code
    }

    /// The bank's folder and its dialect.
    package var made: Imported {
        let description = Description(Node(.mapping([]), at: SourcePosition()), notes: ImportNotes())
        let key: JSON = ["key": ["header": "Idempotency-Key"], "required": true, "longest": 255, "stored": "executed", "window": "24h"]
        let dialect = DescribedDialect(name: name, description: description)
            .file(about: "The error responses of \(name).", contentType: "application/json", key: key)
        let files = [
            ImportFile("\(name)/bank.yaml", definition), dialect, ImportFile("\(name)/accounts.json", accounts),
            ImportFile("\(name)/transactions.json", transactions), ImportFile("\(name)/expected.yaml", expected),
        ]
        return Imported(files: files, warnings: [], operations: signIn == .code ? 8 : 5)
    }

    private var definition: String {
        """
        \(YAMLText.modeline(YAMLText.bankSchema))
        # A bank is this file, its fixtures, and dialects/\(name).yaml, which has its error responses. docs/bank-language.md describes every
        # key. After a change, run: counterfoil validate \(name)
        bank: \(name)
        about: Two accounts, their transactions, and a payment.
        base: /api                             # prefix of every path below
        dialect: \(name)
        operations_of_a_client: [\(clientOperations)]    # the operations that counterfoil test requests of a client
        defaults: {pay: {from: a1, to: a2, currency: GBP}, transactions: {account: a1}}
        tables:
          accounts:
            file: accounts.json
            key: id
            belongs: owner                     # visible to customers whose `owns` names the row
            holds: {amounts: [balance.amount], currency: balance.currency, unit: major, lowest: "0"}
          transactions:
            file: transactions.json
            key: id
            order: -booked_at                  # newest first
            belongs: {_account: accounts}      # fields that begin with _ are never sent
            dates: {booked_at: seconds}        # "@-1d09:15" is yesterday, whenever the bank starts
          payments: {key: id, belongs: {_customer: customer}}    # empty at first; `pay` adds rows
        customers:
          - {login: ava, password: correct-horse, owns: {accounts: [a1, a2]}}
          - {login: ben, password: battery-staple, owns: {accounts: [b1, b2]}}    # two accounts each: a payment needs two
        \(auth)
        roles:                                 # contracts refer to roles
          \(signIn == .code ? "refresh: [renew]" : "login: [login]")
          accounts: [accounts]
          transactions: [transactions]
          pay: [pay]
          payment_status: [payment]
        operations:
        \(signIn == .code ? codeOperations : passwordOperation)
          accounts:
            request: GET /accounts
            reply: {accounts: {rows: accounts}}
          transactions:
            request: GET /accounts/{id}/transactions
            parent: {accounts: {path: id}}     # another customer's account is not found
            reply:
              transactions: {rows: transactions, where: {_account: {path: id}}, page: {style: cursor, cursor: cursor, size: 20, largest: 100}}
              next: {page: next}
          pay:
            request: POST /payments
            takes: {json: [from, to, amount], kinds: {amount: text}}
            key: dialect                       # the header Idempotency-Key: a retry moves no money
            move: {amount: {body: amount}, unit: major, currency: GBP, from: {accounts: {body: from}}, to: {accounts: {body: to}}}
            insert: {payments: {id: {uuid: "pay-"}, _customer: {customer: login}, amount: {body: amount}, state: accepted}}
            status: 201
            reply: {inserted: payments}
            business_failure: {state: rejected}    # sent by the fault business-failure: a success status with a failure in the body
          payment:
            request: GET /payments/{id}        # to look up what became of a payment
            reply: {row: payments, where: {id: {path: id}}}

        """
    }

    private var clientOperations: String {
        "login, status, accounts, transactions, pay, resume" + (signIn == .code ? ", authorize_begin, authorize_finish" : "")
    }

    private var auth: String {
        guard signIn == .code else { return "auth: {lifetime: 15m}" }
        return """
            auth: {lifetime: 15m, refresh: 30d, rotation: always}
            sign_in:                               # customers sign in on the bank's page; docs/sign-in.md has the steps
              clients:
                app: {name: My app, redirects: ["app:/callback", "http://127.0.0.1/callback"]}    # public, so that PKCE is required
            """
    }

    private var passwordOperation: String {
        """
          login:
            request: POST /login
            open: true                         # needs no token
            takes: {json: [username, password]}
            grant: {password: {user: {body: username}, password: {body: password}}}
            reply: {token: {token: access}, expires_in: {token: lifetime}}
            refuse: {wrong-login: {status: 401, body: {code: wrong-login, message: The user name or the password is wrong.}}}
        """
    }

    private var codeOperations: String {
        """
          signInPage: {request: GET /oauth/authorize, open: true, sign_in: page}
          signInDecision: {request: POST /oauth/authorize, open: true, sign_in: decision}
          exchangeCode:
            request: POST /oauth/token
            when: {form: {grant_type: authorization_code}}
            open: true                         # needs no token
            takes: {form: [code]}
            grant: {code: {code: {form: code}, redirect: {form: redirect_uri}, verifier: {form: code_verifier}}}
            reply: {access_token: {token: access}, token_type: Bearer, expires_in: {token: lifetime}, refresh_token: {token: refresh}}
            refuse:
              invalid-grant: {status: 400, body: {error: invalid_grant}}
              invalid-client: {status: 400, body: {error: invalid_client}}
          renew:
            request: POST /oauth/token
            when: {form: {grant_type: refresh_token}}
            open: true
            takes: {form: [refresh_token]}
            grant: {refresh: {token: {form: refresh_token}}}
            reply: {access_token: {token: access}, token_type: Bearer, expires_in: {token: lifetime}, refresh_token: {token: refresh}}
            refuse: {invalid-grant: {status: 400, body: {error: invalid_grant}}}
        """
    }

    private var expected: String {
        """
        \(YAMLText.modeline(YAMLText.expectedSchema))
        # The expected results, per customer and operation, written by hand from the fixtures. Each is of the first account.
        ava:
          accounts:
            accounts:
              - {id: a1, name: Everyday, currency: GBP, balance: "1250.00"}
              - {id: a2, name: Savings, currency: GBP, balance: "300.00"}
          transactions:
            transactions:
              - {id: t1, date: "@-1d09:15", description: Tea House, amount: "-2.40", currency: GBP}
              - {id: t2, date: "@-3d18:00", description: Salary, amount: "1800.00", currency: GBP}
        ben:
          accounts:
            accounts:
              - {id: b1, name: Everyday, currency: GBP, balance: "48.20"}
              - {id: b2, name: Savings, currency: GBP, balance: "19.99"}
          transactions:
            transactions:
              - {id: t3, date: "@-2d12:30", description: Riverside Trams, amount: "-5.20", currency: GBP}

        """
    }

    private var accounts: String {
        """
        [
          {"id": "a1", "name": "Everyday", "balance": {"amount": "1250.00", "currency": "GBP"}},
          {"id": "a2", "name": "Savings", "balance": {"amount": "300.00", "currency": "GBP"}},
          {"id": "b1", "name": "Everyday", "balance": {"amount": "48.20", "currency": "GBP"}},
          {"id": "b2", "name": "Savings", "balance": {"amount": "19.99", "currency": "GBP"}}
        ]

        """
    }

    private var transactions: String {
        """
        [
          {"id": "t1", "_account": "a1", "booked_at": "@-1d09:15", "description": "Tea House", "amount": "-2.40", "currency": "GBP"},
          {"id": "t2", "_account": "a1", "booked_at": "@-3d18:00", "description": "Salary", "amount": "1800.00", "currency": "GBP"},
          {"id": "t3", "_account": "b1", "booked_at": "@-2d12:30", "description": "Riverside Trams", "amount": "-5.20", "currency": "GBP"}
        ]

        """
    }
}
