import BankCore
import BankModel
import Platform

/// The body of an operation's response.
extension OperationReader {
    func response(_ node: Node, _ reader: TemplateReader) -> ResponseBody? {
        if case .mapping(let members) = node.content {
            let keys = members.compactMap(\.key.scalar)
            if keys == ["file"] || keys.sorted() == ["content_type", "file"] { return file(node) }
            if Set(keys) == ["files", "name"] { return folder(node, reader) }
            if Set(keys) == ["text", "content_type"] { return text(node, reader) }
        }
        return reader.template(node).map(ResponseBody.json)
    }

    private func text(_ node: Node, _ reader: TemplateReader) -> ResponseBody? {
        let fields = Fields(node, of: TextKeys.schema, complaints)
        let source = fields[TextKeys.text].flatMap(reader.source)
        let type = fields[TextKeys.contentType].flatMap { $0.isNull ? nil : $0.text(complaints) }
        fields.finish()
        return source.map { .text($0, contentType: type) }
    }

    private func file(_ node: Node) -> ResponseBody? {
        let fields = Fields(node, of: FileKeys.schema, complaints)
        let typeNode = fields[FileKeys.contentType]
        let type = typeNode.flatMap { $0.isNull ? nil : $0.text(complaints) }
        guard let name = fields[FileKeys.file], let path = loader.path(inFolder: name) else { return nil }
        guard let bytes = loader.bytes(path, .data, namedAt: name.position) else { return nil }
        return .file(StaticFile(bytes: bytes, contentType: typeNode == nil ? contentType(of: path) : type))
    }

    private func folder(_ node: Node, _ reader: TemplateReader) -> ResponseBody? {
        let fields = Fields(node, of: FolderKeys.schema, complaints)
        guard let folder = fields[FolderKeys.files], let path = loader.path(inFolder: folder) else { return nil }
        let name = fields[FolderKeys.name].flatMap(reader.source)
        guard let names = loader.library.files.list(path), let name else {
            return folder.wrong(complaints, "a folder \(path)")
        }
        var files: [String: StaticFile] = [:]
        for file in names where loader.library.files.list("\(path)/\(file)") == nil {
            guard let bytes = loader.bytes("\(path)/\(file)", .data, namedAt: folder.position) else { continue }
            files[file] = StaticFile(bytes: bytes, contentType: contentType(of: file))
        }
        return .folder(files, name: name)
    }

    private func contentType(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "json": "application/json"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "svg": "image/svg+xml"
        case "html": "text/html; charset=utf-8"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
