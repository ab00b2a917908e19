"""Starts the sandbox and a headless Chromium for each test program.

`PAYSVC_SANDBOX` names the program. Every test ends with a look at the browser's console, which must be empty: it has
errors of scripts, files that were not found, and what the content security policy refused.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.ui import WebDriverWait

# For a slow machine: nothing waits that long when it works.
SECONDS = int(os.environ.get("TEST_BROWSER_SECONDS", "60"))
# The browser reaches nothing but the sandbox and the pages of the tests.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
    "--lang=en",
]


class Sandbox:
    def __init__(self, *arguments: str) -> None:
        program = [os.environ["PAYSVC_SANDBOX"], "--seed", "1", "--key-bits", "2048", "--exit-with-parent", *arguments]
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.start: dict[str, str] = json.loads(self.process.stdout.readline())
        self.base = self.start["base_url"]

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()

    def call(self, method: str, path: str, body: object = None, key: str | None = None) -> Any:
        headers = {"content-type": "application/json"} | ({"api-key": self.start[key]} if key else {})
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        return self.call("GET", f"/sandbox/{path}")

    def post(self, path: str, body: object = None) -> Any:
        return self.call("POST", f"/sandbox/{path}", {} if body is None else body)

    def encrypted(self, path: str, payload: object) -> Any:
        """A call as a till makes it."""
        return self.call("POST", path, self.post("encrypt", payload), key="public_key")

    def charge(self, reference: str, amount: str = "2500.50") -> Any:
        order = {"reference": reference, "amount": amount, "currency": "NGN"}
        card = {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
        payload = {"paymentoption": "C", "country": "NG", "order": order, "card": card}
        return self.encrypted("/payment/order/create", payload)

    def verify(self, reference: str) -> Any:
        return self.call("POST", "/payment/order/verify", {"reference": reference}, key="secret_key")["data"]


class Driver(webdriver.Chrome):
    def execute(self, driver_command: Any, params: dict[str, Any] | None = None) -> Any:
        """As the driver does it. An element of a page that is being replaced is a stale one, too: for some moments the
        driver has its own error for that, "unhandled inspector error: Node with given id does not belong …"."""
        try:
            return super().execute(driver_command, params)
        except WebDriverException as error:
            if "unhandled inspector error" in (error.msg or ""):
                raise StaleElementReferenceException(error.msg) from error
            raise


class Browser:
    """Finds elements by what a person sees or a screen reader says, and waits until they are there."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        waiting = WebDriverWait(
            self.driver,
            SECONDS,
            poll_frequency=0.05,
            ignored_exceptions=[NoSuchElementException, StaleElementReferenceException],
        )
        try:
            return waiting.until(lambda _: condition())
        except TimeoutException as error:
            raise AssertionError(f"{what}; the page shows: {self.text()[:2000]}") from error

    def text(self) -> str:
        return self.driver.find_element(By.TAG_NAME, "body").text

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        found: WebElement = self.until(lambda: next(iter(self.all(selector)), None), f"no {selector}")
        return found

    def shows(self, words: str, selector: str = "body") -> None:
        self.until(lambda: any(words in it.text for it in self.all(selector)), f"{selector} does not show {words!r}")

    def shows_no(self, words: str, selector: str = "body") -> None:
        self.until(lambda: not any(words in it.text for it in self.all(selector)), f"{selector} shows {words!r}")

    def named(self, name: str, selector: str = "button, a, input, select, summary") -> WebElement:
        """The visible control with this accessible name."""

        def find() -> WebElement | None:
            controls = [it for it in self.all(selector) if it.is_displayed()]
            # The driver has no accessible names inside the widget's frame.
            by_text = (it for it in controls if it.text == name)
            return next(by_text, None) or next((it for it in controls if it.accessible_name == name), None)

        found: WebElement = self.until(find, f"no control {name!r}")
        return found

    def act(self, name: str, action: Callable[[WebElement], None]) -> None:
        """Acts on the control, which the page may replace between the two."""

        def done() -> bool:
            action(self.named(name))
            return True

        self.until(done, f"cannot use {name!r}")

    def click(self, name: str) -> None:
        self.act(name, WebElement.click)

    def type(self, name: str, text: str) -> None:
        """Replaces what is in the field."""
        self.act(name, lambda field: field.send_keys(Keys.CONTROL, "a", Keys.NULL, Keys.DELETE, text))

    def choose(self, name: str, option: str) -> None:
        self.act(name, lambda list_box: Select(list_box).select_by_visible_text(option))

    def console(self) -> list[str]:
        log: list[dict[str, str]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in log]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    started = Sandbox()
    yield started
    started.stop()


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium is not installed"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory() as folder:
        for flag in [*FLAGS, f"--user-data-dir={folder}"]:
            options.add_argument(flag)
        started = Driver(options, Service(shutil.which("chromedriver")))
        started.set_page_load_timeout(SECONDS)
        started.set_script_timeout(SECONDS)
        yield started
        started.quit()


@pytest.fixture
def browser(driver: Driver, sandbox: Sandbox) -> Iterator[Browser]:
    browser = Browser(driver)
    browser.console()
    yield browser
    messages = browser.console()
    driver.get("about:blank")
    assert messages == []
