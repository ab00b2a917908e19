// Calls of the sandbox.

// Numbers with a fraction, and long ones, keep the digits that were sent, where the browser can do that.
function kept(_, value, context) {
  const isExact = typeof value !== "number" || !context?.source || /^-?\d{1,15}$/.test(context.source);
  return isExact || !JSON.rawJSON ? value : JSON.rawJSON(context.source);
}

export const parse = (text) => JSON.parse(text, kept);

async function call(method, path, body) {
  const response = await fetch(`/sandbox/${path}`, { method, body: body && JSON.stringify(body) });
  const answer = parse(await response.text());
  if (!response.ok) throw new Error(answer.message ?? answer.error?.message ?? `${response.status} from ${path}`);
  return answer;
}

// Empty parameters are left out.
export function get(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(given).toString();
  return call("GET", query ? `${path}?${query}` : path);
}

export const post = (path, body = {}) => call("POST", path, body);
export const remove = (path) => call("DELETE", path);
export const segment = encodeURIComponent;

const message = document.getElementById("message");

export function say(text) {
  message.hidden = !text;
  message.textContent = text;
}

// A button's action; a refusal is shown.
export async function attempt(act) {
  try {
    say("");
    await act();
  } catch (error) {
    say(error.message);
  }
}
