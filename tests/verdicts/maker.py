"""Makes the questions for reader.py: hand-written cells, or made-up answers that fall on every line of the table.

    maker.py ROWS cells CELLS      the cells of tests/verdict_cells.json
    maker.py ROWS random N SEED    N made-up answers; the same for the same seed

A theme makes most of a response agree with itself; the rest is chance.
"""

import json
import os
import random
import sys

SCENARIOS = os.path.join(os.path.dirname(__file__), "..", "scenarios.json")
BOM = "\ufeff"
NOTHING = ["null", '""', "{}", "[]"]
ODD = [*NOTHING, "true", "false", "0", "7.5", '{"a":null}', "[1]", '"x"', "[{}]"]
SUCCESS = ["true", '"success"', '"Success"', '" SUCCESSFUL "', '"successful"', '"\\u0073uccess\\n"']
PROGRESS = ['"pending"', '"Initiated"', '"PROCESSING"', '"awaiting"', '"Awaiting confirmation"', '"\\tpending"']
FAILURE = ["false", '"false"', '"No"', '"failed"', '"Failure"', '"error"', '" declined"', '"REJECTED"', "false"]
OTHER = ["0", "1", "200", '"true"', '"unsuccessful"', '"reversed"', '"ok"', '"not successful"', '"await"', '"5"', "5"]
OTHER += ["4", '"yes"', '"Failed."', '"in progress"', *NOTHING]
WORDS = ["", "initiated", "pending", "awaiting", "failed", "successful", "reversed", "processing"]
SPELLED = ["", "Initiated ", " PENDING", "Awaiting customer", "Declined", "Successful", "REVERSED", "Processing"]
ODD_IDS = ["0", "8", "99", "5.0", '"5.0"', "-3", '"x"', '"successful"', '"failed"', "true", '{"a":1}', "[5]", "50e-1"]
ODD_IDS += ["99999999999", '"98"', "98", '"05"', '" 2 "', "4.0", "-0", "5e0", '"5 5"', *NOTHING]
GOOD_CODES = ['"00"', '"0"', "0", "200", '"200"', '"000"', '"0200"']
PROGRESS_CODES = ['"01"', "1", '"02"', "2", '" 01 "']
DOUBT_CODES = ['"06"', '"9"', '"09"', "22", '"26"', "68", '"90"', '"91"', "94", '"96"', "97", '"99"']
BAD_CODES = ['"04"', "4", '"12"', "12", '"0012"', '"13"', '"51"', '"XX"', "0.0", '"-1"', "5", '"1000"', '"0x0"', "91.0"]
DOUBT_CODES += ['"19"', "20", '"95"', "408", '"409"', "423", '"425"', '"429"', "499", '"500"', "599", '"DUPLICATE"']
DOUBT_CODES += ['"Pending"', '"already_paid"', '"NETWORK"']
BAD_CODES += ['"14"', '"400"', "498", '"600"', '"INSUFFICIENT_FUNDS"', '"Declined"', '"E1"', "-51", '"51.0"', "422"]
BAD_CODES += ["98"]
CODE_NAMES = ["statusCode", "statusCode", "code", "code", "status_code", "responseCode"]
PAYMENT_CODES = ["orderPaymentResponseCode", "paymentResponseCode"]
MESSAGES = [
    "Order ALREADY paid", "Duplicate reference", "transaction in progress", "request timed out", "Timeout at the bank",
    "please requery", "already", "This order has been paid", "The code has been used", "No response from issuer",
    "Transaction processed", "Payment successful", "Payment was not successful", "An order with this reference exists",
    "Card does not exist", "The payment could not be completed", "Transaction completed", "Transaction is pending",
    "There is no pending payment", "Unable to complete: still processing", "Customer doesn't exist",
    "It isn't completed",
    "awaiting the customer", "Never processed", "not already paid", "No such order exists", "cannot be processed",
]
MESSAGES += [
    "Insufficient funds", "Do not honour", "Carte expir\u00e9e", "Pick up card", "OrderAlreadyPaid",
    "Not sufficient funds",
    "ERROR_DOUBLE_PAYMENT", "Kaboom", "", "Under process", "Transaction en cours de traitement", "Account inactive",
    "Refer to card issuer", "OTP required", "OTP is required", "The order must be verified", "must be a number",
    "D\u00e9j\u00e0 pay\u00e9", "De\u0301ja\u0300 paye\u0301", "N'a pas \u00e9t\u00e9 d\u00e9bit\u00e9",
    "HTTPError: ECONNRESET", "NETWORK_ERROR",
    "The card already expired", "already, expired", "Isn't processed", "ISN\u2019T PROCESSED", "don't_exist",
    "exist-ence",
    "not-processed", "not - processed", "not--processed", "no_longer_pending", "pasEncorePaye", "\u00c9CHEC", "payeur",
    "invalid", "x\u0000already", "al\u00adready", "\u3000already\u3000", "time  out", "time.out", "TIMEOUTs", "paid",
    "unpaid",
]  # fmt: skip
TYPES = [None, None, None, "application/json", "application/json; charset=utf-8", "text/html"]
TYPES += ["Application/Problem+JSON"]
FIELDS = ["message", "error", "errors", "detail", "description", "title", "x", "code", "Reason", "trace"]
NAMES = ["reference", "amount", "email", "alias", "otp", "order", "$.order.amount", "data", "", "duplicate", "a"]
NAMES += ["x[0].mobile"]
NAMES += ["payoutDetails/0/amount", "field", "Amount", "processing", "paymentOption", "card"]
with open(os.path.join(os.path.dirname(SCENARIOS), "refusal_sentences.tsv"), encoding="utf-8") as file:
    MESSAGES += [line.rstrip("\n").split("\t")[3] for line in file][1:]
