import ArgumentParser

/// Where banks and contracts are read from.
struct FolderOptions: ParsableArguments {
    @Option(help: "Folder of the banks; by default ./Stubs, else the installed one.")
    var stubs: String?

    @Option(help: "Folder of the contracts; by default ./Contracts, else the installed one.")
    var contracts: String?
}
