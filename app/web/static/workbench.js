/* ---------- One draft: sentences struck, blocks edited, evidence beside them ---------- */

const decision = one("#decision"), text = one("#text"), evidence = one("#evidence");
let sentence = null; // the checkbox of the sentence in focus
const boxes = () => all("input[name=strike]", text ?? document.createElement("p"));
const unitOf = (box) => box.closest(".s, .unit");

/** Scroll a passage's own box to its mark. */
function toMark(article) {
  const view = article?.querySelector(".view"), mark = view?.querySelector("mark");
  if (!mark || view.querySelector(".crop")) { if (view) view.scrollTop = 0; return; } // A page's crop shows its mark itself.
  const at = mark.getBoundingClientRect(), box = view.getBoundingClientRect();
  view.scrollTop += at.top - box.top - Math.max(8, (box.height - at.height) / 2);
}

/** Show what a sentence rests on: its sources, each at its mark, and the line of the student's work. */
function look(box) {
  if (!box) return;
  sentence = box;
  all(".here", document).forEach((node) => node.classList.remove("here"));
  unitOf(box).classList.add("here");
  const sources = (unitOf(box).dataset.ev || "").split(" ").filter(Boolean);
  showSources(sources, `of ${unitOf(box).matches(".s") ? "sentence" : "part"} ${boxes().indexOf(box) + 1}`);
  const line = unitOf(box).dataset.line && one(`#line-${unitOf(box).dataset.line}`);
  if (line) { line.classList.add("here"); line.scrollIntoView({ block: "nearest" }); }
}

