"""A second reader of a response's proof: the rules of docs/verdicts.md, written from the document alone, so that
the library's verdicts can be compared with them. It imports neither the library nor its tables; what it knows about an
endpoint is ROWS, which the tests render from the tables, and it reads the words of doubt and refusal from the document.

    reader.py ROWS <questions >verdicts

A line is a JSON object: `row` (a name in ROWS), `request` (its JSON text), `arrival` ("answer", "silence" or "not
sent"), `http`, `body` (a character for each byte), `ended` ("whole", "close": by its connection, "cut" or "late"),
`encoded`, `content_type` and `after_429`. The same line is written with a `verdict`: line of the table, status,
outcome, state, and whether the request is sent again.
"""

import decimal
import functools
import json
import os
import re
import sys
import unicodedata

# --- JSON, exactly as it is written ---


class Number(str):
    """A number as its text."""


class Object:
    """The fields in their order; a name may stand twice."""

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
    """Every field at every depth."""
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
IN_DOUBT = {6, 9, 19, 20, 22, 26, 68, 90, 91, *range(94, 98), 99, 408, 409, *range(423, 426), 429, *range(499, 600)}
GOOD = {0, 200, 1, 2} | IN_DOUBT
BAD = set(range(3, 100)) | set(range(400, 499))
BAD -= GOOD
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
    """The values of an object's fields of these names, in any case."""
    if not isinstance(value, Object):
        return []
    return [inner for name, inner in value.members if fold(name) in names]


def exactly(value, name):
    """The field of exactly that name, or None."""
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
    """The state that a field statusId, status or paymentStatus names; None for nothing."""
    if name == "statusid":
        return state_of_id(value)
    if names_nothing(value):
        return None
    if not is_text(value):
        return UNKNOWN
    if in_data and name == "status" and word(value) == "success":
        return SUCCESS
    return state_of_word(word(value)) or UNKNOWN


# --- What texts say ---


