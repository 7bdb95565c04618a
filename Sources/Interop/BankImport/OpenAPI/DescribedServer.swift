import BankModel

/// The base path of a description's servers.
enum DescribedServer {
    /// The path of an address, or of a reference below it, without a slash at its end; nil if there is a variable in it.
    static func path(of address: String) -> String? {
        var rest = Substring(address.prefix { $0 != "?" && $0 != "#" })
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...].drop { $0 != "/" } }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("{") else { return nil }
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// The base of the first server, its variables filled in; what the others have besides is noted.
    static func base(_ description: Description) -> String {
        let servers = description.root["servers"]?.elements ?? []
        guard let first = servers.first, let url = first["url"]?.text else { return "" }
        let base = path(of: filled(url, first)) ?? ""
        for other in servers.dropFirst() where other["url"]?.text.flatMap({ path(of: filled($0, other)) }) != base {
            description.cannot(.ignored, other, "a bank has one base; it is \(base.isEmpty ? "empty" : base)")
        }
        if path(of: filled(url, first)) == nil { description.cannot(.ignored, first, "a variable in it has no default; the base is empty") }
        return base
    }

    private static func filled(_ url: String, _ server: LocatedNode) -> String {
        (server["variables"]?.members ?? []).reduce(url) { $0.replacing("{\($1.key)}", with: $1.value["default"]?.text ?? "{}") }
    }
}

extension Description {
    /// A parameter of some operation that is the header Authorization; descriptions may have it instead of a security scheme.
    var authorizationHeader: LocatedNode? {
        for (_, path) in root["paths"]?.members ?? [] {
            for (_, operation) in [("", path)] + path.members {
                for written in operation["parameters"]?.elements ?? [] {
                    guard let parameter = resolved(written), parameter["in"]?.text == "header",
                        parameter["name"]?.text?.lowercased() == "authorization"
                    else { continue }
                    return parameter
                }
            }
        }
        return nil
    }
}