function showSources(names, of) {
  if (!one("#e-for")) return;
  const shown = all(".ev", evidence).filter((node) => node.classList.toggle("on", names.includes(node.dataset.e)));
  one("#nothing").classList.toggle("on", !shown.length && boxes().length > 0);
  one("#e-for").textContent = of;
  one("#tab-n").textContent = shown.length;
  all("[data-src]", evidence).forEach((link) => (names.includes(link.dataset.src) ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current")));
  shown.forEach(toMark);
}

const editOf = (node) => node.closest(".blk")?.querySelector(".edit");
function beginEdit(node) {
  const edit = editOf(node), area = edit?.querySelector("textarea");
  if (!area) return;
  edit.open = true;
  area.focus();
  area.setSelectionRange(area.value.length, area.value.length);
}

/** Close the editor of a block, which keeps what was typed; false of other fields. */
function endEdit(node) {
  const edit = node.closest?.(".blk .edit");
  if (!edit) return false;
  const first = edit.closest(".blk").querySelector("input[name=strike]");
  if (first) { edit.open = false; first.focus(); } else node.blur();
  return true;
}

/** Only the sentence in focus is a stop of the Tab key. */
const tabStops = () => { const all_ = boxes(); all_.forEach((box) => (box.tabIndex = box === (sentence ?? all_[0]) ? 0 : -1)); };

/* ---------- Insert a source or a snippet where the cursor was ---------- */

let area = null; // the editor that had the cursor last, and where the cursor was
text?.addEventListener("focusout", (event) => { if (event.target.matches("textarea[name=block]")) area = event.target; });
function openInsert() {
  area ??= editOf(sentence ?? one(".blk .body"))?.querySelector("textarea");
  location.hash = "#insert";
  one("#source-words").focus();
}
function insert(words) {
  location.hash = "#main";
  const edit = area?.closest(".edit");
  if (!edit) return;
  edit.open = true;
  area.focus();
  const end = area.selectionEnd === 0 ? area.value.length : area.selectionEnd;
  area.setRangeText(`${end && !/\s$/.test(area.value.slice(0, end)) ? " " : ""}${words}`, end, end, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
  say.textContent = "Inserted";
}
async function findSources(event) {
  event.preventDefault();
  const found = one("#sources-found"), said = one("#sources-said"), asked = one("#source-words").value.trim();
  if (!asked) return;
  said.textContent = "Searching …";
  const response = await fetch(`/review/${decision.dataset.draft}/material?q=${encodeURIComponent(asked)}`, { headers: { Accept: "application/json" } }).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (!response?.ok) { said.textContent = answer?.detail ?? "The material cannot be searched now."; return; }
  said.textContent = answer.length ? `${answer.length} passages; Enter inserts the first.` : "Nothing was found.";
  found.replaceChildren(...answer.map((source) => {
    const row = words("li", ""), button = words("button", source.title, { type: "button", className: "btn mini" });
    button.addEventListener("click", () => insert(source.reference));
    row.append(button, words("span", ` ${source.where} · ${source.excerpt}`, { className: "small muted" }));
    return row;
  }));
  found.querySelector("button")?.focus();
}

const onBench = decision && {
  i: () => openInsert(),
  x: () => { if (sentence) sentence.click(); },
  e: () => beginEdit(sentence ?? one(".blk .body")),
  o: () => one(".ev.on footer a")?.click(),
  v: () => { const log = one("#log"); log.open = !log.open; },
  z: () => one("#wide")?.click(),
  q: () => one("#question").focus(),
};

if (text) {
  text.addEventListener("focusin", (event) => { if (event.target.name === "strike") { look(event.target); tabStops(); } });
  text.addEventListener("click", (event) => {
    const link = event.target.closest("a.ref"), unit = event.target.closest(".s, .unit");
    if (link) {
      event.preventDefault();
      const article = one(`#e${CSS.escape(link.hash.replace("#citation-", ""))}`);
      if (unit) unit.querySelector("input").focus({ preventScroll: true });
      if (article) { article.classList.add("on"); toMark(article); }
      if (matchMedia("(max-width: 59.99rem)").matches) one("#tab-e").click();
    } else if (unit && event.target.type !== "checkbox" && !event.target.closest("a, button, textarea, summary")) {
      event.preventDefault(); // A click shows the sentence's evidence; it is struck by its button or key.
      unit.querySelector("input").focus({ preventScroll: true });
    }
  });
  text.addEventListener("dblclick", (event) => { if (event.target.closest(".s, .unit")) beginEdit(event.target); });
  text.addEventListener("toggle", (event) => { if (event.target.matches(".edit[open]") && document.activeElement?.closest(".edit") !== event.target) beginEdit(event.target); }, true);
  all("[data-done]", text).forEach((button) => button.addEventListener("click", () => endEdit(button)));
  document.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && endEdit(event.target)) event.preventDefault(); });
  one("#insert-here")?.addEventListener("click", openInsert);
  one("#find-source")?.addEventListener("submit", findSources);
  all("[data-insert]").forEach((button) => button.addEventListener("click", () => insert(button.dataset.insert)));
  one("#strike-here")?.addEventListener("click", () => sentence?.click());
  one("#edit-here")?.addEventListener("click", () => beginEdit(sentence ?? one(".blk .body")));
  all("[data-src]").forEach((link) => link.addEventListener("click", (event) => { event.preventDefault(); showSources([link.dataset.src], "chosen by hand"); }));
  one("#wide")?.addEventListener("change", () => look(sentence));
  one("#tab-e")?.addEventListener("change", () => look(sentence));
  const first = boxes().find((box) => unitOf(box).dataset.ev) ?? boxes()[0]; // The eye is led to what can be checked.
  if (first) { look(first); tabStops(); addEventListener("load", () => look(sentence)); }
}

/* ---------- Every edit is saved as it is typed: on the service, and until it is there in this browser ---------- */

const SAVE_MS = 400, RETRY_MS = 5e3, BEAT_MS = 20e3, FLUSH_MS = 50, FLUSH_TRIES = 40, MAX_UNANSWERED = 3;
const NAMES = ["was", "block", "strike", "reason", "note", "correct", "helpful", "style", "promote", "evidence", "keep", "instruction"];
let revision = Number(decision?.dataset.revision), changed = 0, saving = null, timer, isGone = false;
const showState = (state, words) => { const saved = one("#saved"); if (saved) { saved.dataset.state = state; saved.textContent = words; } };
const typedNow = () => {
  const fields = {};
  for (const form of [decision, one("#regenerate")]) {
    if (form) for (const [name, value] of new FormData(form)) if (NAMES.includes(name)) (fields[name] ??= []).push(value.replaceAll("\r\n", "\n"));
  }
  return fields;
};
const api = (path, options = {}) => fetch(`/review/${decision.dataset.draft}/${path}?purpose=${decision.dataset.purpose}`, {
  cache: "no-store", redirect: "error", ...options,
  headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRF-Token": decision.elements.csrf?.value ?? "" },
});
const put = (fields, from, block, more) => api("edit", { method: "PUT", body: JSON.stringify({ base: decision.dataset.base, revision: from, fields, block }), ...more });

