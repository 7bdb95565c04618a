import BankFiles
import BankModel
import Testing
import Yams

/// Our nodes of YAML beside those that Yams makes of the same text: both use libyaml, but only its events are the same.
@Suite struct YAMLOracleTests {
    /// Every YAML file of the shipped banks, dialects, outages and contracts.
    static let files: [String] = ["Stubs", "Contracts"].flatMap { below("\(Shipped.root)/\($0)") }

    @Test(arguments: files)
    func `Yams finds the same nodes at the same positions`(_ file: String) throws {
        let text = try #require((try? FileReader.disk.read(named: file)).map { String(decoding: $0, as: UTF8.self) })
        let complaints = Complaints()

        let node = Node.parse(yaml: text, file: file, complaints)

        let other = try #require(try Yams.Parser(yaml: text, resolver: .basic).singleRoot())
        #expect(complaints.all.isEmpty)
        #expect(node.map(YAMLOracleTests.written) == YAMLOracleTests.written(other))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `what Yams rejects is rejected, and what is rejected beyond that is reported`(seed: UInt64) throws {
        try #require(YAMLOracleTests.files.count > 50)
        var chance = SeededGenerator(seed: seed)
        for file in YAMLOracleTests.files where file.contains("/Stubs/") {
            let bytes = try FileReader.disk.read(named: file)
            for _ in 0..<10 {
                let text = YAMLOracleTests.damaged(bytes, &chance)
                let complaints = Complaints()
                let node = Node.parse(yaml: text, file: file, complaints)
                let other = try? Yams.Parser(yaml: text, resolver: .basic).singleRoot()
                if let node {
                    #expect(other.map(YAMLOracleTests.written) == YAMLOracleTests.written(node), "\(text)")
                } else {
                    let reported = complaints.all.map(\.message).first ?? ""
                    #expect(other == nil || reported.contains("a second time") || reported.contains("as a key"), "\(reported): \(text)")
                }
            }
        }
    }

    /// The text with one to three printed characters removed, doubled or replaced.
    private static func damaged(_ bytes: [UInt8], _ chance: inout SeededGenerator) -> String {
        var bytes = bytes.filter { $0 < 0x80 }
        for _ in 0..<Int.random(in: 1...3, using: &chance) {
            let position = Int.random(in: 0..<bytes.count, using: &chance)
            switch Int.random(in: 0..<3, using: &chance) {
            case 0: bytes.remove(at: position)
            case 1: bytes.insert(bytes[position], at: position)
            default: bytes[position] = Array("{}[],:#&*!|>'\"%@`- \n?".utf8).randomElement(using: &chance) ?? 0x20
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func below(_ folder: String) -> [String] {
        (FileReader.disk.list(folder) ?? []).flatMap { name -> [String] in
            name.hasSuffix(".yaml") ? ["\(folder)/\(name)"] : below("\(folder)/\(name)")
        }
    }

    /// A node in a line, with the positions of its parts.
    private static func written(_ node: BankModel.Node) -> String {
        let position = "@\(node.position.line ?? 0):\(node.position.column ?? 0)"
        switch node.content {
        case .scalar(let text, let quoted): return "\(quoted ? "q" : "p")<\(text)>\(position)"
        case .list(let nodes): return "[\(nodes.map(written).joined(separator: " "))]\(position)"
        case .mapping(let members):
            return "{\(members.map { "\(written($0.key))=\(written($0.value))" }.joined(separator: " "))}\(position)"
        }
    }

    private static func written(_ node: Yams.Node) -> String {
        let position = "@\(node.mark?.line ?? 0):\(node.mark?.column ?? 0)"
        switch node {
        case .scalar(let scalar): return "\(scalar.style == .plain || scalar.style == .any ? "p" : "q")<\(scalar.string)>\(position)"
        case .sequence(let nodes): return "[\(nodes.map(written).joined(separator: " "))]\(position)"
        case .mapping(let members):
            return "{\(members.map { "\(written($0.key))=\(written($0.value))" }.joined(separator: " "))}\(position)"
        case .alias: return "alias"
        }
    }
}
