"""The page: what happens appears by itself, and its buttons do what they say."""

from __future__ import annotations

import http.server
import threading
import urllib.error
from collections.abc import Iterator

import pytest
from conftest import Browser, Sandbox
from selenium.webdriver.common.keys import Keys

ROW = "tbody tr"


@pytest.fixture
def page(browser: Browser, sandbox: Sandbox) -> Browser:
    """The page, which must not be loaded again by what a test does."""
    browser.open(sandbox.base)
    browser.shows("live", "#live")
    return browser


def test_a_charge_from_outside_appears(page: Browser, sandbox: Sandbox) -> None:
    page.shows("No orders")
    page.driver.execute_script("window.isTheSame = true")
    sandbox.charge("ORDER-1")
    page.shows("ORDER-1", ROW)
    page.shows("2500.50 NGN", ROW)
    page.shows("Successful", ROW)
    page.shows("1", "[data-count=requests]")
    page.click("Ledger 2")
    page.shows("charge_made", ROW)
    sandbox.call("POST", "/payment/order/refund", {"reference": "ORDER-1", "amount": "20"}, key="secret_key")
    page.shows("refund_made", ROW)
    page.shows("20.00 NGN", ROW)
    page.click("Orders 1")
    page.shows("20.00", f"{ROW} .wide")
    assert page.driver.execute_script("return window.isTheSame")


def test_the_charge_whose_answer_is_lost(page: Browser, sandbox: Sandbox) -> None:
    reference = page.named("New order").get_dom_attribute("value")
    page.click("Make the charge, lose the response")
    page.shows(f"Order {reference}", "h2")
    knows, did = ".both > div:first-child", ".both > div:last-child"
    page.shows("no response: unknown", knows)
    page.shows("charged 2500.50 NGN", did)
    page.shows("it asks with order verify")
    picture = page.one("svg[role=img]").accessible_name
    assert "with commit_then_reset; the service: charged 2500.50 NGN; the till: no response: unknown" in picture
    assert [entry["effect"] for entry in sandbox.get("ledger")["ledger"]] == ["order_created", "charge_made"]
    # The till asks.
    assert sandbox.verify(str(reference))["statusId"] == 5
    page.shows("paid", knows)
    page.shows_no("it asks with order verify")


def test_an_order_that_is_open_is_charged_from_its_view(page: Browser, sandbox: Sandbox) -> None:
    sandbox.post("orders", {"reference": "OPEN", "amount": "5"})
    page.click("OPEN")
    page.shows("not charged", ".both")
    page.click("Make the charge, lose the response")
    page.shows("charged 5.00 NGN", ".both")
    page.until(lambda: "Make the charge" not in page.text(), "it can be charged again")
    page.shows("PGW-PAYREF-")


def test_a_refusal_is_shown(page: Browser, sandbox: Sandbox) -> None:
    sandbox.charge("TAKEN")
    page.type("New order", "TAKEN")
    page.click("Make the charge, lose the response")
    page.shows("An order with this reference already exists.", "[role=alert]")
    [message] = page.console()
    assert "400" in message


def test_a_mandate_is_approved_and_its_code_is_shown(page: Browser, sandbox: Sandbox) -> None:
    payload = {"orderReference": "DD-1", "accountNumber": "0690000001", "bankCode": "058"}
    created = sandbox.encrypted("/payment/order/direct-debit/create", payload)
    code = created["data"]["mandateCode"]
    page.click("Mandates 1")
    page.shows("pending", ROW)
    page.click(f"Approve {code}")
    page.shows("active", ROW)
    assert sandbox.get("mandates")["mandates"][0]["active"] is True
    page.shows("none waits", ROW)
    sandbox.encrypted("/payment/order/direct-debit/otp", {"mandateCode": code, "amount": "100"})
    page.shows(sandbox.get(f"otp/{code}")["otp"], ROW)


def status(sandbox: Sandbox) -> int:
    try:
        sandbox.call("GET", "/payment/banks", key="public_key")
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def test_faults_are_switched_on_and_off(page: Browser, sandbox: Sandbox) -> None:
    page.click("Faults 0")
    page.type("Search faults", "commit_then_502")
    page.until(
        lambda: [it.text for it in page.all(f"{ROW} code") if it.is_displayed()] == ["commit_then_502"], "search"
    )
    switch = page.named("commit_then_502")
    switch.click()
    page.until(lambda: switch.get_dom_attribute("aria-checked") == "true", "the switch is not on")
    page.shows("1 of the requests to any path, acted 0 times")
    assert [status(sandbox), status(sandbox)] == [502, 200]
    page.until(lambda: switch.get_dom_attribute("aria-checked") == "false", "the switch is still on")
    page.shows("acted 1 times")
    page.choose("A switch acts on", "every request")
    page.choose("to", "/payment/banks")
    switch.click()
    page.shows("every request to /payment/banks")
    assert [status(sandbox), status(sandbox)] == [502, 502]
    page.shows("acted 2 times")
    switch.click()
    page.until(lambda: switch.text == "off", "the switch is still on")
    assert (status(sandbox), sandbox.get("faults")["rules"]) == (200, [])
    # A fault that cannot be switched on shows the reason.
    page.type("Search faults", "tls_")
    page.click("tls_expired")
    page.shows("needs a sandbox that was started with --tls", "[role=alert]")
    assert "400" in page.console()[0]


