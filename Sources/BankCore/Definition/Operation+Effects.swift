import BankModel

extension Operation {
    /// Moves money between two rows that hold a balance.
    package struct Move: Sendable {
        package var amount: ValueSource
        package var unit: AmountUnit
        package var currency: ValueSource
        /// The candidates; the first whose row is visible to the customer counts.
        package var from: [Parent]
        package var to: [Parent]
        /// The time that a movement to a row of that table is pending, by the session's clock; to others it settles at once.
        package var settles: [String: Duration] = [:]
        /// The time that a second person has to authorise a movement to a row of that table, by the session's clock; after it the movement
        /// is rejected. Others need nobody.
        package var authorisation: [String: Duration] = [:]
        /// Rows that show the movement in the lists of its sides.
        package var lists: [Listing] = []

        package init(amount: ValueSource, unit: AmountUnit, currency: ValueSource, from: [Parent], to: [Parent]) {
            self.amount = amount
            self.unit = unit
            self.currency = currency
            self.from = from
            self.to = to
        }

        /// A row in a list, for each side of the movement that belongs to a table.
        package struct Listing: Sendable {
            /// The table to which the row is added.
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
        /// The changes to the row when the operation's movement ends.
        package var stages: RowStages

        package init(table: String, row: Template, stages: RowStages) {
            self.table = table
            self.row = row
            self.stages = stages
        }
    }

    /// Changes a row.
    package struct Update: Sendable {
        /// The row; it must be visible to the customer.
        package var row: Parent
        /// An object: members that replace those of the row. One whose value is missing in the request stays as it is.
        package var changes: Template

        package init(row: Parent, changes: Template) {
            self.row = row
            self.changes = changes
        }
    }

    /// A quote that a payment may name: a row that fixes members of the request for a time, and is used once.
    package struct Quote: Sendable {
        /// The row; a request that names none is executed without a quote.
        package var row: Parent
        /// The row's field with the instant from which it is no longer valid, as a dotted path.
        package var expires: String
        /// The row's fields, and the values of the request that must be the same.
        package var fixes: [RowsQuery.Filter]

        package init(row: Parent, expires: String, fixes: [RowsQuery.Filter]) {
            self.row = row
            self.expires = expires
            self.fixes = fixes
        }
    }

    /// Evaluates `If-Match` (RFC 9110 §13.1.1): the effects take place only if the client knows the latest representation.
    package struct IfMatch: Sendable, Hashable {
        /// The operation whose response, to the same parameters of the path, has the entity tag.
        package var read: String
        /// Whether the request must have the header (RFC 6585 §3).
        package var isRequired: Bool

        package init(read: String, isRequired: Bool) {
            self.read = read
            self.isRequired = isRequired
        }
    }

    /// Registers a webhook, which belongs to the row that the operation adds: to delete that row removes the webhook.
    package struct Registration: Sendable {
        package var url: ValueSource
        /// What the receiver gets events about.
        package var about = Subject.session
        /// A list of names; nil, or a request without it, for all types.
        package var events: ValueSource?
        /// What a text with the names has in front of them, which commas separate; nil for a list of names.
        package var prefix: String?
        /// The bank's names of events, each with its types; if there are none, the types' own names are valid, and `*`.
        package var names: [String: Set<WebhookEvent.Kind>] = [:]

        package init(url: ValueSource) { self.url = url }

        /// What a receiver gets events about.
        package enum Subject: String, Sendable, CaseIterable {
            /// Everything that happens in the session. A request must have an address.
            case session
            /// The added row alone. A request without an address, or with one to which the server does not send, registers nothing; nor does
            /// one that names no event that the bank knows.
            case row
        }

        /// The names that a request may use.
        var knownNames: [String] { names.isEmpty ? WebhookEvent.Kind.names : names.keys.sorted() }

        /// The names in a request's value.
        func elements(of wanted: JSON) -> [JSON] {
            guard let prefix else { return wanted.array ?? [] }
            guard let text = wanted.string, text.hasPrefix(prefix) else { return [] }
            return text.dropFirst(prefix.count).split(separator: ",").map { .string($0.trimmed) }
        }

        /// Known names in the form in which a request has them; nil for all.
        func value(of wanted: [String]?) -> JSON {
            let shown = wanted ?? (names.isEmpty ? ["*"] : names.keys.sorted())
            guard let prefix else { return .array(shown.map(JSON.string)) }
            return .string(prefix + shown.joined(separator: ","))
        }

        /// The types of known names; nil for all.
        func types(of wanted: [String]?) -> Set<WebhookEvent.Kind>? {
            guard let wanted else { return names.isEmpty ? nil : Set(names.values.joined()) }
            var all: Set<WebhookEvent.Kind> = []
            for name in wanted {
                guard let types = names[name] ?? WebhookEvent.Kind(rawValue: name).map({ Set([$0]) }) else { return nil }
                all.formUnion(types)
            }
            return all
        }
    }

    /// The rows that a request to it names.
    package var namedRows: [Parent] {
        parents + [update?.row, delete, cancel, revoke, uses?.consent, quote?.row].compactMap { $0 } + (move.map { $0.from + $0.to } ?? [])
    }

    /// Whether it has an effect on money or rows.
    package var changesRows: Bool {
        move != nil || insert != nil || update != nil || delete != nil || cancel != nil || revoke != nil || uses != nil
    }
}

/// The changes to a row when the movement that it shows ends.
package struct RowStages: Sendable {
    package var settled = Stage.same
    package var rejected = Stage.same
    package var cancelled = Stage.same
    /// The members that change when it is authorised, or at once if it needs no authorisation; an object. Nil if none does.
    package var authorised: Template?
    /// What a return of the money changes: members of the operation's row, or those in which the list's new row differs from the
    /// row of the movement; an object. Nil if a return is not shown.
    package var returned: Template?

    package init() {}

    /// The row after its movement has ended in that state.
    func last(_ state: Movement.State) -> Stage {
        switch state {
        case .pendingAuthorisation, .accepted, .settled: settled
        case .rejected: rejected
        case .cancelled: cancelled
        }
    }

    package enum Stage: Sendable {
        /// The row remains as it is.
        case same
        /// These members of it change; an object.
        case with(Template)
        /// The row is removed.
        case gone
    }
}
