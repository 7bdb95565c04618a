/// A folder, and the folder that came with the program: a file that the first does not have is looked for in the second.
struct FileLayers: Sendable {
    let own: String
    /// nil if nothing came with the program.
    let shipped: String?
    let files: FileReader

    /// The names in a subfolder, sorted, each once.
    func names(in subfolder: String) -> [String] {
        Set(folders.flatMap { files.list("\($0)/\(subfolder)") ?? [] }).sorted()
    }

    /// The names of the files in a subfolder that have this ending, without it; sorted, each once.
    func names(in subfolder: String, ending: String) -> [String] {
        names(in: subfolder).filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
    }

    /// The path of a file in a subfolder: the own one if it exists, or if none exists.
    func path(of file: String, in subfolder: String) -> String {
        let folder = folders.first { files.list("\($0)/\(subfolder)")?.contains(file) ?? false }
        return "\(folder ?? own)/\(subfolder)/\(file)"
    }

    /// The folder, own or shipped, that a file of that path is in: no link may lead out of it.
    func folder(of path: String) -> String { folders.first { path.hasPrefix($0 + "/") } ?? own }

    private var folders: [String] { [own] + (shipped.map { [$0] } ?? []) }
}
