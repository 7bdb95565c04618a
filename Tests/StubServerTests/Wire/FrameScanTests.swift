import NIOCore
import Testing

@testable import StubServer

/// The frames of HTTP/2 in bytes that come in pieces.
@Suite struct FrameScanTests {
    private static func frame(_ kind: UInt8, flags: UInt8 = 0, payload: Int) -> [UInt8] {
        [0, 0, UInt8(payload), kind, flags, 0, 0, 0, 1] + [UInt8](repeating: 0xFF, count: payload)
    }

    private static let connection =
        [UInt8](repeating: 0x50, count: 24) + frame(FrameHead.settings, payload: 0) + frame(FrameHead.headers, payload: 3)
        + frame(FrameHead.continuation, flags: 4, payload: 2) + frame(FrameHead.data, payload: 5) + frame(FrameHead.headers, payload: 1)

    /// Whether a client that has sent this many bytes owes the rest of a head, or of a short frame.
    private static func isMidHead(after count: Int) -> Bool {
        switch count {
        // In the head of SETTINGS; from HEADERS to the end of CONTINUATION; in the head of DATA; from the second HEADERS on.
        case 25...32, 34...55, 57...64, 71...: true
        default: false
        }
    }

    @Test(arguments: [1, 2, 7, 9, 10, 1000])
    func `a client in the middle of a head is known, however its bytes are cut`(_ piece: Int) {
        for count in 0...Self.connection.count {
            var scan = FrameScan()
            var rest = Self.connection.prefix(count)
            while !rest.isEmpty {
                scan.saw(ByteBuffer(bytes: rest.prefix(piece)))
                rest = rest.dropFirst(piece)
            }
            #expect(scan.isMidHead == Self.isMidHead(after: count), "after \(count) bytes")
            #expect(scan.isAtBoundary == [24, 33, 56, 70].contains(count), "after \(count) bytes")
        }
    }

    @Test func `a head of a frame has its length, kind and acknowledgement`() {
        let head = FrameHead([1, 2, 3, FrameHead.settings, 1, 0, 0, 0, 0, 99])

        #expect(head?.length == 0x01_0203)
        #expect(head?.kind == FrameHead.settings)
        #expect(head?.isConfirmation == true)
        #expect(FrameHead([0, 0, 0, 6, 1, 0, 0, 0, 0])?.isConfirmation == false, "a PING's answer")
        #expect(FrameHead([0, 0, 0, 4, 1, 0, 0, 0])?.length == nil, "one byte is missing")
    }
}
