import BankCore
import BankModel

extension TemplateReader {
    /// How a list is divided into pages.
    func paging(_ node: Node) -> Paging? {
        let fields = Fields(node, of: PageKeys.schema, complaints)
        let style = fields[PageKeys.style]
        let cursor = fields[PageKeys.cursor]
        let limit = fields[PageKeys.limit]
        let part = fields[PageKeys.part] ?? .query
        let sizeNode = fields[PageKeys.size]
        let given = sizeNode?.int(in: PageKeys.sizes, complaints)
        let size = given ?? 30
        // `largest` is not reported if the size itself is wrong.
        let largest =
            fields[PageKeys.largest]?.int(in: (sizeNode != nil && given == nil ? 1 : size)...PageKeys.sizes.upperBound, complaints)
            ?? max(size, 100)
        fields.finish()
        guard let style, let cursor else { return nil }
        if part == .body {
            requireBody(.json, for: cursor, at: node.position)
            if style == .linkHeader {
                complaints.add(found: "link-header", expected: "another style: an address has no body", at: node.position)
            }
        }
        var paging = Paging(style: style, cursor: cursor, limit: limit, size: size, largest: largest)
        paging.isInBody = part == .body
        return paging
    }
}
