package import BankModel

/// The shape of a piece of JSON, with directives for the values.
package enum Template: Sendable {
    case literal(JSON)
    /// A member whose value is missing (an optional query, no next page) is left out.
    case object([(key: String, value: Template)])
    case array([Template])
    case value(ValueSource)
    indirect case rows(RowsQuery)
    /// One row; `not-found` if there is none.
    indirect case row(RowQuery)
    /// The row that the operation's `insert` added.
    case inserted(field: String?)
    /// A fact about the page that the rows of the response are; the other value, or none, if it is missing.
    case page(PageFact, default: JSON?)

    /// Whether it is a fact of the page whose rows are elsewhere in the response.
    var isOfPage: Bool {
        switch self {
        case .page: true
        case .object(let members): members.contains { $0.value.isOfPage } && !lists.contains { $0.paging != nil }
        case .literal, .array, .value, .rows, .row, .inserted: false
        }
    }

    /// The template and all that are in it, each before its parts.
    package var flattened: [Template] {
        switch self {
        case .object(let members): [self] + members.flatMap(\.value.flattened)
        case .array(let elements): [self] + elements.flatMap(\.flattened)
        case .literal, .value, .rows, .row, .inserted, .page: [self]
        }
    }

    /// The rows and lists that it shows, each by its table and filters, in order.
    package var queries: [(table: String, filters: [RowsQuery.Filter])] {
        flattened.compactMap { template -> (table: String, filters: [RowsQuery.Filter])? in
            switch template {
            case .rows(let query): return (query.table, query.filters)
            case .row(let query): return (query.table, query.filters)
            case .object, .array, .literal, .value, .inserted, .page: return nil
            }
        }
    }

    /// The tables whose rows it shows.
    package var tablesRead: Set<String> { Set(queries.map(\.table)) }

    /// The lists of rows that it shows, in order.
    package var lists: [RowsQuery] { flattened.compactMap { template in if case .rows(let query) = template { query } else { nil } } }
}

/// A fact about a page of rows.
package enum PageFact: String, Sendable, CaseIterable, Hashable {
    /// The text that names the next page: a cursor, a number, an offset; missing on the last page.
    case next
    /// The absolute address of the next page; missing on the last.
    case address
    /// Whether there is a next page.
    case more
    /// The number of rows of all pages.
    case total
    /// The number of pages.
    case pages
    /// The number of this page, from 1.
    case number
}

/// Selects rows of a table.
package struct RowsQuery: Sendable {
    package var table: String
    /// Dotted field equals value, compared as text.
    package var filters: [Filter]
    /// Filters that apply only if the request has their values.
    package var given: [Filter] = []
    package var between: Between?
    package var near: Near?
    package var paging: Paging?
    /// Only these fields are sent; nil means all but those that begin with `_`.
    package var only: [String]?

    package init(table: String) {
        self.table = table
        filters = []
    }

    package struct Filter: Sendable {
        package var field: String
        package var value: ValueSource

        package init(field: String, value: ValueSource) {
            self.field = field
            self.value = value
        }
    }

    /// Both ends included; a missing end is open.
    package struct Between: Sendable {
        package var field: String
        package var from: ValueSource?
        package var to: ValueSource?
        /// Whether a missing end is a bad request instead.
        package var required = false
        /// Whether an instant of the request is one of UTC, with any time zone or none (Open Banking UK, Read/Write API, Filtering).
        package var ignoresZone = false

        package init(field: String) { self.field = field }
    }

    /// The rows within a number of metres of `lat,lng`; all rows if both are missing.
    package struct Near: Sendable {
        package var point: ValueSource
        package var within: ValueSource
        package var latitude: String
        package var longitude: String

        package init(point: ValueSource, within: ValueSource, latitude: String, longitude: String) {
            self.point = point
            self.within = within
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}

/// One row of a table.
package struct RowQuery: Sendable {
    package var table: String
    package var filters: [RowsQuery.Filter] = []
    /// Only that dotted field of it.
    package var field: String?
    package var only: [String]?

    package init(table: String) { self.table = table }
}

/// The division of a long list into pages.
package struct Paging: Sendable {
    package enum Style: String, Sendable, CaseIterable {
        /// An opaque text that names the row after which the page begins.
        case cursor
        /// Pages are numbered from 1.
        case pageNumber = "page-number"
        /// The key of the last row seen.
        case sinceID = "since-id"
        /// As `cursor`, with the next page's address in the header `Link` (RFC 8288).
        case linkHeader = "link-header"
        /// The number of rows before the page.
        case offset
    }

    package var style: Style
    /// The name of the field that names the page: of the query, or a dotted path into the JSON body.
    package var cursor: String
    /// The field with the number of rows; nil if it is always `size`.
    package var limit: String?
    /// Whether the fields are in the JSON body, not in the query.
    package var isInBody = false
    package var size: Int
    package var largest: Int

    package init(style: Style, cursor: String, limit: String?, size: Int, largest: Int) {
        self.style = style
        self.cursor = cursor
        self.limit = limit
        self.size = size
        self.largest = largest
    }
}

/// A header's name and the source of its value.
package struct HeaderTemplate: Sendable {
    package var name: String
    package var value: ValueSource

    package init(_ name: String, _ value: ValueSource) {
        self.name = name
        self.value = value
    }
}

/// The body of a response.
package enum ResponseBody: Sendable {
    case none
    case json(Template)
    /// A text; the type is nil if it is sent without `Content-Type`.
    case text(ValueSource, contentType: String?)
    /// A whole file, byte for byte.
    case file(StaticFile)
    /// One of a folder's files, by name.
    case folder([String: StaticFile], name: ValueSource)
}

/// A file's bytes and type.
package struct StaticFile: Sendable, Hashable {
    package var bytes: [UInt8]
    /// Nil: sent without `Content-Type`.
    package var contentType: String?

    package init(bytes: [UInt8], contentType: String?) {
        self.bytes = bytes
        self.contentType = contentType
    }
}

/// A whole response: a dialect's, or an operation's own rejection.
package struct ResponseTemplate: Sendable {
    package var status: Int
    package var headers: [HeaderTemplate]
    /// Nil: no body.
    package var body: Template?
    package var contentType: String
    /// Whether the body is our own invention, as no source documents the bank's.
    package var invented: Bool

    package init(status: Int, headers: [HeaderTemplate], body: Template?, contentType: String, invented: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.contentType = contentType
        self.invented = invented
    }
}
