import BankModel
import Testing

@Suite struct JSONFuzzTests {
    private static let seeds = [
        #"{"accounts":[{"id":"a-1","balance":{"amount":"12.30","currency":"GBP"},"n":-0.5e+10,"ok":true,"no":null}]}"#,
        #"["\u00e9\uD83C\uDFE6\n\"\\","é🏦",0,-0,1E400,[[[[]]]],{"":{}},false]"#,
        #"  { "z" : 12.00 , "a" : [ 1 , 2.50 , 3e-7 ] }  "#,
    ]
    private static let marks = Array("{}[]\",:\\/u0123456789abcdefE+-.nulltruefals \n\t".utf8)

    @Test(arguments: [7, 2026] as [UInt64])
    func `ten thousand random and mutated texts never crash, and what is accepted comes back equal`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0

        for round in 0..<10_000 {
            let bytes = JSONFuzzTests.text(round, &generator)
            guard let value = try? JSON(parsing: bytes) else { continue }
            accepted += 1
            #expect(try JSON(parsing: value.bytes) == value, "seed \(seed), round \(round)")
            #expect(try JSON(parsing: value.pretty) == value, "seed \(seed), round \(round)")
            // Queries of the value must not crash either.
            JSONFuzzTests.visit(value)
        }

        #expect(accepted > 500, "the mutations are too wild to try the accepting half")
        #expect(accepted < 9500, "the mutations are too mild to try the rejecting half")
    }

    /// By turns: random bytes, random marks of JSON, and a valid text with a few bytes changed, dropped, added or doubled.
    private static func text(_ round: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let length = Int.random(in: 0..<40, using: &generator)
        switch round % 8 {
        case 0: return (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 1: return (0..<length).map { _ in marks.randomElement(using: &generator) ?? 0 }
        default:
            var bytes = Array((seeds.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) { mutate(&bytes, &generator) }
            return bytes
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        let mark = marks.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1, 2: bytes[index] = mark
        case 3: bytes.remove(at: index)
        case 4: bytes.insert(mark, at: index)
        default: bytes.insert(contentsOf: bytes[index...].prefix(8), at: index)
        }
    }

    private static func visit(_ value: JSON) {
        _ = (value.int, value.number?.decimal, value.number?.double, value.hashValue, value.at("a.b"))
        for element in value.array ?? [] { visit(element) }
        for member in value.object?.members ?? [] { visit(member.value) }
    }
}
