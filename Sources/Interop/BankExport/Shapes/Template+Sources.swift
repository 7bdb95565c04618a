import BankCore
import BankModel

extension Template {
    /// Every source from which the template takes values, in order.
    var sources: [ValueSource] {
        flattened.flatMap { template -> [ValueSource] in
            switch template {
            case .literal, .inserted, .page, .array, .object: return []
            case .value(let source): return source.parts
            case .row(let query): return query.filters.flatMap(\.value.parts)
            case .rows(let query):
                let ends = [query.between?.from, query.between?.to, query.near?.point, query.near?.within]
                return ((query.filters + query.given).map(\.value) + ends.compactMap(\.self)).flatMap(\.parts)
            }
        }
    }
}

extension ValueSource {
    /// The source, or the two of which it takes the first that is there.
    var parts: [ValueSource] {
        switch self {
        case .or(let first, let second): first.parts + second.parts
        case .joined(let inner): inner.flatMap(\.parts)
        case .html(let inner): inner.parts
        default: [self]
        }
    }
}

extension RowStages {
    /// The templates of what changes.
    var templates: [Template] {
        [settled, rejected].compactMap { stage in if case .with(let template) = stage { template } else { nil } }
            + [authorised, returned].compactMap { $0 }
    }
}

extension Operation {
    /// The response's template; nil if it is a file, or nothing.
    var template: Template? { if case .json(let template) = response { template } else { nil } }

    /// The lists of rows in the response.
    var lists: [RowsQuery] { template?.lists ?? [] }

    /// Every source from which the operation takes values.
    var sources: [ValueSource] {
        var sources = parents.map(\.key) + [key].compactMap(\.self) + headers.map(\.value)
        switch grant {
        case .password(let user, let password, let scope): sources += [user, password] + [scope].compactMap(\.self)
        case .refresh(let token, let scope): sources += [token] + [scope].compactMap(\.self)
        case .revoke(let token): sources.append(token)
        case .code(let code, let redirect, let verifier): sources += [code, redirect, verifier]
        case .client(let scope): sources += [scope].compactMap(\.self)
        case nil: break
        }
        if let move {
            sources += [move.amount, move.currency] + (move.from + move.to).map(\.key)
            sources += move.lists.flatMap { $0.row.sources + $0.stages.templates.flatMap(\.sources) }
        }
        sources += [decoupled].compactMap(\.self)
        if let insert { sources += insert.row.sources + insert.stages.templates.flatMap(\.sources) }
        if let registers { sources += [registers.url] + [registers.events].compactMap(\.self) }
        if case .folder(_, let name) = response { sources.append(name) }
        sources += (template?.sources ?? []) + (businessFailure?.sources ?? [])
        return sources.flatMap(\.parts)
    }
}
