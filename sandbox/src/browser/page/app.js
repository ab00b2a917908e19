// The page: shows the view that the address names, and reads it again when the sandbox reports a change.
import { say } from "./api.js";
import { Faults } from "./faults.js";
import { accounts, ledger, mandates, orders, payouts, requests, webhooks } from "./lists.js";
import { Order } from "./order.js";

const PAUSE = 250; // milliseconds between two readings, however much happens
const RETRY = 5000;
const main = document.getElementById("view");
const live = document.getElementById("live");
const makers = { orders, requests, ledger, mandates, accounts, payouts, webhooks, faults: () => new Faults() };
const made = {};
let view;
let isReading = false;
let isStale = false;
let isFailing = false;

// A list is made once, so that it keeps its search; an order is made anew.
function open() {
  const [name, reference] = location.hash.slice(1).split("/");
  const wanted = name === "order" || name in makers ? name : "orders";
  view = wanted === "order" ? new Order(decodeURIComponent(reference ?? "")) : (made[wanted] ??= makers[wanted]());
  view.changed = refresh;
  main.replaceChildren(view.node);
  for (const link of document.querySelectorAll("nav a")) {
    const isCurrent = link.hash === `#${wanted === "order" ? "orders" : wanted}`;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${reference ? decodeURIComponent(reference) : wanted} - paysvc-sandbox`;
  say("");
  refresh();
}

// One reading at a time; what changes meanwhile is read afterwards.
async function refresh() {
  isStale = true;
  if (isReading) return;
  isReading = true;
  while (isStale && !document.hidden) {
    isStale = false;
    try {
      await view.refresh();
      if (isFailing) say("");
      isFailing = false;
    } catch (error) {
      isFailing = true;
      say(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  isReading = false;
}

function listen() {
  const events = new EventSource("/sandbox/events");
  const show = (words, kind) => {
    live.textContent = words;
    live.className = `chip ${kind}`;
  };
  // The first event comes with the connection, so that nothing is missed while there was none.
  events.onmessage = (event) => {
    const sizes = JSON.parse(event.data);
    for (const count of document.querySelectorAll("[data-count]")) count.textContent = sizes[count.dataset.count];
    show("live", "good");
    refresh();
  };
  events.onerror = () => {
    show("not connected", "bad");
    if (events.readyState !== EventSource.CLOSED) return;
    // Refused: it does not try again by itself.
    setTimeout(listen, RETRY);
  };
}

addEventListener("hashchange", open);
document.addEventListener("visibilitychange", refresh);
open();
listen();
