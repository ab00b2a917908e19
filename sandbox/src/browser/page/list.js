// A list that the server pages, searches and filters: however many entries there are, one page of them is in the document.
import { get } from "./api.js";
import { button, element, labelled } from "./dom.js";

const PAGE = 50;

// `options`: title, path, member, number (of an entry), columns, search (what it searches), kinds, detail, above, empty, seen (gets each response).
export class List {
  #options;
  #pages = []; // the entries before which the older pages begin
  #rows = new Map();
  #search;
  #kind;
  #body = element("tbody");
  #none;
  #newer = button("Newer", "newer", () => this.#turn(() => this.#pages.pop()));
  #older = button("Older", "older", () => this.#turn(() => this.#pages.push(this.#oldest)));
  #oldest;

  constructor(options) {
    this.#options = options;
    const { title, search, kinds, columns, above, empty } = options;
    this.#search = element("input", { type: "search", oninput: () => this.#turn(() => (this.#pages = [])) });
    this.#kind = kinds && element("select", { onchange: () => this.#turn(() => (this.#pages = [])) },
      ...kinds.map(([value, name]) => element("option", { value }, name)));
    this.#none = element("p", { class: "none note" }, empty);
    const head = columns.map((column) => element("th", { scope: "col", class: column.class }, column.title));
    this.node = element("section", { "aria-label": title },
      above,
      element("form", { class: "tools", role: "search", onsubmit: (event) => event.preventDefault() },
        labelled(`Search ${search}`, this.#search),
        this.#kind && labelled("Show", this.#kind),
        element("span", { class: "pages" }, this.#newer, this.#older)),
      element("div", { class: "sheet" },
        element("table", { "aria-label": title }, element("thead", {}, element("tr", {}, ...head)), this.#body),
        this.#none));
  }

  #turn(change) {
    change();
    this.changed?.();
  }

  async refresh() {
    const { path, member, number, seen } = this.#options;
    const asked = { limit: PAGE + 1, before: this.#pages.at(-1), search: this.#search.value.trim(), show: this.#kind?.value };
    const answer = await get(path, asked);
    seen?.(answer);
    const found = answer[member].reverse();
    const shown = found.slice(0, PAGE);
    this.#oldest = shown.length ? number(shown.at(-1)) : undefined;
    this.#older.disabled = found.length <= PAGE;
    this.#newer.disabled = this.#pages.length === 0;
    this.#none.hidden = shown.length > 0;
    this.#draw(shown);
  }

  // Draws only the rows that are new or different, so that the focus and what is open stay.
  #draw(entries) {
    const rows = new Map(entries.map((entry) => {
      const id = String(this.#options.number(entry));
      return [id, this.#row(this.#rows.get(id), entry, JSON.stringify(entry))];
    }));
    for (const [id, row] of this.#rows) {
      if (!rows.has(id)) row.nodes.forEach((node) => node.remove());
    }
    let next = this.#body.firstElementChild;
    for (const node of [...rows.values()].flatMap((row) => row.nodes)) {
      if (node === next) next = next.nextElementSibling;
      else this.#body.insertBefore(node, next);
    }
    this.#rows = rows;
  }

  #row(known, entry, text) {
    if (known?.text === text) return known;
    const { columns, detail, number } = this.#options;
    const row = { text, nodes: [element("tr")] };
    const [tr] = row.nodes;
    tr.append(...columns.map((column) => element("td", { class: column.class }, column.cell(entry))));
    if (detail) {
      const toggle = button("", "detail", () => open(row.nodes.length === 1), {
        class: "toggle", "aria-label": `Details of ${number(entry)}`, "aria-expanded": "false",
      });
      const open = (isOpen) => {
        toggle.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) row.nodes.push(element("tr", { class: "detail" }, element("td", { colspan: columns.length }, detail(entry))));
        else row.nodes.pop().remove();
        if (isOpen && tr.isConnected) tr.after(row.nodes[1]);
      };
      tr.firstElementChild.prepend(toggle);
      if (known?.nodes.length > 1) open(true);
    }
    if (known) {
      const focused = known.nodes[0].contains(document.activeElement) && document.activeElement.dataset.act;
      known.nodes[0].replaceWith(tr);
      known.nodes[1]?.remove();
      if (focused) tr.querySelector(`[data-act="${focused}"]`)?.focus();
    }
    return row;
  }
}
