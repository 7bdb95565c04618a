import ArgumentParser
import BankClient
import BankModel
import ClientDriver
import Foundation

struct ClientGoals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "goals", abstract: "List the savings goals of an account.",
        discussion: "Example: counterfoil client goals --bank roundup --token TOKEN")

    @OptionGroup var options: ClientOptions

    @Option(help: "The account's id; by default the first.")
    var account: String?

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            let listing = try await client.goals(of: account)
            var table = TextTable("GOAL", "NAME", "SAVED", "TARGET", "", right: [2, 3], shortening: [1])
            for row in listing.rows { table.add(row.id, row.name, row.saved.major, row.target?.major ?? "", row.saved.currency.code) }
            return Shown(view: ViewJSON.goals(listing), text: listing.age + table.text(for: .results) + listing.remark)
        }
    }
}

struct ClientImage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "Fetch an image; save it, or show its type and size.",
        discussion: "Example: counterfoil client image /icons/harbour.png --bank feed --output harbour.png")

    @OptionGroup var options: ClientOptions

    @Argument(help: "The image's path below the bank's address, such as /icons/harbour.png.")
    var path: String

    @Option(help: "The file to write it to.")
    var output: String?

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            let image = try await client.image(path)
            if let output { try write(image, to: output) }
            var table = TextTable("TYPE", "BYTES", "SHA-256", "", right: [1])
            table.add(image.mediaType, String(image.bytes.count), image.sha256, image.isFromCache ? "from the cache" : "")
            return Shown(view: ViewJSON.image(image), text: table.text)
        }
    }

    private func write(_ image: Image, to path: String) throws(ClientFailure) {
        do throws(FileError) { try WholeFile(path).write(image.bytes) } catch {
            throw ClientFailure(.unavailable, "the image was not written to \(path): \(error.reason)", mayHaveLeft: true)
        }
    }
}
