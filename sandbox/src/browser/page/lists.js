// The lists: what their columns show, and what their buttons do.
import { attempt, parse, post, segment } from "./api.js";
import { button, chip, code, element, facts, labelled, money, pretty, time } from "./dom.js";
import { List } from "./list.js";
import { Sending } from "./sending.js";
import { answerOf, progressOf, referenceOf, said } from "./story.js";

const link = (reference) => element("a", { href: `#order/${segment(reference)}` }, code(reference));
const answered = { none: ["no response", "bad"], part: ["cut off", "wait"], whole: ["answered", "good"] };
// A refused request was answered, and is not well.
const answerChip = (request) => {
  const [word, kind] = answered[request.answered];
  return chip(word, kind === "good" && request.status >= 400 ? (request.status < 500 ? "wait" : "bad") : kind);
};
const status = (number) => chip(number == null ? "none" : String(number), number < 300 ? "good" : number < 500 ? "wait" : "bad");

export const orders = () => new List({
  title: "Orders",
  path: "orders",
  member: "orders",
  number: (order) => order.order_id,
  search: "references",
  kinds: [["", "all states"], ...["Initiated", "Pending", "Successful", "Failed", "Reversed"].map((it) => [it, it])],
  empty: "No orders. Start a till against this sandbox, or make a charge here.",
  above: tryIt(),
  columns: [
    { title: "Time", class: "wide", cell: (order) => time(order.created) },
    { title: "Reference", cell: (order) => [link(order.reference), element("div", { class: "narrow note" }, time(order.created))] },
    { title: "Amount", class: "number", cell: (order) => money(order.amount, order.currency) },
    { title: "State", cell: (order) => chip(order.status, order.status) },
    { title: "Payments", class: "wide", cell: (order) => order.payments.map((it) => `${it.payment_option} ${it.status}`).join(", ") },
    { title: "Refunded", class: "number wide", cell: (order) => (order.refunds.length ? order.refunded : "") },
  ],
});

// The form that makes a charge as a till would, whose response is lost.
function tryIt() {
  const reference = element("input", { required: true, maxlength: "60", value: newReference() });
  const amount = element("input", { required: true, inputmode: "decimal", value: "2500.50" });
  const act = async (event) => {
    event.preventDefault();
    await attempt(async () => {
      await post("lost-charge", { reference: reference.value, amount: amount.value });
      location.hash = `order/${segment(reference.value)}`;
      reference.value = newReference();
    });
  };
  return element("form", { class: "try", onsubmit: act },
    element("p", {}, "The service charges the card, and the till gets no response: see what both know then."),
    labelled("New order", reference),
    labelled("Amount in NGN", amount),
    element("button", { class: "main" }, "Make the charge, lose the response"));
}

const newReference = () => `TRY-${new Date().toISOString().slice(5, 19).replaceAll(/\D/g, "")}`;

export const requests = () => new List({
  title: "Requests",
  path: "requests",
  member: "requests",
  number: (request) => request.request_id,
  search: "anything in a request or its response",
  kinds: [["", "all requests"], ["effects", "those that changed something"], ["errors", "errors"], ["faults", "those with a fault"]],
  empty: "No requests yet.",
  columns: [
    { title: "No.", class: "number", cell: (request) => String(request.request_id) },
    { title: "Time", class: "wide", cell: (request) => time(request.received) },
    {
      title: "Request",
      cell: (request) => [code(`${request.method ?? "not read"} ${request.path ?? ""}`), element("div", { class: "narrow note" }, referenceOf(request))],
    },
    { title: "Reference", class: "wide", cell: (request) => referenceOf(request) && code(referenceOf(request)) },
    { title: "Status", cell: (request) => status(request.status) },
    { title: "Answer", class: "wide", cell: (request) => answerChip(request) },
    { title: "Fault", class: "wide", cell: (request) => request.fault && code(request.fault) },
  ],
  detail: (request) => [
    facts([
      ["API key", request.headers["api-key"]],
      ["Body", `${request.envelope}, ${request.body_bytes} bytes`],
      ["Connection", `${request.connection}, request ${request.request_on_connection} on it`],
      ["Client", request.headers["user-agent"]],
      ["Answer", answered[request.answered][0]],
      ["Fault", request.fault],
      ["Ledger", request.effects.join(", ")],
      ["Notes", request.notes.join("; ")],
    ]),
    element("h3", {}, "Payload, masked"),
    request.envelope === "encrypted" && request.payload == null
      ? element("p", { class: "note" }, "Not decrypted: the request was refused before, or its body is no payload.")
      : pretty(request.payload ?? request.query),
    element("h3", {}, "Answer, masked"),
    pretty(answerOf(request.answer) ?? request.answer),
  ],
});

export const ledger = () => new List({
  title: "Ledger",
  path: "ledger",
  member: "ledger",
  number: (entry) => entry.seq,
  search: "keys and references",
  empty: "Nothing has happened yet.",
  columns: [
    { title: "No.", class: "number", cell: (entry) => String(entry.seq) },
    { title: "Time", class: "wide", cell: (entry) => time(entry.at) },
    { title: "Effect", cell: (entry) => entry.effect },
    { title: "Key", cell: (entry) => code(entry.key) },
    { title: "Amount", class: "number", cell: (entry) => money(entry.amount, entry.currency) },
    { title: "Request", class: "number wide", cell: (entry) => String(entry.request_id ?? "admin") },
  ],
});

