/* Optional. Every page works without it; it adds keys, the live word diff, the steps of a run, copying, and a warning before typed words are lost. */
"use strict";

const FIELDS = "input:not([type=hidden], [type=checkbox], [type=radio], [type=range]), textarea, select";
/** True of what takes letters: there, keys are text. */
const typing = (node) => Boolean(node?.isContentEditable || node?.matches?.(FIELDS));
const all = (what, within = document) => [...within.querySelectorAll(what)];
const one = (what) => document.querySelector(what);
const say = document.body.appendChild(Object.assign(document.createElement("p"), { id: "said", className: "vh" }));
say.setAttribute("role", "status");

/* ---------- Sentences struck, text posted, words changed ---------- */

const final = one("#final");
const MAX_CELLS = 4e6; // of the table of a comparison; longer texts are compared when they are sent
const words = (text) => text.match(/\s+|[^\s]+/g) || [];

/** The parts of two texts, word by word: [" " kept, "-" deleted, "+" added]. Longest common subsequence. */
function compare(before, after) {
  const a = words(before), b = words(after);
  if (a.length * b.length > MAX_CELLS) return null;
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const parts = [];
  const add = (kind, text) => (parts.length && parts.at(-1)[0] === kind ? (parts.at(-1)[1] += text) : parts.push([kind, text]));
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add(" ", a[i++]); j++; }
    else if (i < a.length && (j >= b.length || best[i + 1][j] >= best[i][j + 1])) add("-", a[i++]);
    else add("+", b[j++]);
  }
  return together(parts);
}

/** Neighbouring changes with nothing but space between them as one: whole phrases read better than single words. */
function together(parts) {
  const out = [];
  let gone = "", come = "";
  const flush = () => { if (gone) out.push(["-", gone]); if (come) out.push(["+", come]); gone = come = ""; };
  parts.forEach(([kind, text], n) => {
    if (kind === "-") gone += text;
    else if (kind === "+") come += text;
    else if ((gone || come) && !text.trim() && n + 1 < parts.length) { gone += text; come += text; }
    else { flush(); out.push([" ", text]); }
  });
  flush();
  return out;
}

function showDiff() {
  const diff = one("#diff");
  if (!diff) return;
  const parts = compare(final.dataset.draft, final.value);
  if (!parts) { diff.textContent = "The texts are long: they are compared when you send them."; return; }
  const count = { "-": 0, "+": 0, " ": 0 };
  diff.replaceChildren(...parts.map(([kind, text]) => {
    count[kind] += text.split(/\s+/).filter(Boolean).length;
    if (kind === " ") return document.createTextNode(text);
    const node = document.createElement(kind === "+" ? "ins" : "del");
    node.textContent = text;
    return node;
  }));
  const share = Math.round((100 * count["-"]) / Math.max(1, count["-"] + count[" "]));
  one("#counts").textContent = `${count["+"]} words added, ${count["-"]} struck · ${share} % of the draft`;
  const approve = one("#approve");
  if (approve) approve.textContent = count["+"] + count["-"] ? "Approve with edits" : "Approve";
}