def test_requests_are_searched_filtered_and_opened(page: Browser, sandbox: Sandbox) -> None:
    sandbox.charge("FIRST")
    sandbox.charge("SECOND", "7.20")
    status(sandbox)
    page.click("Requests 3")

    def count() -> int:
        return len(page.all("tbody tr:not(.detail)"))

    page.until(lambda: count() == 3, "three rows")
    page.type("Search anything in a request or its response", "second")
    page.until(lambda: count() == 1, "one row")
    page.click("Details of 2")
    page.shows("************1111", "pre")
    page.shows('"amount": "7.20"', "pre")
    # Amounts that are numbers keep their digits, too.
    page.shows('"totalAmount": 7.20', "pre")
    assert "4111111111111111" not in page.driver.page_source
    # It stays open when something happens.
    sandbox.charge("SECOND-2")
    page.until(lambda: count() == 2, "two rows")
    page.shows("************1111", "pre")
    page.type("Search anything in a request or its response", "")
    page.choose("Show", "those that changed something")
    page.until(lambda: count() == 3, "the charges")
    page.choose("Show", "errors")
    page.until(lambda: count() == 0, "no errors")


@pytest.fixture
def received() -> Iterator[tuple[str, list[bytes]]]:
    """A receiver of webhooks: its address and what it has got."""
    bodies: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", bodies
    server.shutdown()
    server.server_close()


def test_a_webhook_is_sent_again(page: Browser, sandbox: Sandbox, received: tuple[str, list[bytes]]) -> None:
    url, bodies = received
    sandbox.post("webhooks", {"url": url})
    sandbox.charge("HOOK")
    page.click("Webhooks 1")
    page.shows("payment said successful", ROW)
    page.shows("received", ROW)
    page.click("Resend 1")
    page.shows("2", "[data-count=webhooks]")
    page.until(lambda: len(bodies) == 2, "it was not sent again")
    assert bodies[0] == bodies[1]
    page.click("Details of 2")
    page.shows('"orderReference": "HOOK"', "pre")
    page.shows("Copy of", "dl")


def test_where_and_how_webhooks_are_sent(page: Browser, sandbox: Sandbox, received: tuple[str, list[bytes]]) -> None:
    url, bodies = received
    page.click("Webhooks 0")
    page.type("Send events to", url)
    page.choose("Form", "pascal")
    page.click("Attempts, copies, order")
    page.type("Further copies", "1")
    page.click("Save")
    page.until(lambda: sandbox.get("webhooks")["url"] == url, "it was not saved")
    sandbox.charge("HOOK")
    page.until(lambda: len(bodies) == 2, "not sent twice")
    assert b'"Data"' in bodies[0]
    # Another program's change appears, and the text being typed stays.
    page.type("Send events to", "https://elsewhere.example/")
    sandbox.post("webhooks", {"form": "flat", "duplicates": 0})
    page.until(lambda: page.named("Form").get_property("value") == "flat", "the form is not shown")
    assert page.named("Further copies").get_property("value") == "0"
    assert page.named("Send events to").get_property("value") == "https://elsewhere.example/"
    page.click("Save")
    page.shows("The url field is wrong", "[role=alert]")
    assert sandbox.get("webhooks")["url"] == url
    assert "400" in page.console()[0]


def test_the_keyboard_is_enough(page: Browser, sandbox: Sandbox) -> None:
    sandbox.charge("KEYS")

    def reach(name: str) -> None:
        for _ in range(40):
            page.driver.switch_to.active_element.send_keys(Keys.TAB)
            if page.driver.switch_to.active_element.accessible_name == name:
                return
        pytest.fail(f"no way to {name}")

    page.shows("KEYS", ROW)
    reach("Requests 1")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.shows("/payment/order/create", ROW)
    reach("Details of 1")
    page.driver.switch_to.active_element.send_keys(Keys.SPACE)
    page.shows("************1111", "pre")
    # Changes meanwhile do not take the focus away.
    sandbox.charge("MORE")
    page.until(lambda: len(page.all("tbody tr:not(.detail)")) == 2, "two rows")
    focused = page.driver.switch_to.active_element
    assert focused.accessible_name == "Details of 1"
    assert focused.get_dom_attribute("aria-expanded") == "true"
    focused.send_keys(Keys.ENTER)
    page.until(lambda: not page.all("pre"), "it is still open")
    # Nor does it when the row of the button is drawn anew.
    sandbox.post("mandates", {"mandateCode": "MDTC-000001", "active": False})
    page.click("Mandates 1")
    page.shows("none waits", ROW)
    reach("Approve MDTC-000001")
    sandbox.encrypted("/payment/order/direct-debit/otp", {"mandateCode": "MDTC-000001", "amount": "100"})
    page.shows_no("none waits", ROW)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.shows("active", ROW)


