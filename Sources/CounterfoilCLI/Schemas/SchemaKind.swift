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
    /// The path of its JSON Schema in the repository; nil if no file of this kind is edited.
    var schemaFile: String?
    /// The path of its reference page; nil if it is on another kind's page.
    var pageFile: String?
    /// The calls that take it, in OpenAPI; nil if it is not a request.
    var openAPI: (@Sendable () -> JSON)?

    /// The JSON Schema as a file's text.
    var document: String { schema.document(title: title, about: about).pretty + "\n" }

    /// The reference page, without the sections of an earlier kind's page.
    var page: String {
        var elsewhere: [String: String] = [:]
        for kind in SchemaKind.all.prefix(while: { $0.name != name }) {
            guard let page = kind.pageFile?.split(separator: "/").last else { continue }
            for object in kind.schema.objects { elsewhere[object.name] = elsewhere[object.name] ?? String(page) }
        }
        let preface = preface.map { $0 { name in (elsewhere[name] ?? "") + "#\(name)" } }
        let about = [about, preface].compactMap(\.self).joined(separator: "\n\n")
        return schema.page(title: title, about: about, source: "counterfoil schema \(name) --markdown", elsewhere: elsewhere)
    }

    /// Every file that comes from the declarations, by its path in the repository.
    static var files: [(path: String, text: String)] {
        all.flatMap { kind in
            [kind.schemaFile.map { ($0, kind.document) }, kind.pageFile.map { ($0, kind.page) }].compactMap(\.self)
        }
    }

    static let all: [SchemaKind] = [
        SchemaKind(
            name: "rule", schema: .object(Rule.schema), title: "Rules and faults",
            about: "The rules that `fault set` and `POST …/faults` accept, also used in plans under `rules` and in contracts as a step.",
            schemaFile: "schemas/rule.schema.json", pageFile: "docs/reference/faults.md"),
        SchemaKind(
            name: "plan", schema: .object(Plan.schema), title: "A plan of faults",
            about: "Rules on a timetable: a file of `Stubs/outages`, or one given to `outage start` and `serve --plan`.",
            schemaFile: "schemas/plan.schema.json", pageFile: "docs/reference/plan.md"),
        SchemaKind(
            name: "contract", schema: .object(Suite.schema), title: "A suite of contracts",
            about: "The cases of one subject: a file of `Contracts`.",
            schemaFile: "schemas/contract.schema.json", pageFile: "docs/reference/contract.md"),
        SchemaKind(
            name: "invariants", schema: .object(Invariant.fileSchema), title: "The invariants",
            about: "Checks that apply to every run of every case: `Contracts/invariants.yaml`.",
            schemaFile: "schemas/invariants.schema.json", pageFile: "docs/reference/invariants.md"),
        SchemaKind(
            name: "bugs", schema: .object(KnownBug.fileSchema), title: "Public bugs",
            about: "Public bugs of bank clients that the cases find: `Contracts/bugs.yaml`.",
            schemaFile: "schemas/bugs.schema.json", pageFile: "docs/reference/bugs.md"),
        SchemaKind(
            name: "bank", schema: .object(BankKeys.schema), title: "A bank",
            about: "The operations, rows and customers of a bank: `Stubs/NAME/bank.yaml`.",
            schemaFile: "schemas/bank.schema.json", pageFile: "docs/reference/bank.md"),
        SchemaKind(
            name: "expected", schema: ExpectedKeys.schema, title: "The expected results",
            about: "What a conforming client of a bank displays for each customer, by login (`anyone` at a bank without tokens). "
                + "The file is `Stubs/NAME/expected.yaml`.",
            schemaFile: "schemas/expected.schema.json", pageFile: "docs/reference/expected.md"),
        SchemaKind(
            name: "dialect", schema: .object(DialectKeys.schema), title: "A dialect",
            about: "The error responses of a family of banks: `Stubs/dialects/NAME.yaml`.",
            schemaFile: "schemas/dialect.schema.json", pageFile: "docs/reference/dialect.md"),
        SchemaKind(
            name: "api", schema: .object(APIKeys.schema), title: "A description of an API",
            about:
                "Facts about an API for `counterfoil judge --har FILE --api api.yaml`. Every key is optional: Counterfoil infers a "
                + "missing fact from common names, and the report shows it.",
            schemaFile: "schemas/api.schema.json", pageFile: "docs/reference/api.md"),
        SchemaKind(
            name: "driver", schema: MessageKeys.schema, title: "The lines of the driver protocol",
            about: "One line of JSON each, on stdin and stdout of a driver. Keys that are not listed are ignored.",
            schemaFile: "schemas/driver.schema.json", pageFile: "docs/reference/driver.md"),
        SchemaKind(
            name: "report", schema: .object(ReportDocument.schema), title: "A report",
            about: "A contract run, as `counterfoil test --json FILE` writes it.",
            schemaFile: "schemas/report.schema.json", pageFile: "docs/reference/report.md"),
        SchemaKind(
            name: "admin", schema: AdminKeys.schema, title: "The admin API",
            about: "The calls of a running server and the JSON objects they accept. `GET /__admin/openapi.json` also has the responses.",
            preface: { AdminCall.table($0) }, pageFile: "docs/reference/admin-api.md",
            openAPI: {
                AdminDocument(version: Counterfoil.versionText, server: AdminDocument.usualServer, needsToken: false).json
            }),
    ]
}
