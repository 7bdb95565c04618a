extension Evidence {
    /// A file of the client that a search for secrets left out, or searched only in part.
    package struct Unsearched: Sendable, Hashable {
        /// The file below the state directory.
        package var path: String
        /// The reason, such as `a pipe`.
        package var reason: String
        /// Whether the part that was not searched may hold a secret: nothing lies in a pipe, a socket or a device.
        package var mayHoldSecret: Bool
        /// The step after which the search was made; ``Finding/atEnd`` for the one after the case.
        package var after: Int

        package init(path: String, reason: String, mayHoldSecret: Bool, after: Int) {
            self.path = path
            self.reason = reason
            self.mayHoldSecret = mayHoldSecret
            self.after = after
        }

        /// Both in one line: `cache/pipe: a pipe`.
        package var text: String { "\(path): \(reason)" }
    }

    /// A secret text that was found where it must not stand.
    package struct Finding: Sendable, Hashable {
        /// A token's id, the field's name and a number for what the bank served, `password#` and a number.
        package var token: String
        package var kind: Kind
        package var place: Place
        /// The file below the state directory, `stderr`, or the exchange or step whose text it is.
        package var path: String
        /// How the text was written: `raw`, `base64`, `hex`, …
        package var encoding: String
        /// The step after which the scan was made; ``atEnd`` for the one after the case.
        package var after: Int
        /// Whether it was found while that step was under way.
        package var isDuring: Bool
        /// The permission bits of the file, if it is one.
        package var mode: Int?

        /// Where it is, in words that do not tell the secret: `token#1 is in session.json, base64`.
        var text: String { "\(token) is in \(path), \(encoding)" }

        /// The ``path`` of what the driver writes to its log.
        package static let log = "stderr"
        /// The value of ``after`` for the scan that is made when the client has ended the case.
        package static let atEnd = Int.max

        /// The kind of place.
        package enum Place: String, Sendable, Hashable {
            case disk
            /// The client's stderr, or the detail of an error.
            case log
            /// A request's path or query.
            case address
        }

        /// The kind of secret.
        package enum Kind: Sendable, Hashable {
            /// An access or refresh token.
            case token
            /// A text that the bank served in a field that it calls sensitive.
            case data
            case password
        }

        package init(
            token: String, kind: Kind = .token, place: Place, path: String, encoding: String, after: Int, isDuring: Bool = false
        ) {
            self.token = token
            self.kind = kind
            self.place = place
            self.path = path
            self.encoding = encoding
            self.after = after
            self.isDuring = isDuring
        }
    }
}
