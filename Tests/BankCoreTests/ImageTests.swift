import BankModel
import TestBanks
import Testing

@testable import BankCore

/// The JSON in which commands and states are stored.
@Suite struct ImageTests {
    /// A payment's command as it is stored, from a session with a fixed seed.
    private func payment() throws -> (till: Till, image: (changes: [UInt8], response: [UInt8]?)) {
        var till = try Till()
        till.state.isLogged = true
        let token = try till.token()
        _ = till.state.drainChanges()
        #expect(till.pay("1.50", key: "k1", token: token).isSuccess)
        return (till, till.state.image(of: till.state.drainChanges()))
    }

    /// The format is in files of users: a change of it needs a new `StateSchema.version`.
    @Test func `a stored command is JSON whose members stay as they are`() throws {
        let image = try payment().image
        let command = try JSON(parsing: image.changes)
        let changes = try #require(command["changes"]?.array)
        let response = try JSON(parsing: try #require(image.response))

        #expect(command.object?.keys == ["changes", "random"])
        #expect(changes.flatMap { $0.object?.keys ?? [] } == ["moved", "added", "kept"])
        #expect(
            changes[0]["moved"]?.object?.keys == ["id", "operation", "key", "customer", "from", "to", "units", "currency", "at", "state"])
        #expect(changes[0]["moved"]?["from"] == ["accounts", "a1"])
        #expect(changes[0]["moved"]?["units"] == 150)
        #expect(changes[1]["added"]?["row"]?.object?.keys == ["since", "shows", "fields"])
        #expect(changes[2]["kept"]?.object?.keys == ["customer", "operation", "key", "asked", "since", "row"])
        #expect(response.object?.keys == ["status", "headers", "body", "committed"])
        #expect(command["random"]?.string.flatMap { UInt64($0) } != nil)
    }

    @Test(
        arguments: [
            (.zero, "0"), (.nanoseconds(-1), "-1"), (.seconds(1), "1000000000"), (.seconds(-2) - .nanoseconds(3), "-2000000003"),
            (.nanoseconds(Int64.max) - .nanoseconds(Int64.min), "18446744073709551615"),
            (.nanoseconds(Int64.min) - .nanoseconds(Int64.max), "-18446744073709551615"),
        ] as [(Duration, String)])
    func `a duration is whole nanoseconds, also the longest between two instants`(_ duration: Duration, _ text: String) throws {
        let image = JSON.image(duration)

        #expect(image.text == text)
        #expect(try ImageReader(image).duration() == duration)
    }

    @Test(arguments: ["99999999999000000000", "1.5", "true", "\"1\"", "1e30"])
    func `a duration of more than 65 bits, or of parts, is rejected`(_ text: String) throws {
        let image = try JSON(parsing: text)

        #expect(throws: ImageError.self) { try ImageReader(image).duration() }
    }

    @Test func `a stored state is JSON, and the state restored from it has the same image`() throws {
        let till = try payment().till
        let image = till.state.image
        var restored = try Till()
        try restored.state.restore(image: image)

        #expect(
            try JSON(parsing: image).object?.keys == [
                "epoch", "started", "clock", "latest", "random", "movements", "tokens", "keys", "rows",
            ])
        #expect(String(decoding: restored.state.image, as: UTF8.self) == String(decoding: image, as: UTF8.self))
    }

    @Test(
        arguments: [
            #"{"random":"7"}"#: "found no changes, expected one",
            #"{"changes":{},"random":"7"}"#: "at changes: found an object, expected an array",
            #"{"changes":[{"lost":1}],"random":"7"}"#: "at changes[0]: found an object, expected a change supported by this version",
            #"{"changes":[{"moved":{"id":"m"}}],"random":"7"}"#: "at changes[0].moved: found no currency, expected one",
            #"{"changes":[],"random":7}"#: "at random: found 7, expected a whole number without sign as a text",
            #"{"changes":[{"reended":{"movement":9223372036854775807,"at":1,"as":"settled"}}],"random":"7"}"#:
                "at changes[0].reended.movement: found 9223372036854775807, expected a number of 31 bits",
            #"{"changes":[{"issued":{"id":"token#1","kind":"token","digest":"","customer":"ann","scopes":[],"expires":1,"family":9223372036854775807}}],"random":"7"}"#:
                "at changes[0].issued.family: found 9223372036854775807, expected a number of 31 bits",
            #"{"changes":[{"authorization":{"client":"app","redirect":"","scopes":[],"number":-1}}],"random":"7"}"#:
                "at changes[0].authorization.number: found -1, expected a number of 31 bits",
            #"{"changes":[{"challenge":{"number":-1}}],"random":"7"}"#:
                "at changes[0].challenge.number: found -1, expected a number of 31 bits",
            #"{"changes":[{"scheduled":{"events":[{"event":{"event":"payment-in"},"at":1,"first":1,"times":9223372036854775807}],"missed":[]}}],"random":"7"}"#:
                "times: found 9223372036854775807, expected a number of 31 bits",
            #"{"changes":[{"added":{"table":"payments","row":{"since":1,"shows":{"movement":7,"debit":true},"fields":{"id":"x"}}}}],"random":"7"}"#:
                "at changes[0]: found a row that shows movement 8, expected one of the 0 movements before it",
            #"{"changes":[]"#: "(line 1, column 14)",
            "\u{1}": "(line 1, column 1)",
            "": "(line 1, column 1)",
        ])
    func `what is no command is rejected with its position`(_ text: String, _ expected: String) throws {
        var till = try Till()
        let error = #expect(throws: ImageError.self) { try till.state.replay(Array(text.utf8), response: nil, at: till.now) }

        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test func `bytes that are not UTF-8 come back`() throws {
        let bytes: [UInt8] = [0x7B, 0xFF, 0, 0x80]

        #expect(try ImageReader(JSON(image: JSON.image(bytes).bytes)).bytes() == bytes)
    }

    @Test func `no flip of a byte and no truncation makes the replay crash`() throws {
        let (till, image) = try payment()
        for position in image.changes.indices {
            for bit in 0..<8 {
                var flipped = image.changes
                flipped[position] ^= 1 << bit
                var state = till.state
                try? state.replay(flipped, response: image.response, at: till.now)
                try? state.replay(Array(flipped[..<position]), response: image.response, at: till.now)
            }
        }
        var state = till.state
        #expect(throws: Never.self) { try state.replay(image.changes, response: image.response, at: till.now) }
    }
}
