package import BankModel

/// One API call of a bank: the request it answers, what it does, and the shape of its reply.
package struct Operation: Sendable {
    package var name: String
    package var roles: [Role]
    package var method: String
    /// With the bank's base.
    package var path: PathTemplate
    /// What tells it apart from others on the same method and path; all must hold.
    package var when: [Condition]
    package var access: Access
    /// What only a fresh sign-in may see.
    package var fresh: Freshness?
    /// Rows that must be there and visible to the customer; else the reply is `not-found`.
    package var parents: [Parent]
    package var body: BodyRule?
    /// Where the idempotency key is; nil: the operation has none.
    package var key: ValueSource?
    package var grant: Grant?
    package var move: Move?
    package var insert: Insert?
    package var status: Int
    /// They override the dialect's of the same name.
    package var headers: [HeaderTemplate]
    package var reply: ReplyBody
    /// An `ETag` is sent, and `If-None-Match` answered with 304 (RFC 9110 §13.1.2).
    package var etag: Bool
    /// The reply with which a success by its status says no; what the fault `business-failure` sends.
    package var businessFailure: Template?
    /// Replies of its own in place of the dialect's.
    package var refusals: [Refusal: ReplyTemplate]

    package init(name: String, method: String, path: PathTemplate) {
        self.name = name
        self.method = method
        self.path = path
        roles = []
        when = []
        access = .open
        parents = []
        status = 200
        headers = []
        reply = .none
        etag = false
        refusals = [:]
    }

    /// What a caller must bring.
    package enum Access: Sendable, Hashable {
        case open
        /// A live token; with the scope, if one is named.
        case token(scope: String?)
    }

    /// A row that must be visible: the path's account, say.
    package struct Parent: Sendable {
        package var table: String
        package var key: ValueSource

        package init(table: String, key: ValueSource) {
            self.table = table
            self.key = key
        }
    }

    /// Old rows are for a while after the sign-in only; then they are refused with `step-up`, and the token stays good.
    package struct Freshness: Sendable {
        /// How long after the sign-in.
        package var within: Duration
        /// The query's field with the instant or day from which rows are asked for.
        package var query: String
        /// Rows of so long ago and more are old.
        package var older: Duration

        package init(within: Duration, query: String, older: Duration) {
            self.within = within
            self.query = query
            self.older = older
        }
    }

    /// What the body must be.
    package struct BodyRule: Sendable {
        package enum Form: String, Sendable, CaseIterable { case json, form }

        package var form: Form
        /// Dotted paths that must be there.
        package var required: [String]
        /// What the values at dotted paths of a JSON body must be, where they are there; checked in this order.
        package var kinds: [(path: String, kind: Kind)]

        package init(form: Form, required: [String], kinds: [(path: String, kind: Kind)] = []) {
            self.form = form
            self.required = required
            self.kinds = kinds
        }

        /// What the value at a dotted path must be; nil if that is not told.
        package func kind(of path: String) -> Kind? { kinds.first { $0.path == path }?.kind }

        /// A kind of JSON; null is of none.
        package enum Kind: String, Sendable, CaseIterable {
            case text, number
            /// A number without a fraction.
            case whole
            /// true or false
            case flag
            case list, object

            /// Whether the value is of this kind.
            package func fits(_ value: JSON) -> Bool {
                switch (self, value) {
                case (.text, .string), (.number, .number), (.flag, .bool), (.list, .array), (.object, .object): true
                case (.whole, .number(let number)): number.int64 != nil
                default: false
                }
            }

            /// In a person's words.
            var words: String {
                switch self {
                case .text: "a text"
                case .number: "a number"
                case .whole: "a whole number"
                case .flag: "true or false"
                case .list: "a list"
                case .object: "an object"
                }
            }
        }
    }

    /// Makes or ends tokens.
    package enum Grant: Sendable {
        case password(user: ValueSource, password: ValueSource, scope: ValueSource?)
        case refresh(token: ValueSource, scope: ValueSource?)
        case revoke(token: ValueSource)
    }

    /// Moves money between two rows that hold some.
    package struct Move: Sendable {
        package var amount: ValueSource
        package var unit: AmountUnit
        package var currency: ValueSource
        /// The first whose row is visible to the customer is meant.
        package var from: [Parent]
        package var to: [Parent]
        /// How long a movement to a row of that table is under way, by the session's clock; to others it settles at once.
        package var settles: [String: Duration] = [:]
        /// Rows that show the movement in the lists of its sides.
        package var lists: [Listing] = []

        package init(amount: ValueSource, unit: AmountUnit, currency: ValueSource, from: [Parent], to: [Parent]) {
            self.amount = amount
            self.unit = unit
            self.currency = currency
            self.from = from
            self.to = to
        }

        /// A row in a list, for each side of the movement that is of a table.
        package struct Listing: Sendable {
            /// Where the row is added.
            package var table: String
            /// The table of the side.
            package var side: String
            package var row: Template
            package var stages: RowStages

            package init(table: String, side: String, row: Template, stages: RowStages) {
                self.table = table
                self.side = side
                self.row = row
                self.stages = stages
            }
        }
    }

    /// Adds a row to a table.
    package struct Insert: Sendable {
        package var table: String
        /// An object; the row's key is among its fields.
        package var row: Template
        /// What becomes of it when the operation's movement ends.
        package var stages: RowStages

        package init(table: String, row: Template, stages: RowStages = RowStages(settled: .same, rejected: .same)) {
            self.table = table
            self.row = row
            self.stages = stages
        }
    }

    /// Situations for which an operation may have a reply of its own.
    package enum Refusal: String, Sendable, CaseIterable, Hashable {
        /// User name or password is wrong.
        case wrongLogin = "wrong-login"
        case locked
        /// The body is not what it must be.
        case malformed
        /// The refresh token is unknown, used, expired or revoked.
        case invalidGrant = "invalid-grant"
        case invalidScope = "invalid-scope"
    }
}

/// What becomes of a row when the movement that it shows ends.
package struct RowStages: Sendable {
    package var settled: Stage
    package var rejected: Stage

    package init(settled: Stage, rejected: Stage) {
        self.settled = settled
        self.rejected = rejected
    }

    package enum Stage: Sendable {
        /// It stays as it is.
        case same
        /// These members of it change; an object.
        case with(Template)
        /// It goes.
        case gone
    }
}

/// A path with named parts, such as `/v1/accounts/{id}`.
package struct PathTemplate: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
        /// `{name}.png`: a parameter with text after it.
        case parameterWithSuffix(String, suffix: String)
    }

    package var parts: [Part]

    /// Reads the path; nil unless it begins with `/` and its braces are balanced.
    package init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        parts = []
        for piece in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard piece.contains(where: { $0 == "{" || $0 == "}" }) else {
                parts.append(.literal(String(piece)))
                continue
            }
            guard piece.hasPrefix("{"), let end = piece.firstIndex(of: "}") else { return nil }
            let name = String(piece[piece.index(after: piece.startIndex)..<end])
            let suffix = String(piece[piece.index(after: end)...])
            guard !name.isEmpty, !suffix.contains(where: { $0 == "{" || $0 == "}" }) else { return nil }
            parts.append(suffix.isEmpty ? .parameter(name) : .parameterWithSuffix(name, suffix: suffix))
        }
    }

    /// The names of its parameters.
    package var parameters: [String] {
        parts.compactMap { part in
            switch part {
            case .literal: nil
            case .parameter(let name), .parameterWithSuffix(let name, _): name
            }
        }
    }
}
