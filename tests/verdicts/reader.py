"""What an answer proves, read a second time: the rules of docs/verdicts.md, written from the document alone, so that
the library's verdicts can be compared with them. It imports neither the library nor its tables; what it knows about an
endpoint is ROWS, which the tests render from the tables.

    reader.py ROWS <questions >verdicts

A line is a JSON object: `row` (a name in ROWS), `request` (its JSON text), `arrival` ("answer", "silence" or "not
sent"), `http`, `body` (a character for each byte), `ended` ("whole", "close": by its connection, "cut" or "late"),
`encoded` and `after_429`. The same line is written with a `verdict`: line of the table, status, outcome, state, and
whether the request is sent again.
"""

import decimal
import json
import re
import sys

# --- JSON, exactly as it is written ---


class Number(str):
    """A number as its text."""


class Object:
    """The members in their order; a name may stand twice."""

    def __init__(self, members):
        self.members = members


def no_json(constant):
    raise ValueError(constant)


def parse(text):
    """Exactly one JSON document of RFC 8259; anything else is a ValueError."""
    return json.loads(text, object_pairs_hook=Object, parse_int=Number, parse_float=Number, parse_constant=no_json)


def everything(value):
    """A value, and every value within it at every depth."""
    todo = [value]
    while todo:
        one = todo.pop()
        yield one
        todo += [inner for _, inner in one.members] if isinstance(one, Object) else one if isinstance(one, list) else []


def within(value):
    """Every member at every depth."""
    return [member for one in everything(value) if isinstance(one, Object) for member in one.members]


def has_name_twice(value):
    objects = (one.members for one in everything(value) if isinstance(one, Object))
    return any(len({name for name, _ in members}) < len(members) for members in objects)


# --- Words, codes, states ---

BLANKS = " \t\n\r\f\v\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
DIGITS = re.compile(r"[0-9]+\Z")
ASCII = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
FAILED, SUCCESSFUL, REVERSED = 4, 5, 6
PROGRESS = {"initiated": 1, "pending": 2, "processing": 7}
FAILURES = {"failed", "failure", "error", "declined", "rejected"}
CODE_NAMES = ["statusCode", "status_code", "code", "responseCode", "orderPaymentResponseCode", "paymentResponseCode"]
CODES = {name.lower() for name in CODE_NAMES}
PAYMENT_CODES = {"orderpaymentresponsecode", "paymentresponsecode"}
IN_DOUBT = {6, 9, 22, 26, 68, 90, 91, 94, 96, 97, 99}
GOOD = {0, 200, 1, 2} | IN_DOUBT
UNKNOWN, SUCCESS = "unknown", "success"


def fold(text):
    return text.translate(ASCII)


def is_text(value):
    return isinstance(value, str) and not isinstance(value, Number)


def word(value):
    """A text or number without blanks around it, in lower case; "" for anything else."""
    return fold(value.strip(BLANKS)) if isinstance(value, str) else ""


def names_nothing(value):
    if isinstance(value, Object):
        return not value.members
    return value is None or value == [] or (is_text(value) and not word(value))


def named(value, *names):
    """The values of an object's members of these names, in any case."""
    if not isinstance(value, Object):
        return []
    return [inner for name, inner in value.members if fold(name) in names]


def exactly(value, name):
    """The member of exactly that name, or None."""
    members = value.members if isinstance(value, Object) else ()
    return next((inner for own, inner in members if own == name), None)


def is_false(value):
    return value is False or (is_text(value) and word(value) in ("false", "no"))


def state_of_word(text):
    """1 to 7, or None for a word that is none of the known ones."""
    if text.startswith("awaiting"):
        return 3
    if text in FAILURES:
        return FAILED
    return {**PROGRESS, "successful": SUCCESSFUL, "reversed": REVERSED}.get(text)


def state_of_id(value):
    """1 to 7, ("unknown", number), UNKNOWN, or None where it names nothing."""
    if names_nothing(value):
        return None
    text = word(value)
    if not isinstance(value, Number) and not DIGITS.match(text):
        return UNKNOWN
    number = int(text) if re.fullmatch(r"-?[0-9]{1,10}", text.lstrip("0") or "0") else 0
    number = number if -(2**31) <= number < 2**31 else 0
    return number if 1 <= number <= 7 else (UNKNOWN, number)