class Table:
    """The words of docs/verdicts.md."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            part = file.read().split("<!-- refusals -->")[1].split("<!-- /refusals -->")[0]
        self.groups = {"doubt": [], "doubt unless denied": [], "weak doubt": [], "proof of refusal": []}
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) == 5 and cells[2] in self.groups:
                self.groups[cells[2]] += [entry(text) for text in cells[1].split(", ")]
        rules = re.sub(r"\n +", " ", part)

        def listed(pattern):
            return re.search(pattern, rules)[1].split(", ")

        self.after_already = listed(r"directly before (.*?)\.")
        self.denials = set(listed(r"Denials: (.*?);"))
        self.between = set(listed(r"may stand: (.*?)\."))
        self.persons = listed(r"whose name contains (.*?):")
        self.of_payments = listed(r"whose name contains .*?: (.*?)\.")


def entry(text):
    """The words of an entry, and whether the last one may go on."""
    return text.rstrip("=").split(" "), not text.endswith("=")


TABLE = Table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "verdicts.md"))
NOT = re.compile(r"(?<=[nN])['\u2019][tT](?![^\W_])")
# A denial may reach over these.
JOINS = re.compile(r"(?:[\s_'\u2019]*|-)\Z")


def words_of(text):
    """The folded words of a text, and for each whether a denial before it may reach it."""
    text = NOT.sub(" not ", "".join(c for c in text if not "\u0300" <= c <= "\u036f"))
    found, between = [], "."
    for part in re.findall(r"[^\W_]+|[\W_]+", text):
        if re.match(r"[\W_]", part):
            between = part
            continue
        case = "".join("u" if c.isupper() else "l" if c.islower() else "-" for c in part)
        cuts = [at for at in range(1, len(part)) if case[at - 1 : at + 1] == "lu" or case[at - 1 : at + 2] == "uul"]
        for start, end in zip([0, *cuts], [*cuts, len(part)]):
            plain = unicodedata.normalize("NFD", part[start:end].lower())
            plain = "".join(c for c in plain if not "\u0300" <= c <= "\u036f")
            found.append((plain, start > 0 or bool(JOINS.match(between))))
    return found


def places(words, one):
    """Where an entry begins in a text."""
    run, may_go_on = one
    for at in range(len(words) - len(run) + 1):
        own = [word for word, _ in words[at : at + len(run)]]
        if own[:-1] == run[:-1] and (own[-1].startswith(run[-1]) if may_go_on else own[-1] == run[-1]):
            yield at


def is_denied(words, at):
    while at > 0 and words[at][1]:
        at -= 1
        if words[at][0] in TABLE.denials:
            return True
        if words[at][0] not in TABLE.between:
            return False
    return False


def is_plain(words, at, run):
    """Returns whether "already" stands directly before a word like "expired"."""
    after = words[at + 1] if at + 1 < len(words) else ("", False)
    return run in (["already"], ["deja"]) and after[1] and after[0].startswith(tuple(TABLE.after_already))


@functools.lru_cache(maxsize=1 << 16)
def says(text, of_person=False):
    """Which of "doubt", "weak doubt" and "proof of refusal" a text says."""
    words, said = words_of(text), set()
    plain = " ".join(word for word, _ in words)
    for meaning, entries in TABLE.groups.items():
        for one in (one for one in entries if " ".join(one[0]) in plain):
            if of_person and " ".join(one[0]) in TABLE.of_payments and meaning in ("doubt", "weak doubt"):
                continue
            for at in places(words, one):
                if meaning == "proof of refusal" or (meaning == "doubt" and not is_plain(words, at, one[0])):
                    said.add(meaning)
                elif meaning != "doubt" and not is_denied(words, at):
                    said.add("weak doubt" if meaning == "weak doubt" else "doubt")
    return said


def last_step(path):
    steps = [step for step in re.split(r"[./\[\]]", path) if step and not re.fullmatch("[0-9]+", step)]
    return steps[-1] if steps else ""


MOST_SEARCHED = 64 * 1024


class Searched:
    """The texts of a response: their meaning and their lengths."""

    def __init__(self, fields):
        self.fields, self.said, self.length = {fold(name) for name in fields}, set(), 0

    def add(self, text, of_person=False, proves=True):
        try:
            self.length += len(text.encode())
        except UnicodeEncodeError:
            self.said.add("doubt")
            return
        if self.length > MOST_SEARCHED:
            self.said.add("doubt")
            return
        self.said |= {one for one in says(text, of_person) if proves or one != "proof of refusal"}

    def is_field(self, name):
        return fold(last_step(name)) in self.fields

    def search(self, root):
        for name, value in root.members if isinstance(root, Object) else [("", root)]:
            if fold(name) == "data" and isinstance(root, Object):
                self.data(value, is_named=False, is_message=False, in_list=False)
            elif fold(name) == "errors" and isinstance(root, Object):
                self.errors(value, name == "errors", False)
            else:
                for one in everything(value):
                    if is_text(one):
                        self.add(one)

    def data(self, value, is_named, is_message, in_list):
        if is_text(value) and (is_message or not is_named):
            self.add(value, proves=is_message and not in_list)
        for item in value if isinstance(value, list) else ():
            self.data(item, is_named, is_message, True)
        for name, inner in value.members if isinstance(value, Object) else ():
            ends = fold(name).endswith(("message", "reason", "remarks"))
            self.data(inner, True, is_message or ends or fold(name) in CODES, in_list)

    def errors(self, value, exact, of_person):
        if is_text(value):
            self.add(value, of_person)
        for item in value if isinstance(value, list) else ():
            self.errors(item, exact, of_person)
        for name, inner in value.members if isinstance(value, Object) else ():
            if any(one in fold(last_step(name)) for one in TABLE.persons):
                self.errors(inner, exact, exact)
            elif self.is_field(name):
                self.errors(inner, exact, False)
            else:
                self.add(name, proves=False)
                self.errors(inner, exact, of_person)


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
    """Without leading zeros; the words of a code that is none; -1 for another number; None for no code."""
    text = word(value)
    if not text:
        return None
    if DIGITS.match(text):
        return int(text)
    return -1 if isinstance(value, Number) else Words(value)


class Words(str):
    """A code that is words."""


def is_good(code):
    """A code of success, progress or doubt."""
    return bool(says(code) & {"doubt", "weak doubt"}) if isinstance(code, Words) else code in GOOD


# --- What a response says ---

STATE_NAMES = {"statusid": "statusId", "status": "status", "paymentstatus": "paymentStatus"}
ORDERS = {"orderpayment": "orderPayment", "ordersummary": "orderSummary", "order": "order"}


class Reading:
    """Weakening evidence is read from names in any case (`any`), strengthening from the exact ones (`exact`)."""

    def __init__(self, root, row, request):
        self.root, self.row = root, row
        self.success_any = self.success_exact = self.failure_any = self.failure_exact = self.weak = False
        self.denies = self.names_state = False
        self.request = request
        self.twice = has_name_twice(root)
        self.votes()
        self.codes()
        self.deny()
        self.states()
        self.texts()
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
        """Each field called data, and whether it is called exactly so."""
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

    def texts(self):
        """Reads the texts of a refusal, and whether anything proves it."""
        fields = self.row["fields"]
        if self.row["name"].startswith("request "):
            sent = [value for name, value in self.request.members if name in ("body", "query")] if self.request else []
            fields = [name for value in sent for name, _ in within(value)]
        searched = Searched(fields)
        searched.search(self.root)
        data = exactly(self.root, "data")
        own = [self.root, data, *(exactly(data, name) for name in ORDERS.values())]
        failures = {code(exactly(one, name)) for one in own for name in CODE_NAMES} & BAD
        weak = "weak doubt" in searched.said and not self.own_failed and not failures - {4}
        self.denies |= "doubt" in searched.said or weak
        errors = exactly(self.root, "errors")
        names = [name for name, _ in errors.members] if isinstance(errors, Object) else []
        of_fields = all(searched.is_field(name) or fold(last_step(name)) == "data" for name in names)
        self.proven = bool(
            failures or self.own_failed or (names and of_fields) or "proof of refusal" in searched.said
        )

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
            self.failed_beside = progress or any(map(is_good, self.payment_codes)) or bool({1, 2} & self.top_codes)
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


REFUSING = {*range(400, 406), 407, *range(410, 418), 421, 422, 426, 428, 431}


def verdict(line, status, outcome, state=0, again=False):
    return {"line": line, "status": status, "outcome": outcome, "state": state, "again": again}


def unknown(line, state=0, status="E_RESPONSE", again=False):
    return verdict(line, status, "UNKNOWN", state, again)


def refusal(http):
    return "E_UNAUTHORIZED" if http in (401, 403) else "E_REJECTED"


def said_by(text):
    searched = Searched([])
    searched.add(text, proves=False)
    return searched.said


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
        r.denies = http >= 400 and question["text"] is not None and bool(said_by(question["text"]))
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
    if r.failure_exact and not (http in REFUSING or (http < 300 and r.proven)):
        return unknown("12b", state)
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
    says_json = "json" in (question.get("content_type") or "").split(";")[0].lower()
    if not is_json and (says_json or BEGINS.match(body)):
        whole = False
    is_page = body.lstrip(b" \t\r\n\f").startswith(b"<")
    question["text"] = None if is_json or is_page else body.decode("utf-8", "replace")
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
