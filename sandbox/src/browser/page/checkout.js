// The hosted checkout inside the widget's frame: its buttons tell the widget what happened. Outside a frame the page
// works without this script.
if (window.parent !== window) {
  const origin = decodeURIComponent(location.hash.slice(1));
  // A page that was opened from a file has no origin that could be named.
  const target = /^https?:/.test(origin) ? origin : "*";
  const tell = (message) => window.parent.postMessage(message, target);
  const accept = { accept: "application/json" };

  document.documentElement.classList.add("framed");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tell({ what: "closed" });
  });
  for (const form of document.forms) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      document.querySelectorAll("button").forEach((button) => (button.disabled = true));
      try {
        const made = await fetch(form.action, { method: "POST", headers: accept });
        if (!made.ok) throw new Error((await made.json()).message);
        const order = await (await fetch(location.pathname, { headers: accept })).json();
        tell({ what: "completed", order });
      } catch (error) {
        tell({ what: "failed", message: error.message });
      }
    });
  }
}
