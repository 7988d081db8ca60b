/* Optional. Every page works without it; with workbench.js and keys.js it adds keys, live previews, the steps of a run, copying, and a warning before typed words are lost. */
"use strict";

const FIELDS = "input:not([type=hidden], [type=checkbox], [type=radio], [type=range]), textarea, select";
/** True of what takes letters: there, keys are text. */
const typing = (node) => Boolean(node?.isContentEditable || node?.matches?.(FIELDS));
const all = (what, within = document) => [...within.querySelectorAll(what)];
const one = (what) => document.querySelector(what);
const say = document.body.appendChild(Object.assign(document.createElement("p"), { id: "said", className: "vh" }));
say.setAttribute("role", "status");

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
const deviceItem = (form) => `${KEPT}review/${form.dataset.draft}/${form.dataset.purpose}@`;
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
  if (sent.dataset.keep || sent.dataset.draft) stored.set(SENT, sent.dataset.draft ? deviceItem(sent) : itemOf(sent), sessionStorage);
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
const LOOK_SECONDS = 20, LOOK_AGAIN_MS = 5e3;

/** Load the page again as soon as the question does not wait any more. */
async function watchAnswer() {
  let pause = 0;
  try {
    const response = await fetch(`${location.pathname}?wait=${LOOK_SECONDS}`, { headers: { Accept: "application/json" }, cache: "no-store" });
    const answer = response.ok ? await response.json() : null;
    if (answer && (answer.status || answer.error || answer.state !== waiting.dataset.waiting)) { location.reload(); return; }
    if (!answer) pause = LOOK_AGAIN_MS;
  } catch { pause = LOOK_AGAIN_MS; }
  setTimeout(watchAnswer, pause);
}
if (waiting) watchAnswer();

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

/** A picture as the service takes it. */
const picture = (file) => new Promise((done, fail) => {
  const reader = new FileReader();
  reader.onload = () => done({ media_type: file.type || "image/png", data: reader.result.split(",")[1] ?? "" });
  reader.onerror = fail;
  reader.readAsDataURL(file);
});
/** What is wrong with the chosen pictures, in a sentence; empty if nothing is. */
function pictureProblem(field) {
  const most = Number(field.dataset.most), file = [...field.files].find((one) => one.size > most);
  if (file) return `${file.name} is too large (${(file.size / 2 ** 20).toFixed(1)} MB). Pictures have at most ${(most / 2 ** 20).toFixed(0)} MB: send a smaller one, or a part of it.`;
  return field.files.length > Number(field.dataset.number) ? `At most ${field.dataset.number} pictures can be attached.` : "";
}
all("input[type=file][data-most]").forEach((field) => field.addEventListener("change", () => {
  field.setCustomValidity(pictureProblem(field));
  field.reportValidity();
}));

function asked(form, images) {
  const value = (name) => form.elements[name]?.value || undefined;
  const consent = form.elements.consent?.checked;
  const parameters = new URLSearchParams(["pipeline", "retriever", "model", "top_k", "seed"].filter(value).map((name) => [name, value(name)]));
  const question = { title: value("title"), body: value("body"), category: value("category")?.trim() || undefined, images };
  const code = value("code") && { code: value("code"), line: Number(value("line")) || undefined, programming_language: value("programming_language"), exercise: value("exercise")?.trim(), tests: value("tests")?.trim() };
  return [parameters, { course: value("course"), question, author: consent ? { consent } : undefined, ...code }];
}

function step(text) {
  const list = one("#steps");
  all(".now", list).forEach((item) => item.classList.remove("now"));
  list.append(Object.assign(document.createElement("li"), { className: "now", textContent: text }));
}

async function ask(form, signal) {
  const images = await Promise.all([...(form.elements.pictures?.files ?? [])].map(picture));
  const [parameters, body] = asked(form, images.length ? images : undefined);
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream", "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") };
  if (form.elements.csrf) headers["X-CSRF-Token"] = form.elements.csrf.value;
  const response = await fetch(`/answer?${parameters}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (response.status === 413 || response.status === 422) { // The page says it in its own words.
    sent = form;
    HTMLFormElement.prototype.submit.call(form);
    return;
  }
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

/** The steps and Stop come into view, wherever the form was sent from. */
function showWorking() {
  one("#working").hidden = false;
  one("#working").scrollIntoView({ block: "end" });
  one("#stop").focus({ preventScroll: true });
}

/* A form without a stream of steps: the page says that work is under way, and Stop ends its request. */
all("form[data-working]").forEach((form) => form.addEventListener("submit", (event) => {
  if (event.defaultPrevented || leaving) return;
  one("#steps").replaceChildren();
  showWorking();
  step("Reading your work");
  one("#stop").onclick = () => { window.stop(); stay(); one("#working").hidden = true; form.querySelector("button.primary").focus(); };
}));

asking?.addEventListener("submit", (event) => {
  event.preventDefault();
  const stop = new AbortController(), button = asking.querySelector("button.primary");
  one("#failed").hidden = true;
  one("#steps").replaceChildren();
  showWorking();
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