/** Before a list's item, a heading or a quotation. */
const marker = /^[ \t]*(?:(?:[-*+]|\d+[.)]|#{1,6}|>)[ \t]+)+/;

/** What stands before a sentence once it is gone, as `core.text.strikes` has it. */
function dropped(left, sentence, after, isLast) {
  const start = left.lastIndexOf("\n") + 1, line = left.slice(start);
  if (!after.includes("\n") && !isLast) return left + (line ? "" : sentence.match(marker)?.[0] ?? "");
  if (line && line.replace(marker, "")) return left.replace(/[ \t]+$/, "") + after;
  const lines = left.slice(0, start), paragraph = lines.replace(/\n+$/, "");
  return paragraph + "\n".repeat(Math.max(lines.length - paragraph.length, after.split("\n").length - 1));
}

const boxes = all("#sents input"), markdown = (box) => box.closest("li").dataset.md;

/** The draft without the sentences of these boxes. */
function draftWithout(struck) {
  const draft = final.dataset.draft, pieces = [];
  for (let n = 0, at = 0; n < boxes.length; n++) {
    const start = draft.indexOf(markdown(boxes[n]), at);
    if (start < 0) return null;
    pieces.push({ box: boxes[n], start, end: (at = start + markdown(boxes[n]).length) });
  }
  let left = draft.slice(0, pieces[0]?.start);
  pieces.forEach(({ box, start, end }, n) => {
    const text = draft.slice(start, end), rest = draft.slice(end, pieces[n + 1]?.start);
    const after = rest.match(/^\s*/)[0];
    left = struck(box) ? dropped(left, text, after, end === draft.length) + rest.slice(after.length) : left + text + rest;
  });
  return left.trim();
}

/** True if the text has a sentence as often as it is not struck. */
const isThere = (text) => final.value.split(text).length > boxes.filter((one) => !one.checked && markdown(one) === text).length;

/** Where one sentence of several equal ones begins in the text: after those before it that are not struck. */
function position(box) {
  const text = markdown(box);
  const earlier = boxes.slice(0, boxes.indexOf(box)).filter((one) => !one.checked && markdown(one) === text).length;
  let at = final.value.indexOf(text);
  for (let n = 0; n < earlier && at >= 0; n++) at = final.value.indexOf(text, at + text.length);
  return at;
}

/** Take a sentence out of the text, or put it back after the sentence before it. */
function strike(box) {
  const text = markdown(box), now = final.value;
  const isTyped = now.trim() !== draftWithout((one) => one.checked !== (one === box));
  if (!isTyped) final.value = draftWithout((one) => one.checked);
  else if (box.checked) {
    const at = position(box);
    const left = now.slice(0, at), rest = now.slice(at + text.length);
    if (at >= 0) final.value = rest.startsWith(" ") ? left + rest.slice(1) : left.replace(/ $/, "") + rest;
  } else if (!isThere(text)) {
    const before = boxes.slice(0, boxes.indexOf(box)).reverse().find((one) => !one.checked && position(one) >= 0);
    const end = before ? position(before) + markdown(before).length : 0;
    final.value = before ? `${now.slice(0, end)} ${text}${now.slice(end)}` : `${text} ${now}`;
  }
  say.textContent = box.checked ? "Sentence struck" : "Sentence back";
  final.dispatchEvent(new Event("input", { bubbles: true }));
}

if (final) {
  final.addEventListener("input", showDiff);
  boxes.forEach((box) => {
    box.removeAttribute("name"); // The text is sent without it: nothing is left to strike.
    box.addEventListener("change", () => strike(box));
  });
  showDiff();
  const opened = Date.now();
  final.form.addEventListener("submit", () => {
    const spent = one("#seconds");
    if (spent) spent.value = String((Date.now() - opened) / 1000);
  });
}

/* ---------- Undo ends, threshold in words, copy as Markdown ---------- */

all(".toast[data-seconds]").forEach((toast) => setTimeout(() => toast.remove(), 1000 * Number(toast.dataset.seconds)));
all("input[type=range]").forEach((range) => range.addEventListener("input", () => (range.form.querySelector("output").value = Number(range.value).toFixed(2))));
all("details.copy").forEach((details) =>
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    const text = details.querySelector("textarea");
    text.select();
    try { await navigator.clipboard.writeText(text.value); say.textContent = "Copied"; } catch { say.textContent = "Selected: copy it with Ctrl C"; }
  }));

/* ---------- Words that would be lost ---------- */

/* What is typed into a form with data-keep is kept in this browser, per person and item, until it was sent and taken:
   it outlives a reload, the other forms of its page, and the end of a session. */
const KEPT = `kept:${document.body.dataset.person}:`, SENT = "sent", KEPT_MS = 14 * 864e5;
const stored = { // A browser that keeps nothing for this site throws.
  get(key, store = localStorage) { try { return JSON.parse(store.getItem(key)); } catch { return null; } },
  set(key, value, store = localStorage) { try { store.setItem(key, JSON.stringify(value)); } catch { /* Then the warning remains. */ } },
  remove(key, store = localStorage) { try { store.removeItem(key); } catch { /* Nothing is there. */ } },
  keys() { try { return Object.keys(localStorage).filter((key) => key.startsWith("kept:")); } catch { return []; } },
};
const guarded = all("form[data-unsaved]"), keeping = all("form[data-keep]");
let sent; // the form that is being sent

const fields = (form) => [...form.elements].filter((field) => field.matches("textarea, input:not([type=hidden], [type=checkbox], [type=radio])"));
const isChanged = (field) => field.value !== field.defaultValue;
/** True if its words are not stored: typed now, or typed before and refused. */
const isUnsaved = (form) => Boolean(form.dataset.unsaved) || fields(form).some(isChanged);
const hint = (form) => { const note = form.querySelector("[data-hint]"); if (note) note.hidden = !isUnsaved(form); };
const itemOf = (form) => `${KEPT}${form.dataset.keep}@`;
const keyOf = (form) => itemOf(form) + (form.dataset.version ?? "");
const typedIn = (form) => Object.fromEntries(fields(form).filter((field) => field.name && isChanged(field)).map((field) => [field.name, field.value]));

