import BankModel
import Faults

/// The responses of calls to the server as a whole.
enum ServerShapes {
    static let calls = ObjectSchema(
        "the list of calls", "All calls.",
        members: [
            .always(
                "calls",
                .each(
                    ObjectSchema(
                        "a listed call",
                        members: [
                            .always("call", .anyText, "its method and path"), .always("does", .anyText, "its effect and its parameters"),
                        ])), "the calls")
        ])

    static let health = ObjectSchema(
        "the health", "The server is running.", members: [.always("status", .words(["ok"]), "always the same value")])

    static let version = ObjectSchema(
        "the version", "The program and the banks it serves.",
        members: [
            .always("version", .anyText, "the program's"), .always("seed", .count, "the server's"),
            .always("banks", .texts, "the names of the banks"),
            .sometimes("node", .anyText, "the name of the server, if it is one of several"),
        ])

    private static let operation = ObjectSchema(
        "an operation", named: "listed-operation",
        members: [
            .always("name", .anyText, "its name"), .always("request", .anyText, "its method and path"),
            .always("roles", .texts, "the roles of the operation"),
        ])

    private static let bank = ObjectSchema(
        "a bank", named: "listed-bank",
        members: [
            .always("name", .anyText, "its name"), .always("about", .anyText, "a description in one sentence"),
            .always("base_url", .anyText, "the address of its default session"), .always("dialect", .anyText, "the name of its dialect"),
            .always("operations", .each(operation), "its calls"),
            .always("roles", .map(keys: "roles", .texts), "the operations of each role"),
            .always("customers", .texts, "the logins of its customers"),
            .always("example", .orNull(.anyText), "a path that can be read without parameters; null if there is none"),
            .always("needs_token", .bool, "whether requests need a token"),
        ])

    static let banks = ObjectSchema("the banks", "The banks that are served.", members: [.always("banks", .each(bank), "the banks")])

    private static let kind = ObjectSchema(
        "a kind of fault",
        members: [
            .always("kind", .anyText, "its name"),
            .always("point", .orNull(.one(of: FaultPoint.self)), "the point at which its example acts"),
            .always("about", .anyText, "what happens"),
            .always("protocols", .list(.one(of: WireProtocol.self), atLeast: 0), "the protocols that support it"),
            .always("effects", .list(.one(of: FaultEffect.self), atLeast: 0), "its effects on a response or a connection"),
            .always("need", .orNull(.one(of: FaultNeed.self)), "the requests to which it can apply; null for all"),
            .always("example", .any, "example settings"),
        ])

    static let kinds = ObjectSchema(
        "the kinds of fault", "Every kind of fault.",
        members: [.always("kinds", .each(kind), "the kinds"), .always("schema", .any, "the JSON Schema of a rule")])

    private static let listedPlan = ObjectSchema(
        "a listed plan", "Its `about`, or the error of its file.",
        members: [
            .always("name", .anyText, "its name"), .sometimes("about", .anyText, "a description in one sentence"),
            .sometimes("error", .anyText, "the reason why its file cannot be read"),
        ])

    static let plans = ObjectSchema(
        "the plans", "The outages that can be started by name.", members: [.always("outages", .each(listedPlan), "the plans")])

    static let plan = ObjectSchema(
        "a named plan", "A plan with its name.", members: [.always("name", .anyText, "its name")] + Plan.schema.fields)
}
