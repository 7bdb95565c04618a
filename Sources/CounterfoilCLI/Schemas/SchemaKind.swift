import BankFiles
import BankImport
import BankModel
import Contracts
import DriverProtocol
import Faults
import BankAdmin

/// A kind of file or request with one declaration, from which its reader, its JSON Schema and its reference page come.
struct SchemaKind {
    /// The kind's name in `counterfoil schema`.
    let name: String
    let schema: Schema
    let title: String
    let about: String
    /// The text of the reference page before the sections, given the address of each; nil if there is none.
    var preface: (@Sendable (_ link: (String) -> String) -> String)?
    /// The name of its reference page, if it is not the kind's own.
    var pageName: String?
    /// The calls that take it, in OpenAPI; nil if it is not a request.
    var openAPI: (@Sendable () -> JSON)?

    /// The path of its JSON Schema in the repository; nil for a request, because no file of that kind is edited.
    var schemaFile: String? { openAPI == nil ? "schemas/\(name).schema.json" : nil }

    /// The path of its reference page.
    var pageFile: String { "docs/reference/\(pageName ?? name).md" }

    /// The JSON Schema as a file's text.
    var document: String { schema.document(title: title, about: about).pretty + "\n" }

    /// The reference page, without the sections of an earlier kind's page.
    var page: String {
        var elsewhere: [String: String] = [:]
        for kind in SchemaKind.all.prefix(while: { $0.name != name }) {
            let page = "\(kind.pageName ?? kind.name).md"
            for object in kind.schema.objects { elsewhere[object.name] = elsewhere[object.name] ?? page }
        }
        let preface = preface.map { $0 { name in (elsewhere[name] ?? "") + "#\(name)" } }
        let about = [about, preface].compactMap(\.self).joined(separator: "\n\n")
        return schema.page(title: title, about: about, source: "counterfoil schema \(name) --markdown", elsewhere: elsewhere)
    }

    /// Every file that comes from the declarations, by its path in the repository.
    static var files: [(path: String, text: String)] {
        all.flatMap { kind -> [(path: String, text: String)] in
            let page = (path: kind.pageFile, text: kind.page)
            guard let schema = kind.schemaFile else { return [page] }
            return [(path: schema, text: kind.document), page]
        }
    }

    static let all: [SchemaKind] = [
        SchemaKind(
            name: "rule", schema: .object(Rule.schema), title: "Rules and faults",
            about: "The rules that `fault set` and `POST …/faults` accept, also used in plans under `rules` and in contracts as a step.",
            pageName: "faults"),
        SchemaKind(
            name: "plan", schema: .object(Plan.schema), title: "A plan of faults",
            about: "Rules on a timetable: a file of `Stubs/outages`, or one given to `outage start` and `serve --plan`."),
        SchemaKind(
            name: "contract", schema: .object(Suite.schema), title: "A suite of contracts",
            about: "The cases of one subject: a file of `Contracts`."),
        SchemaKind(
            name: "invariants", schema: .object(Invariant.fileSchema), title: "The invariants",
            about: "Checks that apply to every run of every case: `Contracts/invariants.yaml`."),
        SchemaKind(
            name: "bugs", schema: .object(KnownBug.fileSchema), title: "Public bugs",
            about: "Public bugs of bank clients that the cases find: `Contracts/bugs.yaml`."),
        SchemaKind(
            name: "bank", schema: .object(BankKeys.schema), title: "A bank",
            about: "The operations, rows and customers of a bank: `Stubs/NAME/bank.yaml`."),
        SchemaKind(
            name: "expected", schema: ExpectedKeys.schema, title: "The expected results",
            about: "What a conforming client of a bank displays for each customer, by login (`anyone` at a bank without tokens). "
                + "The file is `Stubs/NAME/expected.yaml`."),
        SchemaKind(
            name: "dialect", schema: .object(DialectKeys.schema), title: "A dialect",
            about: "The error responses of a family of banks: `Stubs/dialects/NAME.yaml`."),
        SchemaKind(
            name: "api", schema: .object(APIKeys.schema), title: "A description of an API",
            about:
                "Facts about an API for `counterfoil judge --har FILE --api api.yaml`. Every key is optional: Counterfoil infers a "
                + "missing fact from common names, and the report shows it."),
        SchemaKind(
            name: "driver", schema: MessageKeys.schema, title: "The lines of the driver protocol",
            about: "One line of JSON each, on stdin and stdout of a driver. Keys that are not listed are ignored."),
        SchemaKind(
            name: "report", schema: .object(ReportDocument.schema), title: "A report",
            about: "A contract run, as `counterfoil test --json FILE` writes it."),
        SchemaKind(
            name: "admin", schema: AdminKeys.schema, title: "The admin API",
            about: "The calls of a running server and the JSON objects they accept. `GET /__admin/openapi.json` also has the responses.",
            preface: { AdminCall.table($0) }, pageName: "admin-api",
            openAPI: {
                AdminDocument(version: Counterfoil.versionText, server: AdminDocument.usualServer, needsToken: false).json
            }),
    ]
}