function keep(form) {
  const typed = typedIn(form), before = stored.get(keyOf(form));
  if (!Object.keys(typed).length) { if (!form.dataset.unsaved) stored.remove(keyOf(form)); return; }
  if (JSON.stringify(before?.typed) !== JSON.stringify(typed)) stored.set(keyOf(form), { typed, at: Date.now() });
}

function fill(form, typed) {
  fields(form).filter((field) => field.name in typed).forEach((field) => {
    field.value = typed[field.name];
    const fold = field.closest("details");
    if (fold) fold.open = true;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Bring back what was typed and not sent, with a note; what belongs to an earlier version is offered. */
function restore(form, key) {
  const kept = stored.get(key), isSame = key === keyOf(form);
  const isMissing = kept && fields(form).some((field) => field.name in kept.typed && kept.typed[field.name] !== field.defaultValue);
  if (!isMissing) return;
  const [day, time] = new Date(kept.at).toISOString().split("T"), when = time.slice(0, 5);
  const date = day === new Date().toISOString().slice(0, 10) ? when : `${day}, ${when}`;
  const note = Object.assign(document.createElement("div"), { className: "banner warn" });
  note.setAttribute("role", "status");
  note.dataset.restored = "";
  const button = (label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "btn mini", textContent: label });
    made.addEventListener("click", () => { stored.remove(key); note.remove(); act(); });
    return made;
  };
  const words = `Your unsaved text from ${date} ${isSame ? "was restored." : "belongs to an earlier version, and is kept."}`;
  const row = Object.assign(document.createElement("span"), { className: "row" });
  if (!isSame) row.append(button("Use it", () => fill(form, kept.typed)));
  row.append(button("Discard it", () => {
    if (isSame) fill(form, Object.fromEntries(fields(form).map((field) => [field.name, field.defaultValue])));
  }));
  note.append(Object.assign(document.createElement("strong"), { textContent: words }), row);
  form.prepend(note);
  if (isSame) fill(form, kept.typed);
}

/** Forget what the page before this one sent, if it was taken: then the service leads on; what it refuses, it answers. */
function forgetTaken() {
  const item = stored.get(SENT, sessionStorage), [way] = performance.getEntriesByType("navigation");
  stored.remove(SENT, sessionStorage);
  if (!item || way?.type !== "navigate" || !way.redirectCount || way.responseStatus >= 400) return;
  stored.keys().filter((key) => key.startsWith(item)).forEach((key) => stored.remove(key));
}

forgetTaken();
stored.keys().filter((key) => Date.now() - (stored.get(key)?.at ?? 0) > KEPT_MS).forEach((key) => stored.remove(key));
keeping.forEach((form) => {
  const earlier = stored.keys().filter((key) => key.startsWith(itemOf(form)) && key !== keyOf(form));
  [...earlier, keyOf(form)].forEach((key) => restore(form, key));
  form.addEventListener("input", () => keep(form));
});
guarded.forEach((form) => {
  form.addEventListener("input", () => hint(form));
  hint(form);
});
addEventListener("pageshow", () => guarded.forEach(hint)); // A browser may bring typed words back.
addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  sent = event.target;
  if (sent.dataset.keep) stored.set(SENT, itemOf(sent), sessionStorage);
  if (sent.getAttribute("action") === "/sign-out") stored.keys().filter((key) => key.startsWith(KEPT)).forEach((key) => stored.remove(key));
});
/** True of a form that leads back to this page, or decides what was typed here. */
const isOfThisItem = (form) => [location.pathname, `${location.pathname}/alternative`].includes(new URL(form.action).pathname);
addEventListener("beforeunload", (event) => {
  const lost = guarded.find((form) => form !== sent && isUnsaved(form));
  const isKept = sent && isOfThisItem(sent);
  sent = undefined;
  if (!lost || isKept) return;
  event.preventDefault();
  setTimeout(() => { stay(); fields(lost)[0].focus(); }); // Who stays sees what would be lost.
});

/* ---------- A question that waits for a person ---------- */

const waiting = one("[data-waiting]");
const LOOK_EVERY_MS = 20e3;

