// The history of one order, in the order of time, and a till's conclusions from the responses that it got.
import { parse } from "./api.js";
import { money } from "./dom.js";

const DONE = {
  order_created: "order created", charge_made: "charged", refund_made: "refunded", refund_failed: "refund taken back",
  mandate_created: "mandate created", otp_sent: "one-time code sent", card_saved: "card saved",
};
const STATES = {
  1: ["initiated", ""], 2: ["pending", "wait"], 3: ["pending", "wait"], 4: ["failed", "bad"], 5: ["paid", "good"],
  6: ["paid back", "good"], 7: ["pending", "wait"],
};
// The service's state of the order is not settled by these responses: the request may have been executed.
const UNKNOWN = [408, 409, 429];

// Requests, effects of admin calls, and webhooks.
export function happenings(requests, ledger, deliveries) {
  const known = new Set(requests.map((request) => request.request_id));
  return [
    ...requests.map((request) => ({
      kind: "request", at: request.received, request, belief: belief(request),
      effects: ledger.filter((entry) => entry.request_id === request.request_id),
    })),
    ...ledger.filter((entry) => !known.has(entry.request_id)).map((entry) => ({ kind: "effect", at: entry.at, effects: [entry] })),
    ...deliveries.map((delivery) => ({ kind: "webhook", at: delivery.at, delivery })),
  ].sort((one, other) => compare(one.at, other.at) || compare(sequence(one), sequence(other)));
}

const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
// Within a millisecond the ledger has the order.
const sequence = (it) => it.effects?.[0]?.seq ?? Infinity;

// The response as an object; a page, or what a fault made of a response, is none.
export function answerOf(text) {
  try {
    const answer = parse(text ?? "null");
    return typeof answer === "object" ? answer : null;
  } catch {
    return null;
  }
}

// The till's knowledge after this response: words and their kind.
export function belief({ answered, status, answer }) {
  if (answered !== "whole") return [answered === "part" ? "half a response: unknown" : "no response: unknown", "wait"];
  const envelope = answerOf(answer);
  if (status >= 500 || UNKNOWN.includes(status) || !envelope) return [`${status}: unknown`, "wait"];
  if (status >= 400) return [`refused: ${envelope.message ?? envelope.error?.message ?? status}`, "bad"];
  const { orderPayment, orderSummary, order, statusId } = envelope.data ?? {};
  const id = orderPayment?.statusId ?? orderSummary?.statusId ?? statusId ?? order?.statusId;
  return STATES[id] ?? ["accepted", ""];
}

export const effect = (entry) => [DONE[entry.effect] ?? entry.effect, money(entry.amount, entry.currency)].join(" ").trim();

export const done = (it) => (it.effects.length ? it.effects.map(effect).join(", ") : "nothing changed");

// The progress of a delivery: the event may report a failed payment, and be delivered.
const PROGRESS = {
  delivered: ["received", "good"], failed: ["not received", "bad"], dropped: ["dropped", "bad"],
  "no url": ["sent nowhere", ""], queued: ["waits", "wait"], held: ["held back", "wait"],
};

export const progressOf = (delivery) => PROGRESS[delivery.progress] ?? [delivery.progress, "wait"];

// The state in the body, in any form of it.
export function said({ body }) {
  const whole = answerOf(body) ?? {};
  const object = whole.data ?? whole.Data ?? whole;
  return String(object.status ?? object.Status ?? whole.status ?? "nothing").toLowerCase();
}

export function eventWords(delivery) {
  return `the event said ${said(delivery)}${delivery.progress === "delivered" ? "" : `: ${progressOf(delivery)[0]}`}`;
}

// The subject of a request: the first reference in its payload, its query or its path.
export function referenceOf({ payload, query, path }) {
  const find = (value) => {
    if (value === null || typeof value !== "object") return undefined;
    const entries = Object.entries(value);
    const own = entries.find(([name, it]) => /(reference|alias|mandatecode|sessionid|emailaddress)$/i.test(name) && typeof it === "string");
    return own ? own[1] : entries.map(([, it]) => find(it)).find((it) => it !== undefined);
  };
  const inPath = /^\/payment\/transaction-details\/(.+)$|^\/payout\/([^/]+)\/status$/.exec(path ?? "");
  return find(payload) ?? find(query) ?? inPath?.[1] ?? inPath?.[2];
}

export function words(it) {
  if (it.kind === "webhook") return `Webhook of the ${it.delivery.event}: ${eventWords(it.delivery)}`;
  if (it.kind === "effect") return `Without a request, the service: ${done(it)}`;
  const { method, path, fault } = it.request;
  return `${method ?? "not read"} ${path ?? ""}${fault ? ` with ${fault}` : ""}; the service: ${done(it)}; the till: ${it.belief[0]}`;
}

// The end of the story for both, and what a till should do when they differ.
export function summary(requests, ledger) {
  const charges = ledger.filter((entry) => entry.effect === "charge_made");
  const beliefs = requests.map(belief);
  const till = beliefs.findLast(([words]) => words === "paid back" || words === "paid") ?? beliefs.at(-1) ?? ["nothing yet", ""];
  const service = charges.length === 0 ? ["not charged", ""]
    : charges.length === 1 ? [`charged ${money(charges[0].amount, charges[0].currency)}`, "good"]
      : [`charged ${charges.length} times`, "bad"];
  const isUnknown = till[1] === "wait" && till[0].endsWith("unknown");
  const advice = isUnknown && "The till must not repeat the charge and must not call it failed: it asks with order verify.";
  return { till, service, advice };
}
