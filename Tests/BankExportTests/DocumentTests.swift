import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankExport

/// A bank's description states what the bank does.
@Suite struct DocumentTests {
    private let bank: Bank
    private let document: JSON

    init() throws {
        bank = try TestFiles().library.load("till").bank
        document = OpenAPIDocument(bank, version: "1", servers: ["http://bank"]).json
    }

    private func call(_ path: String, _ method: String) throws -> JSON {
        try #require(document["paths"]?[path]?[method], "\(document["paths"]?.object?.keys ?? [])")
    }

    /// A response, its reference followed.
    private func response(_ path: String, _ method: String, _ status: String) throws -> JSON {
        let written = try #require(try call(path, method)["responses"]?[status])
        guard let name = written["$ref"]?.string?.split(separator: "/").last else { return written }
        return try #require(document["components"]?["responses"]?[String(name)])
    }

    @Test func `the same bank gives the same bytes`() throws {
        let again = OpenAPIDocument(try TestFiles().library.load("till").bank, version: "1", servers: ["http://bank"]).json

        #expect(again.bytes == document.bytes)
    }

    @Test func `responses of an operation with a limit have its headers`() throws {
        let limited = TestFiles().replacing(
            "till/bank.yaml", "accounts: {request", with: "accounts: {rate_limit: {requests: 9, within: 1m}, request")
        let document = OpenAPIDocument(try limited.library.load("till").bank, version: "1", servers: ["http://bank"]).json
        func headers(_ path: String, _ status: String) throws -> [String] {
            let written = try #require(document["paths"]?[path]?["get"]?["responses"]?[status])
            let name = written["$ref"]?.string?.split(separator: "/").last
            let response = name.flatMap { document["components"]?["responses"]?[String($0)] } ?? written
            return response["headers"]?.object?.keys.filter { $0.hasPrefix("R") } ?? []
        }

        #expect(try headers("/v1/accounts", "200") == ["RateLimit-Policy", "RateLimit"])
        #expect(try headers("/v1/accounts", "401") == ["RateLimit-Policy", "RateLimit"])
        #expect(try headers("/v1/accounts", "429") == ["RateLimit-Policy", "RateLimit", "Retry-After"])
        #expect(try headers("/v1/accounts/{id}", "429").isEmpty)
    }

    @Test func `each operation is there with the base`() {
        for operation in bank.operations {
            #expect(document["paths"]?[operation.path.description]?[operation.method.lowercased()] != nil)
        }
    }

    @Test func `a rejection has its headers and its words`() throws {
        let rejected = try response("/v1/accounts", "get", "401")

        #expect(rejected["headers"]?.object != nil)
        #expect(rejected["content"]?.object?.members.first?.value["schema"]?["type"] == "object")
        let wire = try response("/v1/accounts", "get", "413")
        #expect(wire["content"]?["application/problem+json"] != nil)
    }

    @Test func `operations of one path and method are one`() throws {
        let body = try call("/v1/token", "post")["requestBody"]?["content"]?["application/x-www-form-urlencoded"]

        #expect(body?["schema"]?["oneOf"]?.array?.count == 2)
        #expect(body?["schema"]?["oneOf"]?.array?.first?.at("properties.grant_type.const") == "password")
    }

    @Test func `of operations with equal bodies the body is there once`() throws {
        let doubled = TestFiles().replacing(
            "till/bank.yaml", "  pay:\n    request: POST /payments",
            with: "  paySoon:\n    request: POST /payments\n    when: {header: {Prefer: soon}}\n    scope: pay\n"
                + "    takes: {json: [from, to, amount]}\n    move: {amount: {body: amount}, unit: major, currency: {literal: GBP}, "
                + "from: {accounts: {body: from}}, to: {payees: {body: to}, accounts: {body: to}}}\n"
                + "    insert: {payments: {id: {uuid: \"pay-\"}, _customer: {customer: login}, amount: {body: amount}, at: {now: seconds}}}\n"
                + "    status: 201\n"
                + "  pay:\n    request: POST /payments")
        let document = OpenAPIDocument(try doubled.library.load("till").bank, version: "1", servers: ["http://bank"]).json
        let schema = document["paths"]?["/v1/payments"]?["post"]?.at("requestBody.content")?["application/json"]?["schema"]

        #expect(schema?["type"] == "object" && schema?["oneOf"] == nil, "a body that fits two of `oneOf` is invalid")
    }