/** Load the page again once the question does not wait any more. */
async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch(location.pathname, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (response.ok && (await response.json()).state !== waiting.dataset.waiting) location.reload();
  } catch { /* The next look may succeed. */ }
}
if (waiting) {
  setInterval(look, LOOK_EVERY_MS);
  document.addEventListener("visibilitychange", look);
}

/* ---------- While a model works ---------- */

const asking = one("form[data-ask]");

/** Each event of a stream of server-sent events as [name, data]. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let kept = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (kept + value).replaceAll("\r\n", "\n").split("\n\n");
    kept = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
      if (field("data")) yield [field("event"), JSON.parse(field("data"))];
    }
  }
}

function asked(form) {
  const value = (name) => form.elements[name]?.value || undefined;
  const consent = form.elements.consent?.checked;
  const parameters = new URLSearchParams(["pipeline", "retriever", "model", "top_k", "seed"].filter(value).map((name) => [name, value(name)]));
  const question = { title: value("title"), body: value("body"), category: value("category")?.trim() || undefined };
  const code = value("code") && { code: value("code"), line: Number(value("line")) || undefined, programming_language: value("programming_language"), exercise: value("exercise")?.trim(), tests: value("tests")?.trim() };
  return [parameters, { course: value("course"), question, author: consent ? { consent } : undefined, ...code }];
}

function step(text) {
  const list = one("#steps");
  all(".now", list).forEach((item) => item.classList.remove("now"));
  list.append(Object.assign(document.createElement("li"), { className: "now", textContent: text }));
}

async function ask(form, signal) {
  const [parameters, body] = asked(form);
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream", "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
  if (form.elements.csrf) headers["X-CSRF-Token"] = form.elements.csrf.value;
  const response = await fetch(`/answer?${parameters}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!response.ok) throw new Error((await response.json()).detail);
  let writing = false;
  for await (const [name, data] of events(response)) {
    if (name === "call") step(`Searching: ${data.name.replaceAll("_", " ")}${data.arguments.query ? ` for “${data.arguments.query}”` : ""}`);
    if (name === "retrieval") step(`Found ${data.passages?.length || "some"} places with ${(data.function || "").replaceAll("_", " ")}`);
    if (name === "usage") step(data.kind === "choose" ? "Chose where to look" : `Done: ${data.kind}`);
    if (name === "delta" && !writing) { writing = true; step("Sending the checked answer"); }
    if (name === "error") throw new Error(data.detail);
    if (name === "done") { stored.remove(keyOf(form)); form.dataset.unsaved = ""; form.reset(); location.href = `/answers/${data.draft_id}`; return; }
  }
  throw new Error("The answer ended too early. Ask again.");
}

asking?.addEventListener("submit", (event) => {
  event.preventDefault();
  const stop = new AbortController(), button = asking.querySelector("button.primary");
  one("#failed").hidden = true;
  one("#steps").replaceChildren();
  one("#working").hidden = false;
  button.disabled = true;
  step("Reading the question");
  one("#stop").onclick = () => stop.abort();
  ask(asking, stop.signal).catch((error) => {
    one("#working").hidden = true;
    button.disabled = false;
    one("#failed").hidden = false;
    one("#failed strong").textContent = stop.signal.aborted ? "Stopped. Your text is kept." : error.message;
  });
});

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
  const items = all("[data-item] a.title, #sents input");
  const item = document.activeElement.closest?.("[data-item]") || document.querySelector("[data-item]:target");
  const at = items.indexOf(item?.querySelector("a.title") || document.activeElement);
  const next = items[Math.min(items.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return true;
}

function act(key) {
  if (key === "?") { location.hash = location.hash === "#keys" ? "#main" : "#keys"; return true; }
  if (key === "j" || key === "k") return move(key === "j" ? 1 : -1);
  if (key === "c") return document.activeElement.closest?.("[data-item]")?.querySelector(".claim button")?.click() ?? true;
  if (key === "x") {
    const box = document.activeElement.matches("#sents input") ? document.activeElement : null;
    return box ? box.click() ?? true : move(1);
  }
  if (/^[1-9]$/.test(key)) {
    const source = all("details.source[name]")[key - 1];
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
    if (typing(target)) target.blur();
    else if (location.hash === "#keys") location.hash = "#main";
    return;
  }
  if (!switched.checked || !isMeant(event)) return;
  const place = Date.now() - went < 1000 && one(`[data-go="${CSS.escape(event.key)}"]`);
  if (place) { leave(); location.href = place.href; return; }
  went = event.key === "g" ? Date.now() : 0;
  if (act(event.key)) event.preventDefault();
});