function news(html) {
  const box = one("#news");
  box.querySelector("[data-news]")?.remove();
  const banner = Object.assign(document.createElement("section"), { className: "banner warn" });
  banner.dataset.news = "";
  banner.append(...html);
  box.append(banner);
}
const words = (tag, text, more) => Object.assign(document.createElement(tag), { textContent: text, ...more });

/** Store the fields. Earlier saves without a reply may have arrived all the same: these are no other window's. */
async function putOver(fields, from, earlier, block) {
  const response = await put(fields, from, block);
  for (const own of response.status === 412 ? [...earlier].reverse() : []) {
    const again = await put(own, from, null);
    if (again.ok) return put(fields, (await again.json()).revision, block);
  }
  return response;
}

/** What is not saved is kept in this browser, with the saves that got no reply and what was there when the page opened. */
const hold = () => stored.set(deviceItem(decision), { fields: typedNow(), base: decision.dataset.base, revision, unanswered, before, at: Date.now() });

/** Note a change: in this browser at once, on the service after a moment. */
function typed(block, wait = SAVE_MS) {
  changed++;
  if (block) pending = block;
  hold();
  showState("saving", "Saving …");
  clearTimeout(timer);
  timer = setTimeout(save, wait);
}
let pending = null; // the block whose preview is to be shown
let unanswered = []; // fields of saves that got no reply, oldest first
const earlierItem = `${KEPT}earlier/${decision?.dataset.draft}`; // a text that two newer ones have taken the place of
let before = null; // what this browser held when the page opened, until the service has it

async function save() {
  if (saving || isGone) return;
  if (before && !await recover()) return;
  const version = changed, block = pending, fields = typedNow(), earlier = unanswered;
  pending = null;
  unanswered = [...earlier, fields].slice(-MAX_UNANSWERED);
  if (stored.get(deviceItem(decision))) hold();
  try {
    saving = putOver(fields, revision, earlier, block ? Number(block.dataset.blk) : null);
    const response = await saving;
    unanswered = [];
    const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : {};
    if (response.ok) saved(answer, version, block);
    else if (response.status === 401) signedOut();
    else if (response.status === 403) await refused();
    else if (response.status === 412) await changedElsewhere();
    else gone(answer.detail ?? "Your text cannot be saved.");
  } catch {
    showState("offline", "Kept in this browser");
    timer = setTimeout(save, RETRY_MS);
  } finally {
    saving = null;
    if (changed !== version && !isGone && one("#saved")?.dataset.state !== "offline") { clearTimeout(timer); timer = setTimeout(save, SAVE_MS); }
  }
}

/** Save what is not saved yet, as far as that can be done at once. */
async function flush() {
  clearTimeout(timer);
  for (let n = 0; n < FLUSH_TRIES && stored.get(deviceItem(decision)) && one("#saved").dataset.state !== "offline"; n++) {
    await save();
    await new Promise((done) => setTimeout(done, FLUSH_MS));
  }
}

function saved(answer, version, block) {
  revision = answer.revision;
  decision.elements.revision.value = revision;
  if (changed === version) {
    stored.remove(deviceItem(decision));
    showState("saved", `Saved ${answer.saved_at}`);
  } else hold();
  if (block && answer.html !== null && version === changed) showBlock(block, answer);
  else pending ??= block;
  one("#diff").innerHTML = answer.changes; // Escaped by the service.
  one("#n-log").textContent = answer.added + answer.struck;
  one("#counts").textContent = `${answer.added} words in, ${answer.struck} out · ${answer.share} % of the draft`;
  const noticed = one("#noticed");
  noticed.hidden = !answer.noticed.length;
  noticed.querySelector("ul").replaceChildren(...answer.noticed.map((sentence) => words("li", sentence)));
  const approve = one("#approve");
  if (approve?.textContent.startsWith("Approve")) approve.textContent = answer.added + answer.struck ? "Approve with edits" : "Approve";
}

