/// Banks whose payments take time.
extension TestFiles {
    /// The test bank, in which a payment to a payee settles after a minute, and an account's list shows it.
    package static let settling = TestFiles()
        .replacing("till/bank.yaml", "holds: {amounts: [balance],", with: "holds: {amounts: [balance], settled: [booked],")
        .replacing(
            "till/bank.yaml", "accounts: {body: to}}}",
            with: """
                accounts: {body: to}}, settles: {payees: 1m}, lists: [{in: entries, side: accounts, row: {id: {uuid: "e-"}, _account: {side: account}, at: {now: seconds}, amount: {move: amount}, dir: {side: {debit: OUT, credit: IN}}, name: {side: other.name}, kind: {side: {other: {payees: transfer, accounts: internal}}}, state: pending}, settled: {id: {uuid: "e-"}, replaces: {pending: id}, at: {now: seconds}, state: booked}}]}
                """
        )
        .replacing(
            "till/bank.yaml", "amount: {body: amount}, at: {now: seconds}}}",
            with: "state: accepted, amount: {body: amount}}}\n    settled: {state: settled}\n    rejected: {state: rejected}"
        )
        .replacing("till/accounts.json", "\"balance\": \"100.00\"", with: "\"balance\": \"100.00\", \"booked\": \"100.00\"")

    /// The test bank with movements that settle, events, and rows for money that returns.
    package static let living =
        settling
        .replacing(
            "till/bank.yaml", "at: {now: seconds}, state: booked}}]}",
            with: """
                at: {now: seconds}, state: booked}, returned: {id: {uuid: "e-"}, at: {now: seconds}, dir: {side: {debit: OUT, credit: IN}}, amount: {move: amount}, name: "Returned", replaces: null}}]}
                """
        )
        .replacing(
            "till/bank.yaml", "    rejected: {state: rejected}",
            with: "    rejected: {state: rejected}\n    cancelled: {state: cancelled}\n    returned: {state: returned}"
        )
        .replacing(
            "till/bank.yaml", "  clock: {",
            with: """
                  note: {request: "PATCH /entries/{id}", takes: {json: [note]}, update: {row: {entries: {path: id}}, with: {note: {body: note}}}, reply: {row: entries, where: {id: {path: id}}}}
                  forget: {request: "DELETE /entries/{id}", delete: {entries: {path: id}}, status: 204}
                  cancel: {request: "DELETE /payments/{id}", cancel: {payments: {path: id}}, reply: {row: payments, where: {id: {path: id}}}, refuse: {not-pending: {status: 409, body: {error: not_pending}}}}
                  clock: {
                """
        )
        .replacing(
            "till/bank.yaml", "operations:\n",
            with: """
                events:
                  unit: major
                  lists:
                  - in: entries
                    side: accounts
                    row: {id: {uuid: "e-"}, _account: {side: account}, at: {now: seconds}, amount: {move: amount}, dir: {side: {debit: OUT, credit: IN}}, name: {event: name}, text: {event: reference}, kind: {event: {payment-in: credit, card-authorised: card}}, what: {event: kind}, state: pending}
                    settled: {id: {uuid: "e-"}, at: {now: seconds}, state: booked}
                    returned: {id: {uuid: "e-"}, at: {now: seconds}, dir: {side: {debit: OUT, credit: IN}}, amount: {move: amount}, state: refunded}
                operations:

                """)

    /// The living bank, in which a second person has a day to authorise a payment to a payee.
    package static let authorising =
        living
        .replacing("till/bank.yaml", "settles: {payees: 1m},", with: "settles: {payees: 1m}, authorisation: {payees: 1d},")
        .replacing("till/bank.yaml", "state: accepted, amount:", with: "state: pending-authorisation, amount:")
        .replacing(
            "till/bank.yaml", "    settled: {state: settled}", with: "    authorised: {state: accepted}\n    settled: {state: settled}")

    /// The living bank with standing orders and scheduled payments.
    package static let withOrders =
        living
        .replacing(
            "till/bank.yaml", "  payments: {key: id", with: "  orders: {key: id, belongs: {_customer: customer}}\n  payments: {key: id"
        )
        .replacing(
            "till/bank.yaml", "  clock: {",
            with: """
                  order: {request: POST /orders, takes: {json: [from, to, amount, starts]}, key: dialect, repeats: {pays: pay, starts: {body: starts}, every: {body: every}, at: "07:30", weekends: next}, insert: {orders: {id: {uuid: "o-"}, _customer: {customer: login}, amount: {body: amount}}}, status: 201, reply: {inserted: orders}}
                  plain: {request: POST /plain, takes: {json: [from, to, amount, starts]}, key: dialect, repeats: {pays: pay, starts: {body: starts}, every: {body: every}}, insert: {orders: {id: {uuid: "o-"}, _customer: {customer: login}}}, status: 201, reply: {inserted: orders}}
                  orders: {request: GET /orders, reply: {orders: {rows: orders}}}
                  stop: {request: "DELETE /orders/{id}", delete: {orders: {path: id}}, status: 204}
                  clock: {
                """)

    /// The living bank, webhooks, and an operation that receives them.
    package static let withWebhooks = living.replacing(
        "till/bank.yaml", "operations:\n",
        with: """
            webhooks: {retries: [5s, 5m, 1h]}
            operations:
              hook: {request: "POST /hook", open: true, status: 204}

            """)

    /// The bank with webhooks that clients register by its own API, and a shape for the event of a settled payment.
    package static let withSubscriptions =
        withWebhooks
        .replacing("till/bank.yaml", "  payments: {key: id", with: "  hooks: {key: id}\n  payments: {key: id")
        .replacing(
            "till/bank.yaml", "webhooks: {retries: [5s, 5m, 1h]}",
            with: """
                webhooks:
                  retries: [5s, 5m, 1h]
                  bodies:
                    payment.settled: {jti: {body: id}, iat: {body: created}, iss: {url: ""}, txn: {uuid: ""}, events: {paid: {payment: {body: data.object.id}}}}
                """
        )
        .replacing(
            "till/bank.yaml", "  hook: {request",
            with: """
                  addHook: {request: POST /hooks, scope: read, takes: {json: [url]}, insert: {hooks: {id: {uuid: "hook-"}, url: {body: url}}}, registers: {url: {body: url}, events: {body: types}, names: {paid: [payment.settled], listed: [transaction.created]}}, status: 201, reply: {inserted: hooks}}
                  hooks: {request: GET /hooks, reply: {hooks: {rows: hooks}}}
                  removeHook: {request: "DELETE /hooks/{id}", delete: {hooks: {path: id}}, status: 204}
                  hook: {request
                """)
}
