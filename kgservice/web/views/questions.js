import { get, once, post } from "../api.js";
import { choice, empty, h, properties, say } from "../dom.js";
import { answered, drawing, evidence, rolesIn } from "../evidence.js";
import { exported } from "../export.js";
import { failure } from "../failure.js";
import { beside } from "../list.js";
import { plain } from "../markdown.js";
import { go, href } from "../place.js";
import { patternOf, reasonOf } from "../words.js";

export const title = "Questions";
export const wantsCorpus = true;

const STATES = [
  ["any", "any"],
  ["active", "asked"],
  ["rejected", "not asked"],
  ["retired", "retired"],
];
const DECIDED = [
  ["", "any"],
  ["none", "not reviewed"],
  ["keep", "kept"],
  ["edit", "edited"],
  ["drop", "dropped"],
];
const DIFFICULT = [
  ["", "any"],
  ["one", "one fact"],
  ["two", "two facts joined"],
  ["more", "three facts or more"],
];
const SORTED = [
  ["steps", "most steps first"],
  ["key", "as stored"],
];
const SHOWN = new Set(["readings", "hops", "difficulty", "correspondence"]); // of what is known besides
const KEYS = { k: "keep", e: "edit", d: "drop", j: "next", u: "before" };

/** Show questions by what they say, rest on and are about, each with its evidence, to keep, edit or drop. */
export async function show({ corpus, id, ...given }, signal) {
  const { patterns } = await once(["choices"]);
  const told = { state: "active", sort: "steps", ...given, corpus };
  const { pattern, text, difficulty, document, entity, decided, sort } = told;
  const asked = {
    corpus,
    pattern,
    text,
    difficulty,
    document,
    entity,
    decided,
    sort,
    state: told.state === "any" ? null : told.state,
  };
  const fetch = (after) => get(["questions"], { ...asked, after, limit: 25 }, signal);
  const chosen = id && (await get(["questions", id], { corpus }, signal));
  const desk = new Desk(corpus, signal);
  const shown = { fetch, line, detail: (item, again) => desk.detail(item, again), nothing: nothing(told), chosen };
  const list = await beside("questions", told, "question", shown);
  desk.watch(list);
  return [controls(patterns, told), about(told), exported(asked, signal), list];
}

function controls(patterns, told) {
  const to = (change) => go("questions", { ...told, ...change });
  const submit = (event) => {
    event.preventDefault();
    to({ text: new FormData(event.target).get("text").trim() });
  };
  const search = {
    id: "text",
    name: "text",
    type: "search",
    value: told.text ?? "",
    maxlength: "200",
    autocomplete: "off",
  };
  const shapes = Object.keys(patterns).map((name) => [name, patternOf(name)]);
  return h(
    "form",
    { class: "controls", role: "search", submit },
    h("label", {}, "Words ", h("input", search)),
    h("button", { type: "submit" }, "Search"),
    choice("pattern", "Pattern", [["", "any"], ...shapes], told.pattern, (value) => to({ pattern: value })),
    choice("difficulty", "Difficulty", DIFFICULT, told.difficulty, (value) => to({ difficulty: value })),
    choice("state", "State", STATES, told.state, (value) => to({ state: value })),
    choice("decided", "Review", DECIDED, told.decided, (value) => to({ decided: value })),
    choice("sort", "Sort", SORTED, told.sort, (value) => to({ sort: value })),
  );
}

/** Say of which document or thing the questions are, with a way to all of them. */
function about(told) {
  if (!told.document && !told.entity) return null;
  const all = href("questions", { ...told, document: null, entity: null });
  return h(
    "p",
    {},
    `Only questions ${told.document ? "that rest on one document" : "about one thing"}. `,
    h("a", { href: all }, "Show all"),
  );
}

function nothing({ corpus, pattern, state, text, difficulty, document, entity, decided }) {
  if (text || difficulty || document || entity || decided)
    return empty("No question fits. Ask for fewer things at once.");
  if (!pattern && state === "active")
    return empty("No questions yet. Make some from the graph:", "kgservice questions generate", corpus);
  if (state === "retired") return empty(`No question${pattern ? " of this pattern" : ""} is retired.`);
  return empty(
    `No questions${pattern ? " of this pattern" : ""}. Choose others, or make some:`,
    `kgservice questions generate${pattern ? ` --patterns ${pattern}` : ""}`,
    corpus,
  );
}

function line(item) {
  const { review } = item.metadata;
  return [
    h("span", { class: "title" }, item.question || "(no words)"),
    h(
      "span",
      { class: "note" },
      patternOf(item.pattern),
      review && [" · ", h("b", {}, { keep: "kept", edit: "edited", drop: "dropped" }[review])],
      item.state === "active" || review === "drop" ? "" : ` · ${item.state}: ${why(item)}`,
    ),
  ];
}

function why({ reason, cause }) {
  const [short] = reasonOf(reason);
  return cause ? `${short} (${cause})` : short;
}

/** What is done with the questions of the list: one is shown, and decided about, by buttons and by keys. */
class Desk {
  constructor(corpus, signal) {
    Object.assign(this, { corpus, signal, item: null, again: null });
  }