function showBlock(block, answer) {
  const had = sentence && block.contains(sentence) ? boxes().indexOf(sentence) : -1;
  block.querySelector(":scope > .body").innerHTML = answer.html; // Rendered and escaped by the service.
  block.querySelector("[name=was]").value = answer.was;
  block.classList.add("edited");
  if (had >= 0) look(boxes()[Math.min(had, boxes().length - 1)] ?? null);
  tabStops();
}

/** Another window has saved: both texts are shown. */
async function changedElsewhere() {
  const response = await api("here"), now = response.ok ? await response.json() : null;
  if (now?.decided_by) { gone(`${now.decided_by} decided this draft. Your text is kept in this browser; load the page.`); return; }
  compare(stored.get(deviceItem(decision))?.fields ?? typedNow());
}
function compare(fields) {
  isGone = true;
  const form = Object.assign(document.createElement("form"), { method: "post", action: location.pathname + location.search });
  const add = (name, value) => form.append(Object.assign(document.createElement("textarea"), { name, value }));
  for (const name of ["was", "block", "strike"]) (fields[name] ?? []).forEach((value) => add(name, value));
  add("purpose", decision.dataset.purpose);
  add("do", "compare"); add("csrf", decision.elements.csrf?.value ?? "");
  form.hidden = true;
  document.body.append(form);
  form.submit();
}

/** The draft is not there, or not theirs to write in, any more: what was typed can be copied. */
function gone(why) {
  isGone = true;
  showState("offline", "Not saved");
  const copy = words("button", "Copy my text", { type: "button", className: "btn mini" });
  copy.addEventListener("click", () => navigator.clipboard?.writeText((typedNow().block ?? []).join("\n\n")));
  news([words("strong", why), words("span", "What you typed is kept in this browser."), copy]);
}

/** Who has signed in again goes on; whose rights have ended can copy the text. */
async function refused() {
  const response = await api("here").catch(() => null), now = response?.ok ? await response.json() : null;
  if (response?.status === 401 || (now && now.person !== document.body.dataset.person)) signedOut();
  else if (now && now.csrf !== decision.elements.csrf?.value) {
    all("input[name=csrf]").forEach((field) => (field.value = now.csrf));
    timer = setTimeout(save, SAVE_MS);
  } else if (response) gone("You may not decide drafts of this course any more.");
}

function signedOut() {
  showState("offline", "Kept in this browser");
  const dialog = one("#signed-out");
  if (!dialog.open) dialog.showModal();
}
/** After signing in in another tab, the same person goes on here. */
async function signedIn() {
  if (!one("#signed-out").open) return;
  const response = await api("here").catch(() => null);
  if (!response?.ok) { one("#so-why").textContent = "You are not signed in yet."; return; }
  const now = await response.json();
  if (now.person !== document.body.dataset.person) { one("#so-why").textContent = "Somebody else has signed in. Sign in as yourself to go on; your text stays here."; return; }
  all("input[name=csrf]").forEach((field) => (field.value = now.csrf));
  one("#signed-out").close();
  save();
}

/** Say that the page is open, and hear who else has it, or has decided. */
async function beat() {
  if (document.hidden || isGone || one("#signed-out").open) return;
  const response = await api("here", { method: "POST", body: "{}" }).catch(() => null);
  if (response?.status === 401) return signedOut();
  if (response?.status === 403) return refused();
  if (response?.status === 404) return gone("This draft has been deleted.");
  if (!response?.ok) return;
  const now = await response.json(), isDecision = decision.dataset.purpose === "decision";
  if (one("#holder")) one("#holder").textContent = now.is_mine ? "You hold it" : now.held_by ? `${now.held_by} holds it` : "Free";
  one("#readers")?.replaceChildren(...now.readers.map((name) => words("span", `${name} reads `)));
  const load = () => words("a", "Load the page", { href: location.pathname + location.search, className: "btn mini" });
  if (isDecision && now.decided_by) news([words("strong", `${now.decided_by} decided this draft.`), words("span", "Your text is kept, and compared with theirs."), load()]);
  else if (isDecision && String(now.version) !== decision.dataset.version) news([words("strong", "This draft has changed."), words("span", "Your text is kept."), load()]);
  else if (isDecision && !now.is_mine && now.held_by && decision.dataset.mine) news([words("strong", `${now.held_by} holds this draft now.`), load()]);
  else if (now.is_mine && !decision.dataset.mine) news([words("strong", "This draft is yours now."), load()]);
}