DENIALS = ["not", "cannot", "never", "unable to", "no such order", "isn't", "doesn\u2019t", "no such", "no", "NOT"]
BETWEEN = ["", "", "", "be", "been", "yet", "have been", "to be", "successfully", "fully", "found -", "found,", "."]
DENIALS += ["n'", "ne", "n'a pas", "non", "failed to", "without", "jamais", "aucun", "couldn't", "no longer"]
BETWEEN += ["pas", "\u00e9t\u00e9", "encore", "has been", "a", "_", "- ", "\u2019"]
DOUBTED = ["already", "duplicate", "used", "been used", "been paid", "timed out", "timed-out", "timeout", "no response"]
DOUBTED += ["requery", "in progress", "processed", "successful", "exists", "completed", "pending", "processing"]
DOUBTED += ["awaiting", "Successful", "unsuccessful", "exist", "complete", "ALREADY_PAID", "pre-processed"]
PLAIN = ["done", "Insufficient funds", "success", "failed", "The X field is required.", "Existing card", "preexisting",
         "Unprocessed", "Incomplete data", "caf\u00e9 \U0001f600", "no", "not"]  # fmt: skip
ERRORS = ['"no"', "true", '["no"]', '{"code":"E1"}', '{"amount":"is required"}', '{"message":"no"}', "false", "0"]
ERRORS += ['{"otp":["has been used"]}', '{"message":"Duplicate"}', '{"order":{"reference":"Already used"}}']
ERRORS += ['[{"reference":"Already used"}]', '{"a":{"otp":{"b":["used","has been used"]}}}']
ERRORS += ['{"email":"already taken"}', '["already"]', '{"reference":["The reference already exists"]}']
ERRORS += ['{"order.reference":"Duplicate"}']
IS_SUCCESS = ["false", "false", '"no"', '"true"']
STATUSES = [400, 401, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424]
STATUSES += [426, 428, 431, 451, 460, 499]
ELSEWHERE = [300, 301, 302, 303, 304, 307, 308, 399, 500, 501, 502, 503, 504, 520, 599, 600, 777, 999]
PAGES = ["", "", "<html><body>502</body></html>", "Too many requests", '"success"', "null", "true", " \r\n", "{]", "{}"]
PAGES += ["Order already paid", "duplicate", "Service unavailable", '"Order already paid"', '["Already paid", 1]']
PAGES += ["12", "-1.5", "<!doctype html>{", "[]", '[{"status":true}]', '[{"statusId":2}]', '["declined"]', BOM]
BEFORE = [BOM, BOM, BOM, BOM + " ", " \r\n\t", " " + BOM, BOM + BOM, "\xff", "\f"]
AFTER = [" ", "\r\n", "}", "{}", ",", BOM, "null", "<", "\v"]
TWICE = ['"message":1,"message":1', '"a":{"b":1,"\\u0062":2}', '"a":[{"b":1,"B":2}]', '"a":[{"":1,"":2}]', '"data":{}',
         '"\\u0073tatus":true', '"Status":false', '"a":{"\\ud800":1,"\\uD800":2}', '"\\ud83d\\ude00":1']  # fmt: skip
