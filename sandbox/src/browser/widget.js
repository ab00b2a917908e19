// A stand-in for the service's checkout widget: `new CheckoutNS.PaymentCheckout(options).init()` opens the sandbox's
// checkout in a dialog. Nothing is encrypted here: the sandbox only compares `encryptionKey` with its own.
(() => {
  "use strict";
  const base = new URL(document.currentScript.src).origin;
  const SENT = [
    "firstName", "lastName", "mobile", "country", "email", "currency", "amount", "reference", "merchantReference",
    "description", "redirectUrl", "encryptionKey",
  ];
  let isOpen = false;

  class PaymentCheckout {
    #options;

    constructor(options) {
      this.#options = options ?? {};
    }

    init() {
      if (isOpen) {
        fail(this.#options, "A checkout is open already.", 0, {});
        return;
      }
      isOpen = true;
      open(this.#options).catch((error) => {
        isOpen = false;
        throw error;
      });
    }
  }

  async function open(options) {
    const opened = await order(options);
    if (opened.error) {
      isOpen = false;
      fail(options, opened.error, opened.status, opened.errors);
    } else {
      show(options, opened.fault, `${base}/sandbox/checkout/${opened.id}#${encodeURIComponent(location.origin)}`);
    }
  }

  // Makes the order known to the sandbox.
  async function order(options) {
    const headers = { "content-type": "application/json" };
    if (options.apiKey != null) headers["api-key"] = String(options.apiKey);
    // As text, so that the amount is the one that the page wrote.
    const given = SENT.filter((name) => options[name] != null).map((name) => [name, String(options[name])]);
    let status = 0;
    try {
      const body = JSON.stringify(Object.fromEntries(given));
      const response = await fetch(`${base}/v1/checkout`, { method: "POST", credentials: "omit", headers, body });
      status = response.status;
      const answer = await response.json();
      if (response.ok && answer.orderId) return { id: String(answer.orderId), fault: answer.widgetFault };
      const error = answer.message ?? answer.error?.message ?? "The sandbox's response has no order.";
      return { error, status, errors: answer.errors ?? {} };
    } catch (problem) {
      return { error: `No usable answer from ${base}: ${problem.message}`, status, errors: {} };
    }
  }

  function show(options, fault, address) {
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-label", "Checkout");
    style(dialog, {
      padding: "0", border: "0", borderRadius: "12px", width: "min(420px, 100vw)", height: "min(560px, 100vh)",
      maxWidth: "none", maxHeight: "none", overflow: "hidden", boxShadow: "0 12px 48px rgb(0 0 0 / 40%)",
    });
    const frame = document.createElement("iframe");
    frame.title = "Checkout";
    frame.src = address;
    style(frame, { width: "100%", height: "100%", border: "0", display: "block" });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Close";
    style(button, {
      position: "absolute", top: "12px", right: "12px", padding: "4px 12px", font: "14px system-ui, sans-serif",
      color: "#333", background: "#fff", border: "1px solid #888", borderRadius: "6px", cursor: "pointer",
    });
    dialog.append(frame, button);

    const end = (act) => {
      removeEventListener("message", heard);
      isOpen = false;
      dialog.close();
      dialog.remove();
      act();
    };
    const closed = () => end(() => options.onClose?.());
    const heard = (event) => {
      if (event.source !== frame.contentWindow || event.origin !== base) return;
      const { what, order: paid, message } = event.data ?? {};
      if (what === "closed") closed();
      if (what === "failed") end(() => fail(options, message, 0, {}));
      if (what === "completed") end(() => complete(options, fault, { ...paid, status: paid.status.toLowerCase() }));
    };
    addEventListener("message", heard);
    button.addEventListener("click", closed);
    // Escape; inside the frame its own script hears the key.
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      closed();
    });
    document.body.append(dialog);
    dialog.showModal();
    frame.addEventListener("load", () => frame.focus());
  }

  // Paid or declined. The checkout closes then, so that onClose follows; shop plug-ins redirect there.
  function complete(options, fault, data) {
    try {
      if (fault === "widget_no_completed") return;
      if (options.onCompleted) options.onCompleted(data);
      else if (/^https?:/.test(options.redirectUrl ?? "")) location.assign(options.redirectUrl);
    } finally {
      if (fault !== "widget_no_close") options.onClose?.();
    }
  }

  function fail(options, message, status, errors) {
    const error = Object.assign(new Error(message), { status, errors });
    if (options.onError) options.onError(error);
    else console.error(error);
  }

  function style(element, properties) {
    Object.assign(element.style, properties);
  }

  window.CheckoutNS = { ...window.CheckoutNS, PaymentCheckout };
})();