  async detail(item, again) {
    Object.assign(this, { item, again });
    this.said = h("div", { role: "status" });
    this.form = h("div", {});
    const [, meaning] = reasonOf(item.reason);
    return [
      h("h2", {}, item.question || "(no words)"),
      answered(item.answers),
      item.state !== "active" &&
        h(
          "p",
          { class: "state" },
          h("b", {}, STATES.find(([name]) => name === item.state)[1]),
          item.reason && `: ${why(item)}. `,
          h("span", { class: "note" }, meaning),
        ),
      rivals(item, this.corpus),
      this.decided(item),
      this.actions(item),
      this.form,
      this.said,
      ...drawing("Facts of the question", item.facts, rolesIn(item), this.corpus),
      ...(await evidence(item.facts, this.corpus, this.signal)),
      properties({
        Pattern: patternOf(item.pattern),
        ...Object.fromEntries(Object.entries(item.metadata).filter(([name]) => SHOWN.has(name))),
        Id: item.id,
      }),
    ];
  }

  decided({ metadata }) {
    if (!metadata.review) return null;
    const done = { keep: "Kept", edit: "Edited", drop: "Dropped" }[metadata.review];
    return h(
      "p",
      { class: "decided" },
      h("b", {}, done),
      ` by ${metadata.reviewed_by}, ${String(metadata.reviewed_at).slice(0, 10)}`,
      metadata.reviewed_why && `: ${metadata.reviewed_why}`,
      metadata.review === "edit" && h("span", { class: "note" }, ` (it was: ${metadata.reviewed_from})`),
    );
  }

  actions(item) {
    if (item.state === "retired") return null;
    const act = (name, key, way) =>
      h(
        "button",
        { type: "button", "aria-keyshortcuts": key, click: () => this.act(way) },
        name,
        " ",
        h("kbd", {}, key),
      );
    return h(
      "p",
      { class: "actions" },
      act("Keep", "k", "keep"),
      act("Edit", "e", "edit"),
      act("Drop", "d", "drop"),
      item.metadata.review && h("button", { type: "button", click: () => this.decide("clear", {}) }, "Undo"),
      h("span", { class: "note" }, "next ", h("kbd", {}, "j"), " before ", h("kbd", {}, "u")),
    );
  }

  act(way) {
    if (way === "keep") this.decide("keep", {});
    else this.ask(way);
  }

  /** Ask for new words, or why. */
  ask(way) {
    const edit = way === "edit";
    const words = h("input", {
      name: "question",
      value: this.item.question,
      required: true,
      maxlength: "600",
      autocomplete: "off",
    });
    const reason = h("input", { name: "why", maxlength: "1000", autocomplete: "off", placeholder: "for the record" });
    const submit = (event) => {
      event.preventDefault();
      this.decide(way, Object.fromEntries(new FormData(event.target)));
    };
    this.form.replaceChildren(
      h(
        "form",
        { class: "controls", submit },
        edit && h("label", { class: "wide" }, "Words ", words),
        h("label", { class: edit ? "" : "wide" }, "Why ", reason),
        h("button", { type: "submit", class: "first" }, edit ? "Save" : "Drop it"),
        h("button", { type: "button", click: () => this.form.replaceChildren() }, "Cancel"),
      ),
    );
    (edit ? words : reason).focus();
  }

  async decide(decision, given) {
    const { item, again } = this;
    this.said.replaceChildren(h("p", { class: "note" }, "saving …"));
    try {
      const path = ["questions", item.id, "review"];
      again(await post(path, { decision, ...given }, this.signal, { corpus: this.corpus }));
      say({ keep: "Kept", edit: "Edited", drop: "Dropped", clear: "Decision forgotten" }[decision]);
    } catch (error) {
      if (error.name !== "AbortError") this.said.replaceChildren(failure(error, () => this.decide(decision, given)));
    }
  }

  /** Follow the keys while the view is shown: j and u move, k keeps, e edits, d drops. */
  watch(list) {
    const pressed = (event) => {
      const typing = event.target.closest?.("input, select, textarea, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
      event.preventDefault();
      if (event.key === "j" || event.key === "u") step(list, event.key === "j" ? 1 : -1);
      else if (this.item && this.item.state !== "retired") this.act(KEYS[event.key]);
    };
    document.addEventListener("keydown", pressed, { signal: this.signal });
  }
}

function step(list, by) {
  const lines = [...list.querySelectorAll(".line")];
  const at = lines.findIndex((one) => one.getAttribute("aria-pressed") === "true");
  const next = lines[at + by] ?? (by > 0 ? list.querySelector(".foot button:not([hidden])") : null);
  next?.click();
  next?.scrollIntoView?.({ block: "nearest" });
}

/** Return what the text says that may be another answer. */
function rivals({ rivals: found }, corpus) {
  if (!found?.length) return null;
  return h(
    "details",
    { open: true },
    h("summary", {}, "What may be another answer"),
    h(
      "ul",
      {},
      found.map((one) =>
        h(
          "li",
          {},
          one.answer && h("b", {}, one.answer, ": "),
          plain(one.sentence, 400),
          " ",
          h("a", { href: href("document", { corpus, key: one.document, chunk: one.chunk }) }, "its document"),
        ),
      ),
    ),
  );
}
