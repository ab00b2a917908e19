// Elements. Every text is a text node, so that nothing that a program sent is read as HTML.
const SVG = "http://www.w3.org/2000/svg";

// Attributes whose names begin with "on" are listeners; null and false leave one out.
function complete(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child != null && child !== false));
  return node;
}

export const element = (name, attributes = {}, ...children) =>
  complete(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) =>
  complete(document.createElementNS(SVG, name), attributes, children);

export const chip = (word, kind = "") => element("span", { class: `chip ${kind}` }, word);

export const code = (text) => element("code", {}, text);

// `act` finds the button again when its row is drawn anew.
export const button = (name, act, onclick, attributes = {}) =>
  element("button", { type: "button", "data-act": act, onclick, ...attributes }, name);

export const labelled = (name, control) => element("label", {}, element("span", {}, name), control);

// The time of day, with the whole moment as its title.
export const time = (moment) => element("time", { datetime: moment, title: moment }, moment.slice(11, 23));

// Amounts are texts here and stay so.
export const money = (amount, currency) => (amount == null ? "" : `${amount} ${currency ?? ""}`);

export const pretty = (value) => element("pre", { tabindex: "0" }, JSON.stringify(value, null, 2));

// Names and values.
export const facts = (pairs) =>
  element("dl", {}, ...pairs.filter(([, value]) => value != null && value !== "").map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
