import ArgumentParser
import BankClient
import BankModel
import ClientDriver

struct ClientLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in and store the token.",
        discussion: "Example: counterfoil client login --bank counterfoil --user ava --password correct-horse")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            guard try await options.signIn(client) else {
                throw ClientFailure(.unauthorized, "found neither --password nor --token, expected one of them", mayHaveLeft: false)
            }
            return Shown(view: ["signed_in": true], text: "signed in\n")
        }
    }
}

struct ClientLogout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Delete the token, and revoke it at the bank.",
        discussion: "Example: counterfoil client logout --bank counterfoil")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            try await client.signOut()
            return Shown(view: ["signed_in": false], text: "signed out\n")
        }
    }
}

struct ClientStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether a customer is signed in, without a request to the bank.",
        discussion: "Example: counterfoil client status --bank counterfoil")

    @OptionGroup var options: ClientOptions

    func run() async throws {
        try await options.run { client throws(ClientFailure) in
            let (signedIn, prompts) = try await client.status()
            return Shown(view: ViewJSON.status(signedIn: signedIn, prompts: prompts), text: signedIn ? "signed in\n" : "signed out\n")
        }
    }
}