def state_of_name(name, value, in_data=False):
    """What a member named statusId, status or paymentStatus names; None for nothing."""
    if name == "statusid":
        return state_of_id(value)
    if names_nothing(value):
        return None
    if not is_text(value):
        return UNKNOWN
    if in_data and name == "status" and word(value) == "success":
        return SUCCESS
    return state_of_word(word(value)) or UNKNOWN


def in_doubt(text, words):
    """Whether a text has one of the words, whole, without a denial before it."""
    text = re.sub(r"\s+", " ", re.sub(r"_|(?<=\w)-", " ", fold(text).replace("\u2019", "'")))
    found = re.finditer(rf"\b(?:{words})\b", text)
    return any(not DENIAL.search(text[: one.start()]) for one in found)


def compared(kind, value):
    """A reference as it is compared; what is neither text nor number equals nothing."""
    text = value.strip(BLANKS).lower() if isinstance(value, str) else ""
    if kind == "refunded amount":
        try:
            return decimal.Decimal(text) if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", text) else object()
        except decimal.InvalidOperation:
            return object()
    return text or object()


def code(value):
    """Without leading zeros; -1 for what is no number; None for no code."""
    text = word(value)
    if not text:
        return None
    return int(text) if DIGITS.match(text) else -1


# --- What an answer says ---

STATE_NAMES = {"statusid": "statusId", "status": "status", "paymentstatus": "paymentStatus"}
ORDERS = {"orderpayment": "orderPayment", "ordersummary": "orderSummary", "order": "order"}
ALWAYS = "already|duplicate|been used|been paid|timed out|timeout|no response|requery|in progress|processed|successful"
UNLESS_REFUSED = "exists|completed|pending|processing|awaiting"
# Before the word, with only what may stand between a denial and its verb, and no mark but blanks between them.
BETWEEN = "be|been|being|has|have|to|yet|get|successfully"
DENIAL = re.compile(rf"(?:\b(?:not|cannot|never|unable)|\w+n't|\bno such(?: \w+)?)(?: (?:{BETWEEN}))* \Z")
SPOKEN_OF = ("reference", "sessionid", "mandatecode", "alias", "batchid", "otp")