    @Test func `the ends of a period are instants or days`() throws {
        let parameters = try call("/v1/accounts/{id}/entries", "get")["parameters"]?.array ?? []

        for name in ["from", "to"] {
            let schema = parameters.first { $0["name"] == .string(name) }?["schema"]
            #expect(schema?["anyOf"]?.array?.compactMap { $0["format"]?.string } == ["date-time", "date"])
        }
    }

    @Test func `an amount has a pattern`() throws {
        let pay = try call("/v1/payments", "post")

        let sent = pay["requestBody"]?["content"]?["application/json"]?["schema"]?.at("properties.amount")
        #expect(sent?["pattern"] == .string(SchemaShape.Format.amountPattern))
        let response = try response("/v1/payments", "post", "201")["content"]?["application/json"]?["schema"]
        #expect(response?.at("properties.amount.pattern") == .string(SchemaShape.Format.amountPattern))
    }

    @Test func `parameters that belong together say so`() throws {
        var operation = try #require(bank.operations.first { $0.name == "accounts" })
        var rows = RowsQuery(table: "accounts")
        rows.near = RowsQuery.Near(point: .query("near"), within: .query("within"), latitude: "lat", longitude: "lng")
        operation.response = .json(.rows(rows))

        let parameters = RequestDescription(operation: operation, tables: TableShapes(bank), sample: nil).parameters
        #expect(parameters.map(\.name) == ["near", "within"])
        #expect(parameters[0].about == "latitude,longitude; requires `within`.")
        #expect(parameters[1].about == "Metres; requires `near`.")
    }

    @Test func `tokens and scopes are demanded`() throws {
        #expect(try call("/v1/token", "post")["security"] == [])
        #expect(document["components"]?.at("securitySchemes.bearer.scheme") == "bearer")
        #expect(document["components"]?.at("securitySchemes.oauth2.flows.password.tokenUrl") == "http://bank/v1/token")
    }

    @Test func `a sign-in on the page is a flow of OAuth`() throws {
        let signIn = "sign_in: {clients: {app: {redirects: [\"app:/back\"]}}, scopes: [openid]}\nroles: {login:"
        let code =
            "  code: {request: POST /code, open: true, takes: {form: [code]}, reply: {access_token: {token: access}},"
            + " grant: {code: {code: {form: code}, redirect: {form: redirect_uri}, verifier: {form: code_verifier}}}}\n"
        let page = "  page: {request: GET /authorize, open: true, sign_in: page}\n"
        let files = TestFiles().replacing("till/bank.yaml", "roles: {login:", with: signIn)
            .replacing("till/bank.yaml", "  renew:\n", with: page + code + "  renew:\n")
        let bank = try files.library.load("till").bank

        let document = OpenAPIDocument(bank, version: "1", servers: ["http://bank"]).json
        let flow = try #require(document["components"]?.at("securitySchemes.oauth2.flows.authorizationCode"))
        #expect(flow["authorizationUrl"] == "http://bank/v1/authorize")
        #expect(flow["tokenUrl"] == "http://bank/v1/code")
        #expect(flow["scopes"]?.object?.keys.contains("openid") == true)
    }

    @Test func `examples are responses that fit their schemas`() throws {
        let tables = TableShapes(bank)

        let samples = Sample.all(of: bank, base: "http://bank")

        #expect(!samples.isEmpty && samples.count == bank.operations.count)
        for (operation, sample) in zip(bank.operations, samples) {
            let response = try #require(sample?.response, "\(operation.name) was rejected")
            guard let template = operation.template else { continue }
            let shape = TemplateShapes(tables: tables, operation: operation).value(template).shape
            let fits = shape.takes(try JSON(parsing: response.body))
            #expect(fits, "\(operation.name): \(shape.schema.text) does not take \(String(decoding: response.body, as: UTF8.self))")
        }
    }
}
