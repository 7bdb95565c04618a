import BankModel

extension Operation {
    /// Whether its response depends on nothing but the session's revision, the path, the query and the customer.
    var isRepeatable: Bool {
        guard method == "GET", key == nil, isRead, stepUp == nil, stream == nil,
            headers.allSatisfy(\.value.isRepeatable)
        else {
            return false
        }
        return switch response {
        case .none, .file: true
        case .text(let text, _): text.isRepeatable
        case .folder(_, let name): name.isRepeatable
        case .json(let template): template.isRepeatable
        }
    }

    /// Whether it changes nothing.
    package var isRead: Bool { grant == nil && signIn == nil && challenge?.code == nil && !changesRows && then.isEmpty }

    /// Whether its response has an ID token, if the client asks for one.
    package var givesIDToken: Bool {
        guard case .json(let template) = response else { return false }
        return template.flattened.contains { part in
            switch part {
            case .value(.openID(.idToken)), .value(.or(.openID(.idToken), _)): true
            default: false
            }
        }
    }

    /// Whether its response is a page of a list.
    package var isPaged: Bool { paging != nil }

    /// The paging of the first paged list in its response; nil if it is not paged.
    package var paging: Paging? { if case .json(let template) = response { template.lists.lazy.compactMap(\.paging).first } else { nil } }
}

extension [Operation] {
    /// For each operation, whether it is repeatable, and the request line with the query is enough to select it.
    var areRepeatable: [Bool] {
        indices.map { index in
            let operation = self[index]
            return operation.isRepeatable
                && !self[...index].contains { earlier in
                    earlier.method == operation.method && earlier.path.meets(operation.path)
                        && earlier.when.contains { ![.path, .query, .rawPath, .url, .rawQuery, .queryNames].contains($0.part) }
                }
        }
    }
}

extension Template {
    var isRepeatable: Bool {
        switch self {
        case .literal, .page: true
        case .inserted: false
        case .value(let source): source.isRepeatable
        case .object(let members): members.allSatisfy(\.value.isRepeatable)
        case .array(let elements): elements.allSatisfy(\.isRepeatable)
        case .row(let query): query.filters.allSatisfy(\.value.isRepeatable)
        case .rows(let query):
            (query.filters + query.given).allSatisfy(\.value.isRepeatable) && query.paging?.isInBody != true
                && [query.between?.from, query.between?.to, query.near?.point, query.near?.within].allSatisfy { $0?.isRepeatable ?? true }
        }
    }
}

extension ValueSource {
    var isRepeatable: Bool {
        switch self {
        case .literal, .path, .query, .url, .customer, .segment: true
        case .request(let part): part != .body
        case .joined(let parts): parts.allSatisfy(\.isRepeatable)
        case .html(let inner): inner.isRepeatable
        case .consent, .added, .header, .body, .form, .jsonPath, .now, .date, .uuid, .random, .token, .openID, .challenge, .webhook,
            .detail, .side,
            .movement, .event, .pending,
            .lacking:
            false
        case .or(let first, let second): first.isRepeatable && second.isRepeatable
        }
    }
}
