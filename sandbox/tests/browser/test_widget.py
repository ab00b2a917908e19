"""The widget on a merchant's page of another origin, which knows of the sandbox only the address of the script."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SECONDS, Browser, Sandbox
from selenium.webdriver.common.keys import Keys


@contextlib.contextmanager
def serve(page: str) -> Iterator[str]:
    """The address of the page, of another host name, and so of another site for the browser."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def shop(sandbox: Sandbox) -> Iterator[str]:
    """The address of the merchant's page."""
    page = Path(__file__).with_name("shop.html").read_text()
    for name, value in {**sandbox.start, "sandbox": sandbox.base}.items():
        page = page.replace(f"{{{name}}}", str(value))
    with serve(page) as address:
        yield address


def change(browser: Browser, options: dict[str, object]) -> None:
    browser.driver.execute_script("window.change = arguments[0]", options)


def seen(browser: Browser, count: int) -> list[str]:
    """What the page was told, once there are so many."""
    told: list[str] = browser.until(
        lambda: (lines := [it.text for it in browser.all("#seen li")])[count - 1 :] and lines, "no more"
    )
    return told


def into_frame(browser: Browser) -> None:
    browser.driver.switch_to.frame(browser.one("dialog iframe"))
    browser.shows("Sandbox checkout")