class Reading:
    """What weakens is read from names in any case (`any`), what strengthens from the exact ones (`exact`)."""

    def __init__(self, root, row, request):
        self.root, self.row = root, row
        self.success_any = self.success_exact = self.failure_any = self.failure_exact = self.weak = False
        self.denies = self.names_state = False
        self.twice = has_name_twice(root)
        self.votes()
        self.codes()
        self.deny()
        self.states()
        self.speaks_of_another()
        self.other_request = self.names_another(request)
        self.subject = self.has_subject()
        self.own_member = row["envelope"] == "bare" and any(
            exactly(root, name) is not None for name in row["members"]
        )

    def vote(self, name, exact_name, success, failure):
        exact = name == exact_name
        self.success_any |= success
        self.failure_any |= failure
        self.success_exact |= success and exact
        self.failure_exact |= failure and exact

    def top(self):
        return self.root.members if isinstance(self.root, Object) else []

    def data(self):
        """Each member called data, and whether it is called exactly so."""
        return [(value, name == "data") for name, value in self.top() if fold(name) == "data"]

    def votes(self):
        self.top_progress = self.top_failure = self.top_false = False
        for name, value in self.top():
            folded, text = fold(name), word(value) if is_text(value) else ""
            if folded == "status":
                progress = text in PROGRESS or text.startswith("awaiting")
                failure = is_false(value) or text in FAILURES
                self.vote(name, "status", value is True or progress or text in ("success", "successful"), failure)
                self.top_progress |= progress
                self.top_failure |= failure
                self.top_false |= is_false(value)
            elif folded == "issuccess":
                self.vote(name, "isSuccess", value is True, is_false(value))
            elif folded in ("error", "errors") and not names_nothing(value):
                self.vote(name, folded, False, isinstance(value, Object))
                self.weak |= value is True or is_text(value) or isinstance(value, list)
            elif folded == "success":
                self.weak |= value is False or text == "false"
        for data, exact in self.data():
            for name, value in data.members if isinstance(data, Object) else ():
                for known in ("isSuccess", "success", "status"):
                    if fold(name) == fold(known):
                        self.vote(name if exact else "", known, False, is_false(value))

    def items(self, exact_only=False):
        """The elements of the history and of a data array."""
        found = []
        for data, exact in self.data():
            lists = [data] if isinstance(data, list) else named(data, "orderpayments")
            if exact_only:
                lists = [exactly(data, "orderPayments")] if exact and isinstance(data, Object) else []
            found += [item for one in lists if isinstance(one, list) for item in one if isinstance(item, Object)]
        return found

    def codes(self):
        objects = []
        for data, _ in self.data():
            objects += [data, *named(data, *ORDERS)]
        all_codes = [code(value) for one in objects + self.items() for value in named(one, *CODES)]
        self.top_codes = {code(value) for value in named(self.root, *CODES)}
        self.payment_codes = {code(value) for one in [self.root, *objects] for value in named(one, *PAYMENT_CODES)}
        self.payment_codes.discard(None)
        self.denies |= bool(GOOD & (self.top_codes | set(all_codes)))

    def name_state(self, state):
        if state is not None:
            self.names_state = True
            self.denies |= state != FAILED

    def deny(self):
        for name, value in within(self.root):
            folded = fold(name)
            if folded == "statusid":
                self.name_state(state_of_id(value))
            elif folded in ("batchreference", "batchid", "payoutreference"):
                self.denies |= not names_nothing(value)
        for data, _ in self.data():
            for value in named(data, "status"):
                if not is_false(value):
                    self.name_state(state_of_name("status", value, True))
            for value in named(data, "paymentstatus"):
                self.name_state(state_of_name("paymentstatus", value))
            for order in named(data, *ORDERS):
                for value in named(order, "status", "paymentstatus"):
                    self.name_state(state_of_name("status", value))
        for item in self.items():
            for value in named(item, "status", "paymentstatus"):
                self.name_state(state_of_name("status", value))
        if self.row["envelope"] == "payment state":
            top = exactly(self.root, "status")
            if is_text(top) and not is_false(top):
                self.name_state(state_of_name("status", top, True))

    def speaks_of_another(self):
        """The message may be about an earlier request, or one whose end is not known."""
        places = [self.root] + [data for data, _ in self.data()] + named(self.root, "error")
        texts = [text for place in places for text in named(place, "message")]
        for errors in named(self.root, "errors"):
            for name, value in within(errors):
                if fold(name).endswith(SPOKEN_OF):
                    texts += everything(value)
        words = ALWAYS
        own = [root for root in [self.root, exactly(self.root, "data")] if isinstance(root, Object)]
        own += [order for name in ORDERS.values() for order in [exactly(exactly(self.root, "data"), name)]]
        refusals = {code(exactly(one, name)) for one in own for name in CODE_NAMES} - GOOD - {4, None}
        if not self.own_failed and not refusals:
            words += "|" + UNLESS_REFUSED
        self.denies |= any(is_text(text) and in_doubt(text, words) for text in texts)

    def named_by(self, value, in_data=False):
        """The states that an object names under their exact names."""
        found = [
            state_of_name(folded, exactly(value, name), in_data) for folded, name in STATE_NAMES.items()
        ]
        return [state for state in found if state is not None]

    def states(self):
        data = exactly(self.root, "data")
        payment = self.named_by(exactly(data, "orderPayment"))
        own = self.named_by(data, True) + payment
        orders = [state for name in ("orderSummary", "order") for state in self.named_by(exactly(data, name))]
        word_is_state = self.row["envelope"] == "payment state"
        top = exactly(self.root, "status")
        if word_is_state and is_text(top) and not names_nothing(top):
            own.append(state_of_name("status", top, True))
        named_states = own + orders
        # "success" agrees with 5, and beside anything else it is 5.
        others = [state for state in named_states if state != SUCCESS]
        if len(others) < len(named_states) and (others or self.row["success_is_state"]):
            others.append(SUCCESSFUL)
        known = {state for state in others if isinstance(state, int)}
        final = known & {FAILED, SUCCESSFUL, REVERSED}
        unknown = [state for state in others if not isinstance(state, int)]
        self.contradiction = len(final) > 1 or (len(final) == 1 and bool(unknown or known - final))
        self.state = 0
        if len(known) == 1:
            self.state = known.pop()
        elif known:
            paid = {state for state in payment if isinstance(state, int)}
            self.state = paid.pop() if len(paid) == 1 else 0
        else:
            numbers = {state[1] for state in unknown if isinstance(state, tuple)}
            self.state = numbers.pop() if len(numbers) == 1 else 0
        if self.contradiction:
            self.state = 0

        history = [set(states) for states in map(self.named_by, self.items(True)) if states]
        self.paid = sum(states == {SUCCESSFUL} for states in history)
        top_contradicts = self.top_false if word_is_state else self.top_progress or self.top_failure
        if self.state == SUCCESSFUL:
            refused = bool(self.payment_codes - {0, 200})
            self.contradiction |= top_contradicts or refused or bool(history and not self.paid)
        self.failed_beside = False
        if self.state == FAILED:
            self.contradiction |= any(states != {FAILED} for states in history)
            progress = self.top_progress and not word_is_state
            self.failed_beside = progress or bool(GOOD & self.payment_codes) or bool({1, 2} & self.top_codes)
        if self.contradiction:
            self.state = 0
        self.own_failed = self.state == FAILED and FAILED in own and self.row["reports_state"]
        elements = data if isinstance(data, list) else []
        self.element_failed = any(FAILED in self.named_by(item) for item in elements)
        self.said = self.state if self.row["reports_state"] and not self.twice else 0

    def at(self, root, pointer):
        """The values at a pointer, with names in any case, and whether another one stands beside each."""
        values = [root]
        for name in pointer.split("/")[1:]:
            values = [inner for value in values for inner in named(value, fold(name))]
        return values

    def names_another(self, request):
        """A reference that is not the request's, or two of a kind that are not the same."""
        ours, theirs = {}, {}
        for place in self.row["asked"]:
            values = [value for value in self.at(request, place["pointer"]) if word(value)]
            ours.setdefault(place["kind"], set()).update(compared(place["kind"], value) for value in values)
        for place in self.row["named"]:
            kind, values = place["kind"], self.at(self.root, place["pointer"])
            if place.get("unless") and any(not names_nothing(value) for value in self.at(self.root, place["unless"])):
                continue
            theirs.setdefault(kind, set()).update(compared(kind, value) for value in values if not names_nothing(value))
        return any(len(found) > 1 or (ours.get(kind) and not found <= ours[kind]) for kind, found in theirs.items())

    def has_subject(self):
        value = self.root
        if self.row["subject"] is None:
            return False
        for name in self.row["subject"].split("/")[1:]:
            value = exactly(value, name)
        is_number = isinstance(value, Number) or (is_text(value) and DIGITS.match(word(value)))
        return bool(is_number) or (isinstance(value, Object) and bool(value.members))


