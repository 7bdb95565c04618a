import BankModel

/// Writes a day's transactions as rows of the fixture, one a line, without making JSON values of them.
struct DayWriter: Sendable {
    let accounts: [Account]
    /// The date as it stands in both dates of a row.
    let day: String

    init(accounts: [Account], date: CivilDate) {
        self.accounts = accounts
        day = date.description
    }

    /// Appends a row, without the comma behind it.
    ///
    /// - Parameter odd: the dates to be written in place of the row's own.
    func write(_ row: Transaction, odd: OddDates.Pair, to out: inout [UInt8]) {
        let account = accounts[row.account]
        out += "  {\"id\": \"tx-\(row.serial)\", \"_account\": \"\(account.id)\", \"booked_at\": ".utf8
        if let booked = odd.booked { JSON.string(booked).write(to: &out) } else { writeInstant(row.second, to: &out) }
        if !row.isPending {
            out += ", \"value_date\": ".utf8
            if let value = odd.value { JSON.string(value).write(to: &out) } else { out += "\"\(day)\"".utf8 }
        }
        out += row.isPending ? ", \"status\": \"pending\"".utf8 : ", \"status\": \"booked\"".utf8
        out += row.isCredit ? ", \"direction\": \"credit\"".utf8 : ", \"direction\": \"debit\"".utf8
        out += ", \"kind\": \"\(row.kind.rawValue)\", \"amount\": ".utf8
        write(row.amount, account.level, to: &out)
        out += ", \"description\": ".utf8
        JSON.string(row.description).write(to: &out)
        if let counterparty = row.counterparty {
            out += ", \"counterparty\": ".utf8
            JSON.string(counterparty).write(to: &out)
        }
        if let fee = row.fee {
            out += ", \"fee\": ".utf8
            write(fee, account.level, to: &out)
        }
        if let machine = row.machine { out += ", \"atm_id\": \"\(machine)\"".utf8 }
        if let replaces = row.replaces { out += ", \"replaces\": \"tx-\(replaces)\"".utf8 }
        out.append(UInt8(ascii: "}"))
    }

    private func write(_ amount: Int64, _ level: PriceLevel, to out: inout [UInt8]) {
        out += "{\"amount\": \"\(level.major(amount))\", \"currency\": \"\(level.currency.code)\"}".utf8
    }

    private func writeInstant(_ second: Int, to out: inout [UInt8]) {
        func two(_ number: Int) {
            out.append(UInt8(ascii: "0") + UInt8(number / 10))
            out.append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        out += "\"\(day)T".utf8
        two(second / 3600)
        out.append(UInt8(ascii: ":"))
        two(second / 60 % 60)
        out.append(UInt8(ascii: ":"))
        two(second % 60)
        out += "Z\"".utf8
    }
}

/// One row of a generated bank's list.
struct Transaction: Sendable {
    /// Its number in the bank: the newest has the greatest.
    var serial = 0
    /// In the bank's list of accounts.
    let account: Int
    /// When it was booked: seconds after midnight UTC.
    var second: Int
    var isPending = false
    var isCredit = false
    var kind: Kind
    /// In minor units of the account's currency.
    var amount: Int64
    var description: String
    var counterparty: String?
    /// In minor units of the account's currency.
    var fee: Int64?
    /// The cash machine's id.
    var machine: String?
    /// The number of the pending row in whose place this one stands.
    var replaces: Int?

    /// As the model bank names them.
    enum Kind: String, Sendable {
        case card, transfer, cash, fee
        /// Between accounts of one customer.
        case own = "internal"
    }
}
