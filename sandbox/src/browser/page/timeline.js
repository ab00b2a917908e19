// The picture of an order: the till on the left, the service on the right, time runs down.
import { svg } from "./dom.js";
import { done, effect, eventWords, words } from "./story.js";

const LETTER = 6.6; // the width of a letter, generously
const HEAD = 34;

// The heights of a row: where there is no room beside the lanes, the words go below.
const HEIGHTS = { request: [62, 100], webhook: [40, 44], effect: [34, 34] };

export function draw(story, width) {
  const isWide = width >= 760;
  const [left, right] = isWide ? [250, width - 270] : [12, width - 12];
  const middle = (left + right) / 2;
  // Where the arrow of what is lost ends.
  const lost = isWide ? middle : left + (right - left) / 6;
  const at = { left, right, middle, lost, width, isWide, letters: (right - left) / LETTER };
  let y = HEAD;
  const rows = story.map((it) => {
    const group = svg("g", { transform: `translate(0 ${y})` }, ...row(it, at));
    y += HEIGHTS[it.kind][isWide ? 0 : 1];
    return group;
  });
  const lane = (x) => svg("line", { x1: x, x2: x, y1: HEAD - 6, y2: y, class: "lane" });
  const name = (x, anchor, text) => svg("text", { x, y: 20, class: "name", "text-anchor": anchor }, text);
  return svg("svg", {
    width, height: y + 8, viewBox: `0 0 ${width} ${y + 8}`, role: "img",
    "aria-label": `Timeline. ${story.map(words).join(". ")}`,
  },
    name(isWide ? left : 0, isWide ? "middle" : "start", "Till"),
    name(isWide ? right : width, isWide ? "middle" : "end", "Service"),
    lane(left), lane(right), ...rows);
}

function row(it, at) {
  const time = at.isWide && svg("text", { x: 0, y: 24, class: "time" }, it.at.slice(11, 23));
  // A line for each effect, where there is room.
  const service = (texts, kind, below) => (at.isWide
    ? texts.map((text, index) => label(text, at.right + 12, 24 + 17 * index, "start", kind, (at.width - at.right - 12) / LETTER))
    : [label(texts.join(", "), at.right - 12, below, "end", kind, at.letters - 4)]);
  if (it.kind === "effect") return [time, dot(at.right, 20), ...service([`${effect(it.effects[0])} (admin)`], "", 24)];
  if (it.kind === "webhook") {
    const { progress } = it.delivery;
    const text = eventWords(it.delivery);
    if (progress !== "delivered" && progress !== "failed") return [time, dot(at.right, 20), ...service([text], "", 24)];
    const arrives = progress === "delivered";
    return [time, dot(at.right, 20), ...arrow(at.right, arrives ? at.left : at.lost, 20, "webhook", arrives),
      label(text, at.middle, 14, "middle", "", at.letters)];
  }
  const { method, path, status, answered, fault } = it.request;
  const isWhole = answered === "whole";
  const lost = `${answered === "part" ? "answer cut off" : "answer lost"}${fault ? `: ${fault}` : ""}`;
  const [till, kind] = it.belief;
  return [
    time,
    ...arrow(at.left, at.right - 5, 20, "call", method !== null),
    label(method === null ? "not read" : `${method} ${path}`, at.middle, 14, "middle", "mono", at.letters),
    dot(at.right, 20),
    ...arrow(at.right, isWhole ? at.left : at.lost, 46, isWhole ? "answer" : "lost", isWhole),
    isWhole ? label(String(status), at.middle, 40, "middle", "", at.letters)
      : label(lost, at.lost + 10, 41, "start", "bad", (at.right - at.lost) / LETTER - 2),
    at.isWide ? label(till, at.left - 12, 50, "end", kind, 36) : label(till, at.left + 12, 66, "start", kind, at.letters - 4),
    ...service(it.effects.length ? it.effects.map(effect) : [done(it)], it.effects.length ? "good" : "", 86),
  ];
}

const dot = (x, y) => svg("circle", { cx: x, cy: y, r: 4, class: "dot" });

// Ends with a head, or with a cross where it is lost.
function arrow(from, to, y, kind, arrives) {
  const step = to > from ? -7 : 7;
  const end = arrives ? `M${to + step} ${y - 4}L${to} ${y}L${to + step} ${y + 4}`
    : `M${to - 5} ${y - 5}L${to + 5} ${y + 5}M${to - 5} ${y + 5}L${to + 5} ${y - 5}`;
  return [
    svg("line", { x1: from, x2: to, y1: y, y2: y, class: `arrow ${kind}` }),
    svg("path", { d: end, class: `arrow ${arrives ? kind : "cross"}` }),
  ];
}

// Cut to what fits; the whole text is its title.
function label(text, x, y, anchor, kind, letters) {
  const most = Math.max(8, Math.floor(letters));
  const shown = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return svg("text", { x, y, class: `label ${kind}`, "text-anchor": anchor }, svg("title", {}, text), shown);
}