# --- The tables ---

MARK = b"\xef\xbb\xbf"
BEGINS = re.compile(rb"(?:[ \t\r\n\f\v]|\xef\xbb\xbf)*[{\[]")
BEFORE_EXECUTION = {400, 401, 404, 405, 407, 410, 411, 412, 413, 414, 415, 416, 417, 421, 426, 428, 431}


def verdict(line, status, outcome, state=0, again=False):
    return {"line": line, "status": status, "outcome": outcome, "state": state, "again": again}


def unknown(line, state=0, status="E_RESPONSE", again=False):
    return verdict(line, status, "UNKNOWN", state, again)


def refusal(http):
    return "E_UNAUTHORIZED" if http in (401, 403) else "E_REJECTED"


def changing(reading, question, whole):
    http, after_429, r = question["http"], question["after_429"], reading
    late = question["ended"] == "late"
    state = r.said if r else 0
    if question["arrival"] == "not sent":
        if after_429:
            return verdict("1", "E_RATE_LIMITED", "REJECTED", 0, True)
        return verdict("1", "E_TRANSPORT", "NOT_SENT", 0, True)
    if question["arrival"] == "silence":
        return unknown("2", 0, "E_TIMEOUT" if late else "E_TRANSPORT")
    if not 200 <= http < 300 and not 400 <= http < 600:
        return unknown("3", state)
    if http >= 500:
        return unknown("4", state, "E_SERVER")
    if http == 408:
        return unknown("5", state, "E_TIMEOUT")
    if not whole:
        return unknown("6", 0, "E_TIMEOUT" if late else "E_RESPONSE")
    if r is None:
        r = Reading(None, question["row"], None)
    if http != 429 and (r.twice or r.other_request or (r.success_any and (r.failure_any or r.weak))):
        return unknown("7", state)
    if http == 429:
        if r.success_any or r.denies or r.names_state or r.twice:
            return unknown("8", state, "E_RATE_LIMITED")
        return verdict("9", "E_RATE_LIMITED", "REJECTED", state, True)
    if http >= 400 and r.success_any:
        return unknown("10", state)
    if r.failure_any and r.denies:
        return unknown("11", state)
    if r.failure_exact:
        if after_429 and not r.own_failed and http not in (401, 405, 413, 415):
            return unknown("12", state)
        return verdict("12", refusal(http), "REJECTED", state)
    if http >= 400:
        if r.denies:
            return unknown("13", state)
        if http not in BEFORE_EXECUTION:
            return unknown("15", state)
        if after_429 and http in (400, 404, 410, 412):
            return unknown("14", state)
        return verdict("14", refusal(http), "REJECTED", state)
    if not r.success_exact:
        return unknown("20", state)
    # top_codes are read in any case: all that they do is weaken.
    if r.contradiction or r.failed_beside or {4, 12} & r.top_codes or r.element_failed:
        return unknown("16")
    if r.own_failed:
        return verdict("17", "E_REJECTED", "REJECTED", FAILED)
    if r.state == FAILED:
        return unknown("18")
    return verdict("19", "OK", "CONFIRMED", state)