# Whole runs of the entries of docs/verdicts.md, and their words.
DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "verdicts.md")
with open(DOCUMENT, encoding="utf-8") as file:
    part = file.read().split("<!-- refusals -->")[1].split("\n\n")[0]
ENTRIES = [entry for line in part.splitlines()[3:] for entry in line.split("|")[1].strip().replace("=", "").split(", ")]
WORDS_OF_ENTRIES = [*ENTRIES, *ENTRIES, *(word for entry in ENTRIES for word in entry.split(" "))]
WORDS_OF_ENTRIES += [entry + "s" for entry in ENTRIES]
# The kind of each reference in a request, by its name.
KINDS = {"reference": "order", "orderreference": "order", "sessionid": "session", "mandatecode": "mandate"}
KINDS.update({"batchreference": "batch", "alias": "alias", "orderpaymentreference": "payment"})
FREE = ['{"reference":%s}', '{"order":{"reference":%s}}', '{"Reference":%s,"sessionId":%s}', '{"mandateCode":%s}']
FREE += ["[%s]", '{"x":%s}', '{"orderReference":%s}', '{"orderPaymentReference":%s}', '{"alias":%s}']


class Maker:
    def __init__(self, rows, seed):
        self.random = random.Random(seed)
        self.rows = rows
        with open(SCENARIOS, encoding="utf-8") as file:
            scenarios = json.load(file, parse_float=str)["endpoints"]
        self.requests = {name: scenario["request"] for name, scenario in scenarios.items()}
        moving = [row for row in rows if row["safety"] != "reads"]
        # Rows that move money have more rules, and responses to reads have fewer fields that decide.
        self.draws = rows + moving + [row for row in rows if row["name"].startswith(("request", "order_refund"))] * 2

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, values):
        return values[int(self.random.random() * len(values))]

    # --- Parts of a body

    def member(self, name, value):
        """A field, its name sometimes in another case or with an escape."""
        if not self.calm and self.chance(1.5):
            at = int(self.random.random() * len(name))
            swapped = self.chance(70)
            middle = name[at].swapcase() if swapped else f"\\u{ord(name[at]):04x}"
            one = name[:at] + middle + name[at + 1 :]
            name = self.pick([name.upper(), one]) if swapped else one
        return f'"{name}":{value}' if self.chance(95) else f' "{name}" : {value}\t'

    def members(self, *parts):
        return "{" + ",".join(part for part in parts if part) + "}"

    def maybe(self, percent, make, *arguments):
        return make(*arguments) if self.chance(percent) else ""

    def status(self):
        theme = 4 if self.chance(8) else self.vote
        themes = [OTHER, SUCCESS, PROGRESS, FAILURE]
        return self.member("status", self.pick(themes[theme] if theme < 4 else self.pick(themes)))

    def drawn_state(self):
        return int(self.random.random() * 9) if self.state == 8 or self.chance(4) else self.state

    def status_id(self):
        state = self.drawn_state()
        if not 1 <= state <= 7 or self.chance(3):
            return self.member("statusId", self.pick(ODD_IDS))
        return self.member("statusId", self.pick(["%d", "%d", "%d", "%d", "%d", '"%d"', '"0%d"', '" %d"']) % state)

    def word(self, name, in_data=False):
        state = self.drawn_state()
        if in_data and (state == 5 or self.chance(4)) and self.chance(30):
            return self.member(name, self.pick(['"success"', '" Success"']))
        if not 1 <= state <= 7 or self.chance(4):
            return self.member(name, self.pick(self.pick([OTHER, ODD])))
        return self.member(name, f'"{self.pick([WORDS, WORDS, SPELLED])[state]}"')

    def code(self):
        values = [ODD, GOOD_CODES, PROGRESS_CODES, BAD_CODES][self.vote]
        if self.vote == 0 or self.chance(15):
            values = self.pick([GOOD_CODES, PROGRESS_CODES, DOUBT_CODES, BAD_CODES, ODD])
        if self.state == 4 and self.vote == 1 and self.chance(60):
            values = BAD_CODES
        return self.member(self.pick(CODE_NAMES if self.chance(80) else PAYMENT_CODES), self.pick(values))

    def message(self):
        text = self.pick(PLAIN) if self.chance(80) else self.pick(MESSAGES) if self.chance(50) else self.sentence()
        return self.member("message", json.dumps(text) if self.chance(95) else self.pick([*ODD, '{"already":1}']))

    def text(self):
        """Any text of a response, at times with a name, in a list or deeper."""
        said = json.dumps(self.pick(self.pick([PLAIN, MESSAGES])) if self.chance(70) else self.sentence())
        kind = self.random.random() * 100
        if kind < 60:
            return said
        if kind < 75:
            return f"[{said}]"
        name = json.dumps(self.pick(NAMES))
        return f"{{{name}:{said}}}" if kind < 95 else f'{{"a":[1,{{{name}:[{said}]}}]}}'

    def errors_by_name(self):
        names = self.random.sample(NAMES, 1 + int(self.random.random() * 2))
        return "{" + ",".join(f"{json.dumps(name)}:{self.text()}" for name in names) + "}"

    def run(self):
        """Two or three words of entries in one text, joined in some way."""
        words = [self.pick(WORDS_OF_ENTRIES) for _ in range(1 + int(self.random.random() * 3))]
        if self.chance(20):
            words.insert(0, self.pick(DENIALS))
        joined = self.pick([" ", " ", " ", "_", "-", ". ", "", "/"]).join(
            word.title() if self.chance(30) else word for word in words
        )
        return joined.upper() if self.chance(10) else joined

    def sentence(self):
        if self.chance(50):
            return self.run()
        words = [self.pick(["", "Payment", "The order", "Declined:", "Request was"])]
        words += [self.pick(DENIALS) if self.chance(50) else "", self.pick(BETWEEN), self.pick(DOUBTED)]
        words += [self.pick(["", "", "by the bank", "today.", "- try again", "!"])]
        return " ".join(word for word in words if word)

    def reference(self, name, kind):
        """Mostly the request's own; sometimes a number, in another case, with blanks, or another's."""
        if self.chance(12 if kind != "order" else 6):
            return self.member(name, self.pick([*NOTHING, "true", '{"a":1}', '"another"', '"R-0"', "7", '" "']))
        text = self.references[kind if not self.chance(2) else "order"]
        if text.isdigit() and self.chance(40):
            return self.member(name, text)
        text = self.pick([text, text, text, text, text.upper(), text.lower(), f"  {text}\\t"])
        return self.member(name, f'"{text}"')

    def amount(self):
        values = ["20", "20.00", '"20"', '"20.00"', '"20.5"', "2e1", '"020"', "21", "null", '" 20 "']
        return self.member("amount_refunded", self.pick(values))

    def history(self):
        return self.member("orderPayments", self.items() if self.chance(95) else self.pick(ODD))

    def vote_in_data(self):
        return self.member(self.pick(["isSuccess", "success"]), self.pick(self.pick([FAILURE, OTHER])))

    def part(self, name, place):
        """orderPayment, orderSummary or order."""
        if not self.chance(95 if self.place == place else 22):
            return ""
        if self.place == 0 and self.chance(5):
            return self.member(name, self.pick(ODD))
        named = self.state != 0 and self.place in (0, place)
        return self.member(name, self.members(
            named and self.maybe(60 if self.place == 0 else 90, self.status_id),
            named and self.maybe(35, self.word, "status"),
            named and self.maybe(6, self.word, "paymentStatus"),
            self.maybe(15, self.code),
            self.maybe(30 if place != 2 else 3, self.reference, "reference", "order"),
            self.maybe(6, self.reference, "orderReference", "order"),
            self.maybe(15 if place == 2 else 2, self.reference, "orderPaymentReference", "payment"),
        ))  # fmt: skip

    def items(self):
        before, made = self.state, []
        for _ in range(int(self.random.random() * 4)):
            self.state = 4 if before == 5 and self.chance(35) else before
            made.append(self.pick(ODD) if self.chance(3) else self.members(
                self.maybe(60, self.status_id),
                self.maybe(30, self.word, "status"),
                self.maybe(20, self.word, "paymentStatus"),
                self.maybe(8, self.code),
                self.maybe(4, self.reference, "orderPaymentReference", "payment"),
                self.maybe(2, self.reference, "reference", "order"),
                self.maybe(4, lambda: self.member("responseMessage", self.text())),
            ))  # fmt: skip
        self.state = before
        return "[" + ",".join(made) + "]"

    def data(self):
        if self.place == 0 and self.chance(6):
            return self.member("data", self.pick(ODD))
        if self.place == 0 and self.chance(6):
            return self.member("data", self.items())
        named = self.state != 0 and self.place <= 1
        is_subject = self.row["subject"] == "/data/orderSummary" and self.chance(70)
        reads = 20 if self.row["safety"] == "reads" else 5
        return self.member("data", self.members(
            named and self.maybe(80 if self.row["subject"] else 35, self.status_id),
            self.maybe(40 if named else 3 if self.place == 0 else 0, self.word, "status", True),
            named and self.maybe(4, self.word, "paymentStatus"),
            self.maybe(3, self.vote_in_data),
            self.part("orderPayment", 2),
            self.part("orderSummary", self.place if is_subject else 3),
            self.part("order", 4),
            self.maybe(12 if self.place == 0 else 3, self.history),
            self.maybe(reads, self.reference, "sessionId", "session"),
            self.maybe(reads, self.reference, "mandateCode", "mandate"),
            self.maybe(reads, self.reference, "orderReference", "order"),
            self.maybe(reads, self.reference, "reference", "order"),
            self.maybe(4, self.reference, "accountReference", "alias"),
            self.maybe(4, self.reference, "alias", "alias"),
            self.maybe(2, self.reference, "batchReference", "batch"),
            self.maybe(4 if "refund" not in self.row["name"] else 30, self.amount),
            self.maybe(5, self.code),
            self.maybe(3, self.message),
            self.maybe(5, lambda: self.member(self.pick(["Message", "reason", "remarks", "responseMessage", "narration",
                                                         "statusMessage", "x"]), self.text())),
            self.maybe(2, lambda: self.member("payoutReference", self.pick(['"P1"', *ODD]))),
        ))  # fmt: skip

    def errors_member(self, spoken):
        other = self.chance(60)
        return self.member("errors", self.pick([*ERRORS, *NOTHING, spoken]) if other else self.errors_by_name())

    def errors(self):
        likely = 12 if self.vote in (0, 3) else 3
        spoken = json.dumps({self.pick(["reference", "otp", "order.reference", "amount"]): self.sentence()})
        return [
            self.maybe(likely, lambda: self.member("error", self.pick([*ERRORS, *NOTHING]))),
            self.maybe(likely, lambda: self.errors_member(spoken)),
            self.maybe(likely, lambda: self.member(self.pick(FIELDS[3:]), self.text())),
            self.maybe(likely, lambda: self.member("error" if self.chance(50) else "errorS", self.text())),
            self.maybe(likely, lambda: self.member("success", self.pick(["false", '"False"', '"no"', *ODD]))),
        ]

    def root(self):
        own = [name for name in self.row["members"] if self.row["envelope"] == "bare"]
        values = [*NOTHING, '[{"bankName":"B"}]', "true", '"Ada"', "0"]
        parts = [self.maybe(30, self.member, name, self.pick(values)) for name in own if name not in ("data", "status")]
        parts += [
            self.maybe(92 if self.vote else 12, self.status),
            self.maybe(10, lambda: self.member("isSuccess", "true" if self.vote == 1 else self.pick(IS_SUCCESS))),
            self.maybe(30, self.code),
            self.maybe(50, self.message),
            *self.errors(),
            self.maybe(100 if self.place else 70, self.data),
            self.maybe(3, self.reference, "batchReference", "batch"),
            self.maybe(1, lambda: self.member("batchId", self.pick(['"B1"', "17", *NOTHING]))),
            self.maybe(2, self.reference, "accountReference", "alias"),
            self.maybe(1, self.reference, "orderReference", "order"),
            self.maybe(2, self.status_id),
            self.maybe(1, lambda: self.member("extra", "[" * 3000 + "]" * 3000 if self.chance(5) else "[[[[]]]]")),
            self.maybe(2, self.pick, TWICE),
        ]  # fmt: skip
        if self.chance(20):
            self.random.shuffle(parts)
        return self.members(*parts)

    def theme(self):
        self.vote = self.pick([0, 1, 1, 1, 2, 3, 3])
        self.state = self.pick([0, 0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 6, 7, 8])
        self.place = 1 + int(self.random.random() * 4) if self.chance(25) else 0
        if self.vote == 3 and self.chance(60):
            self.state = self.pick([0, 4])
        self.calm = self.chance(50)

    def body(self):
        if self.chance(9):
            return self.pick(PAGES).encode()
        self.theme()
        body = self.root().encode()
        kind = self.random.random() * 100
        if kind < 4:
            before = self.pick(BEFORE)
            body = (b"\xef\xbb" if before == "\xff" else before.encode()) + body
        elif kind < 6:
            body += self.pick(AFTER).encode()
        elif kind < 8:
            body = body[: -1 - int(self.random.random() * 3)]
        elif kind < 9:
            body = body[: int(self.random.random() * len(body))]
        elif kind < 10:
            at = int(self.random.random() * len(body))
            body = body[:at] + bytes([int(self.random.random() * 256)]) + body[at + 1 :]
        return body

    # --- A question

    def request(self):
        number = 1000 + int(self.random.random() * 9000)
        own = self.pick(["%d", "R-a%d"]) % number
        kinds = ("session", "mandate", "batch", "alias", "payment")
        self.references = {"order": own, **{kind: own if self.chance(70) else f"{kind[0]}{number}" for kind in kinds}}

        def filled(value):
            if isinstance(value, dict):
                known = {name: KINDS.get(name.lower()) for name in value}
                return {
                    name: self.references[known[name]] if known[name] else filled(one) for name, one in value.items()
                }
            return [filled(one) for one in value] if isinstance(value, list) else value

        name = self.row["name"]
        if name.startswith("request "):
            method, within = name.split()[1], "body" if name.endswith("POST") else "query"
            given = [text for text in FREE if within == "body" or not ("[" in text or "order" in text)]
            inner = self.pick(given).replace("%s", json.dumps(own))
            return f'{{"method":"{method}","path":"/verdicts/made-up","key":"public","{within}":{inner}}}'
        request = filled(self.requests[name])
        if name == "order_refund" and self.chance(40):
            request["amount"] = self.pick(["20", "20.00", "25.50"])
        return json.dumps(request)

    def question(self):
        self.row = self.pick(self.draws)
        kind = self.random.random() * 100
        http = 200
        if kind >= 50:
            http = self.pick([201, 202, 204, 299]) if kind < 58 else self.pick(STATUSES) if kind < 82 else 429
        if kind >= 89:
            http = 408 if kind < 91 else self.pick(ELSEWHERE)
        arrival, ended, encoded = "answer", "whole", False
        framing = self.random.random() * 100
        if framing < 5:
            ended = "close"
        elif framing < 8:
            ended = self.pick(["cut", "cut", "late"])
        elif framing < 10:
            arrival, ended = self.pick(["silence", "silence", "not sent"]), self.pick(["whole", "whole", "late"])
        elif framing < 11:
            encoded = True
        if arrival == "not sent":
            ended = "whole"
        request = self.request()
        return {
            "row": self.row["name"],
            "request": request,
            "arrival": arrival,
            "http": http,
            "body": "" if http in (204, 304) else self.body().decode("latin-1"),
            "ended": ended,
            "encoded": encoded,
            "content_type": self.pick(TYPES),
            "after_429": self.row["safety"] != "reads" and self.chance(40),
        }


