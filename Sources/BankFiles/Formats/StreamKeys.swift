import BankCore
import BankModel

/// The keys of `stream` in an operation.
enum StreamKeys {
    static let tables = Field(
        required: "tables", .node(.list(.text("a table"), atLeast: 1)),
        "the tables whose rows are sent when they appear, change or disappear")
    static let retry = Field("retry", .duration, "how long a client waits before it connects again (`retry:` of the stream)")
    static let heartbeat = Field("heartbeat", .duration, "the idle time after which a comment is sent, in real time; by default 15s")
    static let schema = ObjectSchema(
        "stream", "Sends server-sent events (`text/event-stream`) instead of a response that ends.", fields: [tables, retry, heartbeat],
        example: "{tables: [accounts, transactions], retry: 2s}")
}

extension OperationReader {
    /// The events of which the response consists.
    ///
    /// - Parameter fields: the operation's, of which none may shape another response.
    func stream(_ node: Node, _ operation: Operation, _ fields: Fields) -> StreamPolicy? {
        let keys = Fields(node, of: StreamKeys.schema, complaints)
        let tables = (keys[StreamKeys.tables]?.elements(complaints) ?? []).compactMap { table -> String? in
            guard let name = table.text(complaints), loader.require(table: name, at: table.position) != nil else { return nil }
            return name
        }
        let (retry, heartbeat) = (keys[StreamKeys.retry], keys[StreamKeys.heartbeat])
        keys.finish()
        if operation.method != "GET" || operation.changesRows || operation.status != 200 {
            complaints.add(found: "`stream`", expected: "it in a GET operation with the status 200 that changes nothing", at: node.position)
        }
        if fields.node(of: OperationKeys.response) != nil || operation.etag {
            complaints.add(found: "`stream`", expected: "it without `reply` and `etag`: the response consists of events", at: node.position)
        }
        if let heartbeat, heartbeat < .seconds(1), let node = keys.node(of: StreamKeys.heartbeat) {
            complaints.add(found: node.kindName, expected: "1s or more", at: node.position)
            return nil
        }
        return tables.isEmpty ? nil : StreamPolicy(tables: tables, retry: retry, heartbeat: heartbeat ?? .seconds(15))
    }
}
