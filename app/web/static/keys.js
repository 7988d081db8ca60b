/* ---------- Keys ---------- */

let went = 0;
let appeared = performance.now();
const UNREAD_MS = 300; // Nobody has read a page that appeared so short a time ago: what is struck was meant for the one before.

/* What decides, decides once: from when a page is left until the next one is there, neither keys nor forms act. */
const LEAVING_MS = 10e3; // A page that could not be left in this time can be used again.
let leaving = false, back = 0;
function leave() {
  leaving = true;
  clearTimeout(back);
  back = setTimeout(stay, LEAVING_MS);
}
function stay() { leaving = false; clearTimeout(back); }
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (leaving) event.preventDefault(); else leave();
});
addEventListener("pageshow", (event) => { stay(); if (event.persisted) appeared = performance.now(); });
document.addEventListener("visibilitychange", () => { appeared = performance.now(); });

/* Who speaks to the computer, or strikes keys by accident, can switch single keys off (WCAG 2.1.4). */
const single = one("#single"), switched = single.querySelector("input");
try { // A browser that keeps nothing for this site throws.
  switched.checked = localStorage.getItem("single-keys") !== "off";
  switched.addEventListener("change", () => localStorage.setItem("single-keys", switched.checked ? "on" : "off"));
  single.hidden = false;
} catch { /* Then keys stay on. */ }

const isVisible = (node) => node.checkVisibility({ visibilityProperty: true });

/** Put the cursor where the eye is led to. */
function focus(node) {
  node.focus();
  node.scrollIntoView({ block: "nearest" });
  return true;
}

/** Focus the next or previous item of the page's list: drafts, sentences or questions. */
function move(step) {
  const items = all("[data-item] a.title, #text input[name=strike]");
  const item = document.activeElement.closest?.("[data-item]") || document.querySelector("[data-item]:target");
  let at = items.indexOf(item?.querySelector("a.title") || document.activeElement);
  if (at < 0 && sentence) at = items.indexOf(sentence);
  const next = items[Math.min(items.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
  next?.focus();
  next?.closest(".s, .unit, tr, [data-item]")?.scrollIntoView({ block: "nearest" });
  return true;
}

function act(key) {
  if (key === "?") { location.hash = location.hash === "#keys" ? "#main" : "#keys"; return true; }
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  if (key === "c") return document.activeElement.closest?.("[data-item]")?.querySelector(".claim button")?.click() ?? true;
  if (onBench && key in onBench) return onBench[key]() ?? true;
  if (/^[1-9]$/.test(key)) {
    const reason = one(`[data-digit="${key}"]`), source = all("details.source[name]")[key - 1];
    if (reason) return reason.click() ?? true;
    if (!source) return null;
    source.open = true;
    return source.querySelector("summary").focus() ?? true;
  }
  const target = all(`[data-key="${CSS.escape(key)}"]`).find(isVisible);
  if (!target) return null;
  if (typing(target)) return focus(target);
  if (target.matches("summary")) {
    target.parentElement.open = true;
    return focus(all(FIELDS, target.parentElement).find(isVisible) || target);
  }
  if (target.matches("a[href]:not([href^='#'])")) leave();
  target.click();
  if (target.hash && !target.pathname.replace(location.pathname, "")) all(FIELDS, one(target.hash)).find(isVisible)?.focus();
  return true;
}

/** True of a key that is no text, no shortcut of the browser, no key held down, and meant for this page. */
function isMeant(event) {
  if (event.repeat || event.isComposing || event.keyCode === 229 || event.defaultPrevented || leaving) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.getModifierState("AltGraph")) return false;
  return !typing(event.composedPath()[0]) && event.timeStamp - appeared >= UNREAD_MS;
}

document.addEventListener("keydown", (event) => {
  const target = event.composedPath()[0];
  if (event.key === "Escape" && !event.isComposing) {
    if (typing(target)) endEdit(target) || target.blur();
    if (["#keys", "#regen", "#insert"].includes(location.hash)) location.hash = "#main";
    all(".menu[open]").forEach((menu) => (menu.open = false));
    return;
  }
  if (!switched.checked || !isMeant(event)) return;
  const place = Date.now() - went < 1000 && one(`[data-go="${CSS.escape(event.key)}"]`);
  if (place) { leave(); location.href = place.href; return; }
  went = event.key === "g" ? Date.now() : 0;
  if (act(event.key)) event.preventDefault();
});