def test_a_customer_pays(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    browser.open(shop)
    browser.click("Pay now")
    into_frame(browser)
    browser.shows("2500.50 NGN")
    browser.click("Pay 2538.50 NGN")
    browser.driver.switch_to.default_content()
    # Shop plug-ins note the payment in onCompleted and go on in onClose.
    assert seen(browser, 2) == ["completed successful", "closed"]
    assert browser.all("dialog") == []
    data = browser.driver.execute_script("return window.completed")
    verified = sandbox.verify("SHOP-1")
    assert verified["status"] == "Successful"
    assert {**data, "status": "Successful"} == verified
    [event] = sandbox.get("webhooks")["deliveries"]
    assert (event["event"], event["key"]) == ("payment", "SHOP-1")
    assert [entry["effect"] for entry in sandbox.get("ledger")["ledger"]] == ["order_created", "charge_made"]
    # The reference is used now.
    browser.click("Pay now")
    browser.shows("error An order with this reference already exists.", "#seen")
    expect_refused(browser, 400)


def test_the_page_of_the_readme(browser: Browser, sandbox: Sandbox) -> None:
    readme = Path(__file__).parents[2].joinpath("README.md").read_text()
    page = readme.split("```html\n")[1].split("```")[0]
    for shown, real in [
        ("http://127.0.0.1:8080", sandbox.base),
        ("PGW-PUBLICKEY-TEST-…", sandbox.start["public_key"]),
        ("NDA5NiE8UlN…", sandbox.start["encryption_key"]),
    ]:
        assert shown in page
        page = page.replace(shown, real)
    with serve(f"<!doctype html><meta charset=utf-8><body>{page}") as address:
        browser.open(address)
        into_frame(browser)
        browser.click("Pay 2538.50 NGN")
        browser.driver.switch_to.default_content()
        browser.until(lambda: not browser.all("dialog"), "the dialog is open")
    assert sandbox.verify("ORDER-1")["status"] == "Successful"


def test_a_declined_payment_is_completed_as_failed(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    browser.open(shop)
    browser.click("Pay now")
    into_frame(browser)
    browser.click("Decline")
    browser.driver.switch_to.default_content()
    assert seen(browser, 2) == ["completed failed", "closed"]
    assert sandbox.verify("SHOP-1")["status"] == "Failed"


def test_an_unpaid_order_is_opened_again(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    # The shop's server made the reference known.
    sandbox.encrypted("/payment/order/create", {"order": {"reference": "SHOP-1", "amount": "2500.50"}})
    browser.open(shop)
    for _ in range(2):
        browser.click("Pay now")
        into_frame(browser)
        browser.driver.switch_to.default_content()
        browser.click("Close")
    # The customer must not get the goods for another price.
    change(browser, {"amount": "1"})
    browser.click("Pay now")
    browser.shows("error An order with this reference exists, of 2500.50 NGN.", "#seen")
    expect_refused(browser, 400)
    change(browser, {})
    browser.click("Pay now")
    into_frame(browser)
    browser.click("Pay 2538.50 NGN")
    browser.driver.switch_to.default_content()
    assert seen(browser, 5)[3:] == ["completed successful", "closed"]
    assert len(sandbox.get("orders")["orders"]) == 1


@pytest.mark.parametrize("how", ["sent", "arrives", "expires"])
def test_a_bank_transfer_is_pending_then_paid_or_not(browser: Browser, sandbox: Sandbox, shop: str, how: str) -> None:
    browser.open(shop)
    browser.click("Pay now")
    into_frame(browser)
    browser.click("Pay 2520.50 NGN by bank transfer")
    browser.shows("Pending")
    [payment] = sandbox.get("orders")["orders"][0]["payments"]
    browser.shows(payment["instrument"])
    if how == "sent":
        browser.click("I have sent 2520.50 NGN")
    if how == "arrives":
        transfer = {"accountNumber": payment["instrument"], "amount": "2520.50", "senderName": "Ada"}
        sandbox.post("fund", transfer)
    if how == "expires":
        browser.click("Send nothing until it expires")
    browser.driver.switch_to.default_content()
    expected = "failed" if how == "expires" else "successful"
    assert seen(browser, 2) == [f"completed {expected}", "closed"]
    assert sandbox.verify("SHOP-1")["status"].lower() == expected


def test_a_transfer_that_is_awaited_survives_the_dialog(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    browser.open(shop)
    browser.click("Pay now")
    into_frame(browser)
    browser.click("Pay 2520.50 NGN by bank transfer")
    browser.shows("Pending")
    browser.driver.switch_to.default_content()
    browser.click("Close")
    assert seen(browser, 1) == ["closed"]
    browser.click("Pay now")
    into_frame(browser)
    browser.shows("Pending")
    assert len(sandbox.get("orders")["orders"][0]["payments"]) == 1


@pytest.mark.parametrize(
    ("fault", "expected"),
    [("widget_no_completed", ["closed"]), ("widget_no_close", ["completed successful"])],
)
def test_what_authors_report_can_be_chosen(
    browser: Browser, sandbox: Sandbox, shop: str, fault: str, expected: list[str]
) -> None:
    browser.open(shop)
    change(browser, {"reference": f"sbx-{fault}-1", "merchantReference": None})
    browser.click("Pay now")
    into_frame(browser)
    browser.click("Pay 2538.50 NGN")
    browser.driver.switch_to.default_content()
    browser.until(lambda: not browser.all("dialog"), "the dialog is open")
    assert seen(browser, 1) == expected
    assert sandbox.verify(f"sbx-{fault}-1")["status"] == "Successful"


def test_an_amount_can_be_read_in_minor_units(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    sandbox.post("faults", {"fault": "widget_minor_units", "path": "/v1/checkout"})
    browser.open(shop)
    change(browser, {"amount": 250050})
    browser.click("Pay now")
    into_frame(browser)
    browser.shows("2500.50 NGN")


@pytest.mark.parametrize("how", ["button", "escape", "escape in the frame"])
def test_a_customer_closes_the_dialog(browser: Browser, sandbox: Sandbox, shop: str, how: str) -> None:
    browser.open(shop)
    browser.named("Pay now").send_keys(Keys.ENTER)
    into_frame(browser)
    if how == "escape in the frame":
        browser.named("Decline").send_keys(Keys.ESCAPE)
    browser.driver.switch_to.default_content()
    if how == "button":
        browser.named("Close").send_keys(Keys.ENTER)
    if how == "escape":
        browser.named("Close").send_keys(Keys.ESCAPE)
    browser.shows("closed", "#seen")
    assert browser.all("dialog") == []
    assert browser.driver.switch_to.active_element.accessible_name == "Pay now"
    assert sandbox.get("state")["orders"][0]["status"] == "Initiated"


def test_the_focus_stays_in_the_dialog(browser: Browser, shop: str) -> None:
    browser.open(shop)
    browser.click("Pay now")
    into_frame(browser)
    browser.driver.switch_to.default_content()
    for _ in range(8):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        outside = "return document.activeElement !== document.body && !document.activeElement.closest('dialog')"
        assert not browser.driver.execute_script(outside)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ({"apiKey": None}, 401, "api-key was not passed in the header."),
        ({"apiKey": "PGW-PUBLICKEY-TEST-0"}, 401, "api-key is not valid."),
        ({"encryptionKey": "other"}, 400, "The encryptionKey is not the one of this sandbox"),
        ({"amount": "12,50"}, 400, "The amount field must be a decimal number such as 100.00."),
        ({"amount": 0.1 + 0.2}, 400, "The amount field has more than two decimals."),
        ({"amount": None}, 400, "The amount field is required."),
        ({"currency": "NAIRA"}, 400, "The currency is not a currency code such as NGN."),
        ({"apiKey": "\u20ac"}, 0, "No usable answer from http"),
    ],
)
def test_errors_are_told(browser: Browser, shop: str, options: dict[str, object], status: int, words: str) -> None:
    browser.open(shop)
    change(browser, options)
    browser.click("Pay now")
    browser.shows(f"error {words}", "#seen")
    assert browser.all("dialog") == []
    if status:
        expect_refused(browser, status)


def test_only_the_widget_may_be_called_from_another_origin(browser: Browser, sandbox: Sandbox, shop: str) -> None:
    asked = {"origin": shop, "access-control-request-method": "POST", "access-control-request-private-network": "true"}
    request = urllib.request.Request(f"{sandbox.base}/v1/checkout", headers=asked, method="OPTIONS")
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        assert answer.headers["access-control-allow-headers"] == "api-key, content-type"
        assert answer.headers["access-control-allow-private-network"] == "true"
    browser.open(shop)
    for path in ["/payment/banks", "/sandbox/state", "/sandbox/requests"]:
        read = "fetch(arguments[0]).then(() => 'read', () => 'refused').then(arguments[1])"
        assert browser.driver.execute_async_script(read, sandbox.base + path) == "refused"
    refused = browser.console()
    assert len([it for it in refused if "CORS policy" in it]) == 3, refused
    # A call whose response the page cannot read changes nothing either.
    sandbox.post("orders", {"reference": "STAYS", "amount": "5"})
    blind = "fetch(arguments[0], { method: 'POST', mode: 'no-cors' }).then(() => arguments[1]())"
    browser.driver.execute_async_script(blind, f"{sandbox.base}/sandbox/reset")
    assert len(sandbox.get("orders")["orders"]) == 1
    assert "403" in browser.console()[0]


def expect_refused(browser: Browser, status: int) -> None:
    """The browser itself writes a line about a response that is an error."""
    [message] = browser.console()
    assert json.dumps(status) in message
    assert "/v1/checkout" in message