export const mandates = () => new List({
  title: "Mandates",
  path: "mandates",
  member: "mandates",
  number: (mandate) => mandate.direct_debit_id,
  search: "mandate codes and order references",
  empty: "No mandates.",
  columns: [
    { title: "Mandate", cell: (mandate) => code(mandate.mandate_code) },
    { title: "Order", class: "wide", cell: (mandate) => link(mandate.order_reference) },
    { title: "Account", class: "wide", cell: (mandate) => code(mandate.account_number) },
    { title: "State", cell: (mandate) => (mandate.active ? chip("active", "good") : chip("pending", "wait")) },
    { title: "One-time code", cell: (mandate) => (mandate.otp ? code(mandate.otp) : "none waits") },
    {
      title: "Action",
      cell: (mandate) => !mandate.active && button("Approve", "approve",
        () => attempt(() => post(`mandates/${segment(mandate.mandate_code)}/activate`)),
        { "aria-label": `Approve ${mandate.mandate_code}` }),
    },
  ],
});

export const accounts = () => new List({
  title: "Accounts",
  path: "accounts",
  member: "accounts",
  number: (account) => account.account_number,
  search: "aliases and account numbers",
  empty: "No virtual accounts.",
  above: fundIt(),
  columns: [
    { title: "Alias", cell: (account) => code(account.alias) },
    { title: "Account", class: "number", cell: (account) => code(account.account_number) },
    { title: "Name", class: "wide", cell: (account) => account.account_name },
    { title: "Funded", class: "number", cell: (account) => account.funded },
  ],
});

// The form that pays into an account as a customer would.
function fundIt() {
  const fields = { alias: ["Alias", "till-1"], amount: ["Amount", "1500.00"], senderName: ["Sender", "Ada"] };
  const inputs = Object.entries(fields).map(([name, [, value]]) => [name, element("input", { required: true, value })]);
  const act = (event) => {
    event.preventDefault();
    attempt(() => post("fund", Object.fromEntries(inputs.map(([name, input]) => [name, input.value]))));
  };
  return element("form", { class: "try", "aria-label": "Fund an account", onsubmit: act },
    element("p", {}, "A transfer arrives at a virtual account; an alias that is new gets one first."),
    inputs.map(([name, input]) => labelled(fields[name][0], input)),
    element("button", { class: "main" }, "Transfer"));
}

export const payouts = () => new List({
  title: "Payouts",
  path: "payouts",
  member: "payouts",
  number: (payout) => payout.number,
  search: "references",
  empty: "No payouts.",
  columns: [
    { title: "Time", class: "wide", cell: (payout) => time(payout.accepted) },
    { title: "Reference", cell: (payout) => code(payout.clientReference ?? payout.payoutReference) },
    { title: "Batch", class: "wide", cell: (payout) => code(payout.batchReference) },
    { title: "Account", class: "wide", cell: (payout) => code(`${payout.bankCode} ${payout.accountNumber}`) },
    { title: "Amount", class: "number", cell: (payout) => money(payout.amount, payout.currency) },
    { title: "State", cell: (payout) => chip(payout.status, payout.status) },
    {
      title: "Action",
      cell: (payout) => payout.status === "Pending" && element("span", { class: "acts" },
        ...[["Pay", "complete"], ["Fail", "fail"]].map(([name, how]) => button(name, how,
          () => attempt(() => post(`payouts/${segment(payout.payoutReference)}/${how}`)),
          { "aria-label": `${name} ${payout.clientReference ?? payout.payoutReference}` }))),
    },
  ],
});

export const webhooks = (sending = new Sending()) => new List({
  title: "Webhooks",
  path: "webhooks",
  member: "deliveries",
  number: (delivery) => delivery.id,
  search: "references",
  empty: "No events yet.",
  above: sending.node,
  seen: (answer) => sending.show(answer),
  columns: [
    { title: "No.", class: "number", cell: (delivery) => String(delivery.id) },
    { title: "Time", class: "wide", cell: (delivery) => time(delivery.at) },
    { title: "Event", cell: (delivery) => `${delivery.event} said ${said(delivery)}${delivery.forged ? ", forged" : ""}` },
    { title: "Reference", class: "wide", cell: (delivery) => code(delivery.key) },
    { title: "Delivery", cell: (delivery) => chip(...progressOf(delivery)) },
    {
      title: "Action",
      cell: (delivery) => button("Resend", "resend", () => attempt(() => post(`webhooks/${delivery.id}/resend`)),
        { "aria-label": `Resend ${delivery.id}` }),
    },
  ],
  detail: (delivery) => [
    facts([
      ["Reference", delivery.key],
      ["Copy of", delivery.copy_of == null ? null : String(delivery.copy_of)],
      ["Reason", delivery.reason],
      ...delivery.attempts.map((it) => [`Attempt ${it.at.slice(11, 23)}`, it.error ?? `${it.status} ${it.answer}`]),
    ]),
    pretty(parse(delivery.body)),
  ],
});