def cell_question(cell):
    """A cell of tests/verdict_cells.json, with what is expected of it."""
    framing = cell.get("framing", "length")
    ends = {"close": "close", "cut": "cut", "cut chunks": "cut", "stall": "late", "mute": "late"}
    headers = {name.lower(): value for name, value in cell.get("headers", {}).items()}
    arrivals = {"refused": "not sent", **dict.fromkeys(["none", "reset", "interim", "mute"], "silence")}
    return {
        "row": cell["row"],
        "request": cell["request"],
        "arrival": arrivals.get(framing, "answer"),
        "http": cell["http"],
        "body": cell["body"].encode().decode("latin-1"),
        "ended": ends.get(framing, "whole"),
        "encoded": headers.get("content-encoding", "identity").lower() != "identity",
        "content_type": headers.get("content-type"),
        "after_429": bool(cell["after_429"]),
        "expected": {name: cell[name] for name in ("line", "status", "outcome", "state", "again")},
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    if sys.argv[2] == "cells":
        with open(sys.argv[3], encoding="utf-8") as file:
            questions = (cell_question(cell) for cell in json.load(file))
            sys.stdout.writelines(json.dumps(question) + "\n" for question in questions)
        return
    maker = Maker(rows, int(sys.argv[4]))
    for _ in range(int(sys.argv[3])):
        sys.stdout.write(json.dumps(maker.question()) + "\n")


if __name__ == "__main__":
    main()
