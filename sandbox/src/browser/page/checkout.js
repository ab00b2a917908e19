// The hosted checkout inside the widget's frame: it reports the result to the widget. Outside a frame the page works
// without this script.
const PAUSE = 500; // milliseconds between two looks at an awaited transfer
const accept = { accept: "application/json" };

if (window.parent !== window) {
  const origin = decodeURIComponent(location.hash.slice(1));
  // A page that was opened from a file has no origin that could be named.
  const target = /^https?:/.test(origin) ? origin : "*";
  const tell = (message) => window.parent.postMessage(message, target);
  const isPending = document.querySelector("[data-status]").textContent === "Pending";

  // Returns whether the payment was made or failed, which is reported once: the widget closes then.
  const isOver = async () => {
    const order = await (await fetch(location.pathname, { headers: accept })).json();
    if (order.status !== "Pending") tell({ what: "completed", order });
    return order.status !== "Pending";
  };

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
        // An awaited transfer is shown with its account.
        if (!(await isOver())) location.reload();
      } catch (error) {
        tell({ what: "failed", message: error.message });
      }
    });
  }
  // The transfer may arrive by another way, such as an admin call.
  const watch = async () => {
    if (!(await isOver())) setTimeout(watch, PAUSE);
  };
  if (isPending) watch().catch((error) => tell({ what: "failed", message: error.message }));
}