def reads(reading, question, whole):
    http, row, r = question["http"], question["row"], reading
    late = question["ended"] == "late"
    cut = question["ended"] in ("cut", "close")
    if question["arrival"] == "not sent":
        return verdict("r1", "E_TRANSPORT", "NOT_SENT", 0, True)
    if question["arrival"] == "silence":
        return unknown("r2", 0, "E_TIMEOUT" if late else "E_TRANSPORT", not late)
    if not 200 <= http < 300 and not 400 <= http < 600:
        return unknown("r3", again=cut)
    if http >= 500:
        return unknown("r4", 0, "E_SERVER", not late)
    if http == 408:
        return unknown("r5", 0, "E_TIMEOUT", not late)
    if not whole:
        return unknown("r6", 0, "E_TIMEOUT" if late else "E_RESPONSE", not late and (cut or http == 429))
    if r is None:
        r = Reading(None, row, None)
    if http != 429 and r.other_request:
        return unknown("r7")
    if http != 429 and r.twice:
        return unknown("r8", again=cut)
    if http == 429:
        if r.twice:
            return unknown("r9", 0, "E_RATE_LIMITED", True)
        return verdict("r10", "E_RATE_LIMITED", "REJECTED", 0, True)
    failed = r.failure_any or r.weak
    if http < 300 and r.subject:
        lost = r.state == SUCCESSFUL and failed and row["envelope"] != "payment state"
        return verdict("r11", "OK", "CONFIRMED", 0 if lost else r.said)
    if r.success_exact and failed:
        return unknown("r12")
    if http >= 400 or r.failure_any:
        return verdict("r13", refusal(http), "REJECTED")
    if r.success_exact or r.own_member:
        return verdict("r14", "OK", "CONFIRMED")
    return unknown("r15")


def judge(rows, question):
    """The verdict on one line of the input."""
    row = rows[question["row"]]
    question = {**question, "row": row}
    body = question["body"].encode("latin-1")
    text = body[len(MARK) :] if body.startswith(MARK) else body
    try:
        root, is_json = parse(text.decode("utf-8")), True
    except ValueError:
        root, is_json = None, False
    ended = question["ended"]
    whole = ended not in ("cut", "late") and not question["encoded"]
    if ended == "close" and (not is_json or isinstance(root, Number)):
        # A number may have lost its last digits.
        whole = False
    if not is_json and BEGINS.match(body):
        whole = False
    reading = Reading(root, row, parse(question["request"])) if is_json and whole else None
    return (reads if row["safety"] == "reads" else changing)(reading, question, whole)


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        return {row["name"]: row for row in json.load(file)}


def main():
    sys.setrecursionlimit(9000)  # For documents that are nested as deep as maker.py makes them.
    rows = read_rows(sys.argv[1])
    for line in sys.stdin:
        question = json.loads(line)
        question["verdict"] = judge(rows, question)
        sys.stdout.write(json.dumps(question) + "\n")


if __name__ == "__main__":
    main()
