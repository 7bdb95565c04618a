package import BankModel

/// The body's compression is wrong, endless, or was not asked for (RFC 9110 §8.4); its framing is right.
package struct GzipFault: ExchangeFault {
    package static let kind = "gzip"
    package static let about =
        "sends compression that is mislabelled (`lies`), cut short, expands enormously (`bomb`), or was not requested (`unasked`)"
    package static let effects: Set<FaultEffect> = [.changesContent]
    package static let example = #"{"how": "bomb"}"#
    package static let fields: [any AnyField] = [how, mislabel, BodyPosition.at, bytes]
    package let point = FaultPoint.body

    private static let how = Field(
        required: "how", .choice(of: Way.self),
        "`lies`: the header does not match the body; `cut`: the stream ends early with valid framing, before all of the text can be "
            + "unpacked; `bomb`: a small body that expands to `bytes`; `unasked`: valid compression, whatever the request accepts")
    private static let mislabel = Field(
        "says", .choice(of: Mislabel.self), default: .gzip, "with `lies`: `gzip` over plain text, or `nothing` over a compressed body")
    private static let bytes = Field(
        "bytes", .int(in: 1 << 20...4 << 30), default: usualBytes,
        "with `bomb`: the expanded size in bytes, reached with spaces after the text")

    private static let usualBytes = 256 << 20

    /// The kind of mistake.
    package enum Way: String, Sendable, CaseIterable {
        case mislabelled = "lies"
        case cut, bomb, unasked
    }

    /// The value of `Content-Encoding` over the wrong body.
    package enum Mislabel: String, Sendable, CaseIterable {
        case gzip, nothing
    }

    private let way: Way
    private let mislabel: Mislabel
    private let position: BodyPosition
    private let size: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let way = fields[Self.how]
        let (mislabel, position, size) = (fields[Self.mislabel], fields[BodyPosition.at], fields[Self.bytes])
        guard let way, let mislabel, let position, let size else { return nil }
        let foreign = [(Self.mislabel.key, Way.mislabelled), (BodyPosition.at.key, .cut), (Self.bytes.key, .bomb)].first { key, of in
            of != way && fields.keys.contains(key)
        }
        if let (key, of) = foreign {
            complaints.add(
                found: "`\(key)` with `how: \(way.rawValue)`", expected: "`\(key)` only with `how: \(of.rawValue)`",
                at: fields.node.position)
            return nil
        }
        self.way = way
        self.mislabel = mislabel
        self.position = position
        self.size = size
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        _ = try outgoing.bodyCount()
        let plain = outgoing.shownBody
        let coded: [UInt8]
        switch way {
        case .mislabelled: coded = mislabel == .gzip ? plain : ContentCoding.gzip.coded(plain)
        case .unasked: coded = ContentCoding.gzip.coded(plain)
        case .bomb: coded = ContentCoding.expanding(plain, to: size)
        case .cut:
            let whole = ContentCoding.gzip.coded(plain)
            coded = Array(whole[..<min(try position.offset(in: whole.count), ContentCoding.longestPart(of: whole))])
        }
        if way == .mislabelled, mislabel == .nothing {
            outgoing.headers.removeAll { $0.name.isHeaderName("content-encoding") }
        } else {
            outgoing.setHeader("Content-Encoding", ContentCoding.gzip.rawValue)
        }
        outgoing.replaceBytes(coded, shown: plain)
    }

    package var settings: JSON {
        var object = JSONObject([Self.how.member(way)])
        switch way {
        case .mislabelled: object.set(Self.mislabel, mislabel)
        case .cut: object.set(BodyPosition.at, position)
        case .bomb: object.set(Self.bytes, size)
        case .unasked: break
        }
        return .object(object)
    }
}
