import BankCore
import BankEngine
import BankModel
import NIOHTTP1

/// The calls that make events happen, now or later.
extension AdminCall {
    static let makeEvent = AdminCall(
        .POST, "/sessions/{session}/events", "makeEvent",
        "makes an event happen: event, account, amount, payment, name, reference, reason, consent; returns the movement, or the consent",
        body: BankEvent.schema, .created(LedgerShapes.event), rejects: [.conflict, .unprocessableContent],
        answer: .ofSession { api, session, request in
            let event = try api.fields(request, of: BankEvent.schema) { fields, _ in BankEvent(fields) }
            let result = try session.happen(event)
            return .json(result.json, status: .created)
        })

    static let getSchedule = AdminCall(
        .GET, "/sessions/{session}/schedule", "getSchedule", "returns the scheduled events, and those that could not happen",
        .ok(LedgerShapes.schedule),
        answer: .ofSession { _, session, _ in
            let schedule = session.schedule
            return .json([
                "events": .array(schedule.events.map { .object($0.object) }),
                "missed": .array(
                    schedule.missed.map { missed in
                        var object = missed.event?.members ?? JSONObject([("order", .string(missed.order ?? ""))])
                        object["at"] = .string(missed.at.rfc3339(.milliseconds))
                        object["reason"] = .string(missed.reason)
                        return .object(object)
                    }),
            ])
        })

    static let scheduleEvent = AdminCall(
        .POST, "/sessions/{session}/schedule", "scheduleEvent", "schedules an event: in, every, and what `events` takes",
        body: BankEvent.scheduledSchema, .created(LedgerShapes.scheduled), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let wanted = try api.fields(request, of: BankEvent.scheduledSchema) { fields, complaints in LifeEvent(fields, complaints) }
            let scheduled = try session.schedule(wanted)
            return .json(.object(scheduled.object), status: .created)
        })

    static let clearSchedule = AdminCall(
        .DELETE, "/sessions/{session}/schedule", "clearSchedule", "removes all scheduled events", .done,
        answer: .ofSession { _, session, _ in
            session.clearSchedule()
            return .done
        })
}

extension ScheduledEvent {
    fileprivate var object: JSONObject {
        var object = event.members
        object["at"] = .string(at.rfc3339(.milliseconds))
        object["every"] = every.map { .string($0.text) }
        return object
    }
}

extension EventResult {
    fileprivate var json: JSON {
        switch self {
        case .movement(let movement): movement.json
        case .closed(let account): ["id": .string(account.description), "state": "closed"]
        case .consent(let consent): consent.json
        }
    }
}

extension Movement {
    fileprivate var json: JSON {
        .object(known: [
            "id": .string(id), "state": .string(state.rawValue), "from": .string(from.description), "to": .string(to.description),
            "amount": .string(amount.major), "currency": .string(amount.currency.code), "at": .string(at.rfc3339(.milliseconds)),
            "ends_at": ending.map { .string($0.at.rfc3339(.milliseconds)) }, "returns": returns.map(JSON.string),
        ])
    }
}
