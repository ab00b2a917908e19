"""The page with 10,000 requests, after a restart, in a narrow window and in both colour schemes."""

from __future__ import annotations

import http.client
import threading
from pathlib import Path

from conftest import SECONDS, Browser, Sandbox

BUILD = Path(__file__).parents[3] / "build"
MANY = 10_000
LISTS = ["orders", "requests", "ledger", "mandates", "accounts", "payouts", "webhooks", "faults"]
VIEWS = [*LISTS, "order/ORDER-42", "order/WAITS"]


def test_ten_thousand_requests(browser: Browser, sandbox: Sandbox) -> None:
    browser.open(f"{sandbox.base}/#requests")
    browser.shows("live", "#live")

    def send(count: int) -> None:
        connection = http.client.HTTPConnection(sandbox.base.removeprefix("http://"), timeout=SECONDS)
        for _ in range(count):
            connection.request("GET", "/payment/banks", headers={"api-key": sandbox.start["public_key"]})
            connection.getresponse().read()
        connection.close()

    senders = [threading.Thread(target=send, args=(MANY // 4,)) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    browser.shows(str(MANY), "[data-count=requests]")
    browser.shows(str(MANY), "tbody td")
    # A page of the list is in the document, however long the list is.
    assert len(browser.all("tbody tr")) == 50
    assert len(browser.all("*")) < 1500
    browser.click("Older")
    browser.shows(str(MANY - 50), "tbody td")
    assert len(browser.all("tbody tr")) == 50
    # The oldest of them is found.
    sandbox.charge("NEEDLE")
    browser.type("Search anything in a request or its response", "needle")
    browser.until(lambda: len(browser.all("tbody tr")) == 1, "not found")
    browser.type("Search anything in a request or its response", "/payment/banks")
    browser.until(lambda: len(browser.all("tbody tr")) == 50, "not found")
    assert len(sandbox.get("requests")["requests"]) == MANY


def test_the_page_finds_a_restarted_sandbox(browser: Browser) -> None:
    first = Sandbox()
    first.charge("BEFORE")
    browser.open(first.base)
    browser.shows("BEFORE", "tbody tr")
    first.stop()
    browser.shows("not connected", "#live")
    second = Sandbox("--listen", first.base.removeprefix("http://"))
    second.charge("AFTER")
    browser.shows("AFTER", "tbody tr")
    browser.shows_no("BEFORE", "tbody tr")
    browser.shows("live", "#live")
    browser.until(lambda: not browser.one("#message").is_displayed(), "it still shows an error")
    # Reads from a sandbox that is gone are errors, too.
    browser.open("about:blank")
    second.stop()
    assert all("ERR_" in message for message in browser.console())


# The contrast of every text with what is behind it, by the formula of WCAG.
LOW_CONTRAST = """
const channel = (it) => (it /= 255) <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const colour = numbers(getComputedStyle(node).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour;
  }
  return [255, 255, 255];
};
const low = [];
for (const node of document.body.querySelectorAll("*")) {
  const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!text || !node.checkVisibility() || node.disabled) continue;
  const style = getComputedStyle(node);
  const ink = light(numbers(node.closest("svg") ? style.fill : style.color));
  const ground = light(behind(node));
  const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  if (contrast < 4.5) low.push(`${node.textContent.slice(0, 30)}: ${contrast.toFixed(2)}`);
}
return low;
"""


def title(view: str) -> str:
    return view.replace("order/", "Order ") if "/" in view else view.capitalize()


def test_it_is_readable_in_every_window(browser: Browser, sandbox: Sandbox) -> None:
    sandbox.post("lost-charge", {"reference": "ORDER-42", "amount": "2500.50"})
    sandbox.verify("ORDER-42")
    sandbox.post("orders", {"reference": "A-VERY-LONG-REFERENCE-" * 4, "amount": "5", "payment": "pending"})
    sandbox.post("mandates", {"mandateCode": "MDTC-000001", "orderReference": "ORDER-42", "active": False})
    sandbox.post("faults", {"fault": "drip", "path": "*", "probability": 1})
    sandbox.post("fund", {"alias": "a-long-alias-of-a-till-in-a-shop", "amount": "1500.00", "senderName": "Ada"})
    paid = {"accountNumber": "0690000001", "accountName": "Ada", "bankCode": "000014", "amount": "12.30"}
    sandbox.post("payouts", {"payoutDetails": [{"clientReference": "SALARY-2026-11-ADA-OBI", **paid}]})
    sandbox.post("orders", {"reference": "WAITS", "amount": "600", "description": "Two books"})
    sandbox.encrypted("/payment/order/pay", {"paymentOption": "BT", "reference": "WAITS", "BankTransfer": {}})
    checkout = sandbox.get("orders?reference=WAITS")["orders"][0]["order_id"]
    browser.open(sandbox.base)
    browser.shows("live", "#live")
    pictures = BUILD / "page"
    pictures.mkdir(parents=True, exist_ok=True)
    overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for width, scheme in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark"), (360, "light")]:
        size = {"width": width, "height": 660, "deviceScaleFactor": 1, "mobile": False}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme_of = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme_of)
        for view in VIEWS:
            browser.driver.execute_script("location.hash = arguments[0]", view)
            browser.one(f'section[aria-label="{title(view)}"] {"svg[role=img]" if "/" in view else "tbody tr"}')
            assert browser.driver.execute_script(LOW_CONTRAST) == [], (view, scheme)
            assert browser.driver.execute_script(overflow) <= 0, (view, width)
            # Text that a sheet cuts off is not seen, either.
            cut = "return [...document.querySelectorAll('.sheet')].some((it) => it.scrollWidth > it.clientWidth)"
            assert not browser.driver.execute_script(cut), (view, width)
            browser.driver.save_screenshot(str(pictures / f"{view.replace('/', '-')}-{width}-{scheme}.png"))
            if (width, scheme) == (1280, "light"):
                for control in browser.all("button, input, select, a, svg[role=img]"):
                    assert not control.is_displayed() or control.accessible_name, control.get_attribute("outerHTML")
        browser.driver.execute_script("location.hash = 'requests'")
        browser.click("Details of 1")
        browser.one("pre")
        browser.driver.save_screenshot(str(pictures / f"details-{width}-{scheme}.png"))
        assert browser.driver.execute_script(overflow) <= 0, ("details", width)
        for name, path in [("calls", "/sandbox"), ("checkout", f"/sandbox/checkout/{checkout}")]:
            browser.open(sandbox.base + path)
            browser.one("h1")
            assert browser.driver.execute_script(LOW_CONTRAST) == [], (name, scheme)
            browser.driver.save_screenshot(str(pictures / f"{name}-{width}-{scheme}.png"))
            assert browser.driver.execute_script(overflow) <= 0, (name, width)
        browser.open(sandbox.base)
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
