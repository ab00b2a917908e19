// The form with which webhooks are sent as a merchant's server would get them: where to, in which form, how often.
import { attempt, post } from "./api.js";
import { element, labelled } from "./dom.js";

// Name, label, and the attributes of the control.
const MAIN = [["url", "Send events to", { placeholder: "nowhere: they are logged only", inputmode: "url" }]];
const FURTHER = [
  ["attempts", "Attempts until 2xx"],
  ["retry_ms", "Pause between attempts, ms"],
  ["delay_ms", "Delay, ms"],
  ["duplicates", "Further copies"],
  ["reorder", "Events sent in reverse at a time"],
  ["drop", "Next events not sent"],
];

export class Sending {
  #controls = new Map();
  #form = element("select");
  #save = element("button", { class: "main", disabled: true }, "Save");
  #known = {};

  constructor() {
    const control = ([name, label, attributes = { type: "number" }]) => {
      const input = element("input", attributes);
      this.#controls.set(name, input);
      return labelled(label, input);
    };
    const main = MAIN.map(control);
    this.#controls.set("form", this.#form);
    this.node = element("form", { class: "try", "aria-label": "How events are sent", onsubmit: (event) => this.#send(event) },
      main, labelled("Form", this.#form), this.#save,
      element("details", {}, element("summary", {}, "Attempts, copies, order"), element("div", { class: "fields" }, FURTHER.map(control))));
    this.node.addEventListener("input", () => this.#mark());
  }

  // Fields that somebody is changing here stay; the rest is as the sandbox has it.
  show(behaviour) {
    if (this.#form.options.length === 0) this.#form.append(...behaviour.forms.map((name) => element("option", {}, name)));
    for (const [name, control] of this.#controls) {
      const text = String(behaviour[name] ?? "");
      if (control.value === (this.#known[name] ?? control.value)) control.value = text;
      this.#known[name] = text;
    }
    this.#mark();
  }

  #changed() {
    return [...this.#controls].filter(([name, control]) => control.value.trim() !== this.#known[name]);
  }

  #mark() {
    this.#save.disabled = this.#changed().length === 0;
  }

  async #send(event) {
    event.preventDefault();
    const value = (control) => (control.type === "number" ? Number(control.value) : control.value.trim() || null);
    const changed = Object.fromEntries(this.#changed().map(([name, control]) => [name, value(control)]));
    await attempt(async () => {
      const now = await post("webhooks", changed);
      for (const [name, control] of this.#controls) control.value = this.#known[name] = String(now[name] ?? "");
      this.#mark();
    });
  }
}
