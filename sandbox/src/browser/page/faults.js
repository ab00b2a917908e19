// All faults, each with a switch: on adds a rule, off removes the rules of this fault.
import { attempt, get, post, remove } from "./api.js";
import { button, code, element, labelled } from "./dom.js";

export class Faults {
  #path = element("select", {}, element("option", { value: "*" }, "all paths"));
  #often = element("select", {},
    element("option", { value: "once" }, "the next request"), element("option", { value: "always" }, "every request"));
  #search = element("input", { type: "search", oninput: () => this.#filter() });
  #body = element("tbody");
  #rows = new Map();

  constructor() {
    const clear = button("Switch all off", "clear", () => attempt(() => remove("faults")));
    const head = ["", "Fault", "Executed", "On the wire", "Simulates"];
    const narrow = [0, 1];
    this.node = element("section", { class: "faults", "aria-label": "Faults" },
      element("form", { class: "tools", role: "search", onsubmit: (event) => event.preventDefault() },
        labelled("Search faults", this.#search),
        labelled("A switch acts on", this.#often),
        labelled("to", this.#path),
        element("span", { class: "pages" }, clear)),
      element("div", { class: "sheet" },
        element("table", { "aria-label": "Faults" },
          element("thead", {}, element("tr", {}, ...head.map((name, at) =>
            element("th", { scope: "col", class: narrow.includes(at) ? null : "wide" }, name)))),
          this.#body)));
  }

  async refresh() {
    const { faults, rules } = await get("faults");
    if (this.#rows.size === 0) {
      const { endpoints } = await get("endpoints");
      const paths = [...new Set(endpoints.map((endpoint) => endpoint.path))];
      this.#path.append(...paths.map((path) => element("option", { value: path }, path)));
      this.#body.replaceChildren(...faults.map((fault) => this.#row(fault)));
    }
    for (const [name, row] of this.#rows) {
      const own = rules.filter((rule) => rule.fault === name);
      const isOn = own.some((rule) => rule.count == null || rule.fired < rule.count);
      row.control.setAttribute("aria-checked", String(isOn));
      row.control.textContent = isOn ? "on" : "off";
      row.rules.replaceChildren(...own.map(ruleOf));
      row.isOn = isOn || own.length > 0;
    }
    this.#sort();
  }

  #row(fault) {
    const control = button("off", "switch", () => attempt(() => this.#toggle(fault, control)),
      { role: "switch", class: "switch", "aria-checked": "false", "aria-label": fault.name });
    const rules = element("div", { class: "rules" });
    const tr = element("tr", {},
      element("td", {}, control),
      element("td", {}, code(fault.name), element("div", { class: "narrow note" }, fault.wire), rules),
      element("td", { class: "wide" }, fault.committed ? "yes" : "no"),
      element("td", { class: "wide" }, fault.wire),
      element("td", { class: "wide" }, fault.doc));
    this.#rows.set(fault.name, { control, rules, tr, text: `${fault.name} ${fault.wire} ${fault.doc}`.toLowerCase() });
    return tr;
  }

  // Active faults come first; the others stay as they are listed.
  #sort() {
    const rows = [...this.#rows.values()];
    const wanted = [...rows.filter((row) => row.isOn), ...rows.filter((row) => !row.isOn)].map((row) => row.tr);
    if (wanted.some((tr, at) => tr !== this.#body.children[at])) {
      const focused = document.activeElement;
      this.#body.replaceChildren(...wanted);
      if (this.#body.contains(focused)) focused.focus();
    }
  }

  async #toggle(fault, control) {
    if (control.getAttribute("aria-checked") === "true") await remove(`faults/${fault.name}`);
    // It acts before there is a request, and so before there is a path.
    else if (fault.acts_on === "new connection") await post("faults", { fault: fault.name });
    else await post("faults", { fault: fault.name, path: this.#path.value, ...(this.#often.value === "always" && { probability: 1 }) });
    await this.refresh();
  }

  #filter() {
    const words = this.#search.value.trim().toLowerCase();
    for (const { tr, text } of this.#rows.values()) tr.hidden = !text.includes(words);
  }
}

function ruleOf(rule) {
  const away = button("Remove", `remove-${rule.id}`, () => attempt(() => remove(`faults/${rule.id}`)),
    { "aria-label": `Remove rule ${rule.id}` });
  return element("div", { class: "rule" }, words(rule), away);
}

function words({ count, path, fired }) {
  const where = path == null ? "the next connection" : path === "*" ? "any path" : path;
  return `${count == null ? "every request" : `${count} of the requests`} to ${where}, acted ${fired} times`;
}