@pytest.mark.parametrize(
    ("act", "status"),
    [("Customer pays", "Successful"), ("Customer declines", "Failed"), ("Customer walks away", "Failed")],
)
def test_the_customer_of_a_pending_order(page: Browser, sandbox: Sandbox, act: str, status: str) -> None:
    sandbox.post("orders", {"reference": "WAITS", "amount": "600"})
    sandbox.encrypted("/payment/order/pay", {"paymentOption": "BT", "reference": "WAITS", "BankTransfer": {}})
    page.shows("Pending", ROW)
    page.shows(sandbox.get("orders")["orders"][0]["created"][11:19], ROW)
    page.click("WAITS")
    [payment] = sandbox.get("orders")["orders"][0]["payments"]
    for words in ["600.00 NGN", "20.00 NGN", "620.00 NGN", payment["instrument"]]:
        page.shows(words, ".cards")
    page.shows("Account to transfer to", ".cards")
    assert page.named("Open the checkout").get_dom_attribute("href") == "/sandbox/checkout/5001"
    page.click(act)
    page.shows(status, ".head")
    page.shows(f"the event said {status.lower()}: sent nowhere", "svg text")
    page.until(lambda: "Customer pays" not in page.text(), "the customer can act again")
    assert sandbox.verify("WAITS")["status"] == status


def test_accounts_are_funded_and_payouts_end(page: Browser, sandbox: Sandbox) -> None:
    page.click("Accounts 0")
    page.type("Amount", "12.50")
    page.click("Transfer")
    page.shows("till-1", ROW)
    page.shows("12.50", ROW)
    page.click("Transfer")
    page.shows("25.00", ROW)
    paid = {"accountNumber": "0690000031", "accountName": "Ada", "bankCode": "000014", "amount": "12.30"}
    for reference in ["FIRST", "SECOND"]:
        sandbox.post("payouts", {"payoutDetails": [{"clientReference": reference, **paid}]})
    page.click("Payouts 2")
    page.click("Pay FIRST")
    page.click("Fail SECOND")
    page.shows("Successful", ROW)
    page.shows("Failed", ROW)
    assert [it["status"] for it in sandbox.get("payouts")["payouts"]] == ["Successful", "Failed"]


def test_a_refused_request_shows_what_is_known_of_it(page: Browser, sandbox: Sandbox) -> None:
    sandbox.charge("KNOWN")
    body = sandbox.post("encrypt", {"reference": "KNOWN"})
    with pytest.raises(urllib.error.HTTPError):
        sandbox.call("POST", "/payment/order/status", body, key="secret_key")
    page.click("Requests 2")
    page.shows("KNOWN", f"{ROW} code")
    page.click("Details of 2")
    page.shows("Not decrypted: the request was refused before")
    kinds = {it.text: it.get_dom_attribute("class") for it in page.all(f"{ROW}:first-child .chip")}
    assert kinds == {"401": "chip wait", "answered": "chip wait"}


def test_faults_that_act_come_first_and_each_rule_can_go(page: Browser, sandbox: Sandbox) -> None:
    for path in ["/payment/banks", "*"]:
        sandbox.post("faults", {"fault": "unauthorized", "path": path, "probability": 1})
    page.click("Faults 2")

    def first() -> list[str]:
        return [it.text for it in page.all(f"{ROW} td code")][:1]

    page.until(lambda: first() == ["unauthorized"], "it is not first")
    page.click("Remove rule 2")
    page.shows_no("every request to any path", ROW)
    page.shows("every request to /payment/banks", ROW)
    assert [rule["id"] for rule in sandbox.get("faults")["rules"]] == [1]
    page.click("Remove rule 1")
    page.until(lambda: first() != ["unauthorized"], "it is still first")


HOSTILE = "<img src=x onerror=hacked=1><script>'\"&"


def test_what_a_program_sends_is_text(page: Browser, sandbox: Sandbox) -> None:
    sandbox.charge(HOSTILE, "5")
    sandbox.post("mandates", {"mandateCode": HOSTILE, "orderReference": HOSTILE, "active": False})
    for view in ["Orders 1", "Ledger 3", "Mandates 1"]:
        page.click(view)
        page.shows(HOSTILE, ROW)
    page.click(f"Approve {HOSTILE}")
    page.shows("active", ROW)
    for view in ["Requests 1", "Webhooks 1"]:
        page.click(view)
        page.click("Details of 1")
        page.shows("<img src=x onerror=hacked=1><script>", "pre")
    page.click("Orders 1")
    page.click(HOSTILE)
    page.shows(HOSTILE, "h2")
    page.shows("charged 5.00 NGN", "svg text")
    assert not page.driver.execute_script("return window.hacked")
    assert page.all("main script, main img") == []