/** What this browser held when the page opened is newer than what the service showed: it is saved first. False where that
    has to be tried again, or the page is left. What was typed meanwhile is compared with it. */
async function recover() {
  const kept = stored.get(deviceItem(decision)), held = before ?? kept?.before ?? kept;
  if (!held) return true;
  before = held;
  const response = await putOver(held.fields, held.revision, held.unanswered ?? [], null).catch(() => null);
  const newer = changed ? typedNow() : kept?.before ? kept.fields : null;
  const keepEarlier = () => { // Beside one that is kept already.
    const blocks = stored.get(earlierItem)?.fields.block ?? [];
    stored.set(earlierItem, { fields: { block: [...new Set([...blocks, ...(held.fields.block ?? [])])] }, at: Date.now() });
  };
  if (response?.status === 412) { if (newer) keepEarlier(); return compare(newer ?? held.fields); }
  if (response?.status === 401) return signedOut();
  if (response?.status === 403) return refused();
  if (!response || response.status === 429 || response.status >= 500) {
    showState("offline", "Kept in this browser");
    clearTimeout(timer);
    timer = setTimeout(save, RETRY_MS);
    return false;
  }
  before = null;
  if (!response.ok) { // It can never be saved, and must not keep what is typed now from being saved.
    keepEarlier();
    offerEarlier();
    if (newer) hold(); else stored.remove(deviceItem(decision));
    return true;
  }
  if (newer) return compare(newer);
  stored.remove(deviceItem(decision));
  if ((await response.json()).revision === revision) return true;
  return location.reload();
}

/** A text of one's own that neither the service nor the editor holds can be copied, until it is discarded. */
function offerEarlier() {
  const earlier = stored.get(earlierItem);
  if (!earlier) return;
  const copy = words("button", "Copy it", { type: "button", className: "btn mini" }), discard = words("button", "Discard it", { type: "button", className: "btn mini" });
  copy.addEventListener("click", () => navigator.clipboard?.writeText((earlier.fields.block ?? []).join("\n\n")));
  discard.addEventListener("click", () => { stored.remove(earlierItem); one("#news [data-news]")?.remove(); });
  news([words("strong", "An earlier text of yours is kept in this browser."), words("span", (earlier.fields.block ?? []).join(" ").slice(0, 200)), copy, discard]);
}

if (decision) {
  const opened = performance.now();
  offerEarlier();
  recover();
  for (const form of [decision, one("#regenerate")].filter(Boolean)) form.addEventListener("input", (event) => { if (event.target.type !== "checkbox" && event.target.type !== "radio") typed(event.target.closest(".blk")); });
  document.addEventListener("change", (event) => {
    if ((event.target.form === decision && event.target.matches("[type=checkbox], [type=radio]"))) typed(null, 50);
    if (event.target.name === "strike") say.textContent = event.target.checked ? "Sentence struck" : "Sentence back";
  });
  one("#try-again").addEventListener("click", signedIn);
  addEventListener("focus", signedIn);
  addEventListener("online", save);
  beat();
  setInterval(beat, BEAT_MS);
  document.addEventListener("visibilitychange", () => { beat(); signedIn(); });
  let flushed = false;
  addEventListener("submit", async (event) => {
    if (event.defaultPrevented) return;
    if (!flushed && stored.get(deviceItem(decision))) { // What was typed comes first.
      const { target, submitter } = event;
      event.preventDefault();
      flushed = true;
      await flush();
      if (!isGone && !one("#signed-out").open) target.requestSubmit(submitter);
      flushed = false;
      return;
    }
    clearTimeout(timer);
    isGone = event.target === decision;
    setTimeout(() => (isGone = false), LEAVING_MS);
    one("#seconds").value = String((performance.now() - opened) / 1000);
  });
  addEventListener("pageshow", () => { isGone = false; });
  addEventListener("pagehide", () => { if (stored.get(deviceItem(decision)) && !isGone) put(typedNow(), revision, null, { keepalive: true }); });
}
all("#conflict form").forEach((form) => form.addEventListener("submit", () => { const [, id] = location.pathname.match(/^\/review\/([^/]+)/) ?? []; stored.keys().filter((key) => key.startsWith(`${KEPT}review/${id}/`)).forEach((key) => stored.remove(key)); }));
