// One order: the responses that the till received beside the effects at the service.
import { attempt, get, post, segment } from "./api.js";
import { button, chip, code, element, facts, money, time } from "./dom.js";
import { happenings, summary, words } from "./story.js";
import { draw } from "./timeline.js";

const MOST = 100;

export class Order {
  #reference;
  #head = element("div", { class: "head" });
  #picture = element("div", { class: "picture" });
  #rest = element("div");
  #shown = "";
  #story = [];

  constructor(reference) {
    this.#reference = reference;
    this.node = element("section", { "aria-label": `Order ${reference}` }, this.#head,
      element("div", { class: "sheet" }, this.#picture, this.#rest));
    new ResizeObserver(() => this.#draw()).observe(this.#picture);
  }

  async refresh() {
    const asked = { reference: this.#reference, limit: MOST };
    const [state, { requests }, { ledger }, { deliveries }] =
      await Promise.all(["state", "requests", "ledger", "webhooks"].map((list) => get(list, asked)));
    const text = JSON.stringify([state, requests, ledger, deliveries]);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#story = happenings(requests, ledger, deliveries);
    const order = state.orders[0];
    this.#head.replaceChildren(...this.#top(order, summary(requests, ledger)));
    this.#draw();
    this.#rest.replaceChildren(asText(this.#story), payments(order));
  }

  #top(order, { till, service, advice }) {
    const lose = order && !order.paid && button("Make the charge, lose the response", "lose",
      () => attempt(() => post("lost-charge", { reference: order.reference })), { class: order.status === "Pending" ? null : "main" });
    return [
      element("h2", {}, "Order ", code(order?.reference ?? this.#reference)),
      order ? chip(order.status, order.status) : chip("there is no such order", "bad"),
      order && element("strong", { class: "number" }, money(order.amount, order.currency)),
      lose,
      order && !order.paid && element("a", { href: `/sandbox/checkout/${order.order_id}`, target: "_blank", rel: "noopener" }, "Open the checkout"),
      ...customer(order),
      element("dl", { class: "both" },
        element("div", {}, element("dt", {}, "The till knows"), element("dd", {}, chip(...till))),
        element("div", {}, element("dt", {}, "The service did"), element("dd", {}, chip(...service)))),
      advice && element("p", { class: "note" }, advice),
    ].filter(Boolean);
  }

  #draw() {
    const width = this.#picture.clientWidth;
    if (width && this.#story.length) this.#picture.replaceChildren(draw(this.#story, width));
  }
}

// The customer's actions for a pending payment.
const ACTS = [["Customer pays", "confirm"], ["Customer declines", "decline"], ["Customer walks away", "expire"]];

function customer(order) {
  const pending = order?.payments.findLast((it) => it.status === "Pending" && it.awaits !== "capture");
  if (!pending) return [];
  const act = ([name, how]) => button(name, how, () => attempt(() => post(`payments/${segment(pending.reference)}/${how}`)));
  return [element("p", { class: "acts", role: "group", "aria-label": "The customer" }, ACTS.map(act))];
}

const asText = (story) => element("details", {}, element("summary", {}, "The same as text"),
  element("ol", {}, ...story.map((it) => element("li", {}, `${it.at.slice(11, 23)} ${words(it)}`))));

function payments(order) {
  const price = order && facts([
    ["Price", money(order.amount, order.currency)],
    ["Fee", money(order.fee, order.currency)],
    ["Total", money(order.total, order.currency)],
    ["Created", time(order.created)],
  ]);
  const list = (order?.payments ?? []).map((it) => facts([
    ["Payment", code(it.reference)],
    ["Option", it.payment_option],
    ["State", chip(it.status, it.status)],
    ["Message", it.message],
    [it.awaits === "transfer" ? "Account to transfer to" : "Instrument", it.instrument],
  ]));
  const refunds = (order?.refunds ?? []).map((it) => facts([
    ["Refund", code(it.reference)],
    ["Amount", money(it.amount, order.currency)],
    ["State", chip(it.status, it.status === "completed" ? "good" : "wait")],
  ]));
  return element("div", { class: "cards" }, ...[price].filter(Boolean), ...list, ...refunds);
}
