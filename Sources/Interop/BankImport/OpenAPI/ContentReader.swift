import BankModel

/// A body that a description has an example of.
struct DescribedBody {
    /// The media type.
    var type: String
    /// Nil for a type that is not JSON.
    var json: JSON?
    /// The bytes to send; JSON is indented.
    var bytes: [UInt8]
}

/// Reads `content` of requests and responses.
struct ContentReader {
    let description: Description

    /// Whether a media type is JSON, by its name.
    static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.lowercased()
        return name == "application/json" || name.hasSuffix("+json") || name == "*/*" || name == "application/*"
    }

    /// The media type that is taken of several: JSON before others, then the first.
    func media(_ content: LocatedNode?) -> (type: String, node: LocatedNode)? {
        let types = content?.members ?? []
        guard let taken = types.first(where: { ContentReader.isJSON($0.key) }) ?? types.first else { return nil }
        for other in types where other.key != taken.key {
            description.cannot(.ignored, other.value, "an operation has one content type here; \(taken.key) is used")
        }
        return (taken.key, taken.value)
    }

    /// The example of a response's body; nil where there is none, and none can be made.
    func body(_ content: LocatedNode?) -> DescribedBody? {
        guard let (type, media) = media(content) else { return nil }
        let sent = type.contains("*") ? "application/json" : type
        let written = example(media).flatMap { description.examples.fitted($0.value, media["schema"], at: $0.location) }
        guard let value = written ?? media["schema"].flatMap(description.examples.value) else {
            description.cannot(.ignored, media, "it has no example, and none can be generated; the response has no body")
            return nil
        }
        guard ContentReader.isJSON(type) else {
            if let text = value.string, media["schema"]?["format"]?.text != "binary" {
                return DescribedBody(type: sent, bytes: Array(text.utf8))
            }
            description.cannot(.ignored, media, "the example of a \(type) is not text; the response has no body")
            return nil
        }
        return DescribedBody(type: sent, json: value, bytes: Array((value.pretty + "\n").utf8))
    }

    private func example(_ media: LocatedNode) -> (value: JSON, location: LocatedNode)? {
        if let example = media["example"] { return (parsed(example.json, media), example) }
        let several = media["examples"]?.members ?? []
        for (_, written) in several {
            guard let example = description.resolved(written) else { continue }
            if let other = example["externalValue"] {
                description.cannot(.ignored, other, "external examples are not fetched")
                continue
            }
            guard let value = example["value"] else { continue }
            for other in several where several.count > 1 && other.value.pointer != written.pointer {
                description.cannot(.ignored, other.value, "an operation has one response here; the first example is used")
            }
            return (parsed(value.json, media), value)
        }
        return nil
    }

    /// Many write the JSON of an example as a text.
    private func parsed(_ value: JSON, _ media: LocatedNode) -> JSON {
        guard case .string(let text) = value, media["schema"].flatMap(SchemaExample.type) != "string" else { return value }
        return (try? JSON(parsing: Array(text.utf8))) ?? value
    }
}
