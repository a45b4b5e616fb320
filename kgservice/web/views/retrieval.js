import { once, post } from "../api.js";
import { choice, counted, empty, h, number } from "../dom.js";
import { places, rendered } from "../markdown.js";
import { failure } from "../failure.js";
import { go, href } from "../place.js";

export const title = "Retrieval";
export const wantsCorpus = true;

/** Ask two retrievers the same and show side by side what they find and why. */
export async function show(place, signal) {
  const { retrievers } = await once(["choices"]);
  const told = { left: "bm25", right: "graph", k: "5", ...place };
  const form = asking(
    retrievers.filter((name) => name !== "oracle"),
    told,
  ); // the oracle has to be told what to find
  if (!told.query) return [form, empty("Ask a question in your own words: both retrievers search the same corpus.")];
  const sides = [told.left, told.right].map((name) => ({
    name,
    place: h("div", { class: "hits", "aria-busy": "true" }, h("p", { class: "note" }, "searching …")),
  }));
  Promise.all(sides.map((side) => search(side, told, signal)))
    .then(() => compare(sides))
    .catch(() => null);
  return [
    form,
    h(
      "div",
      { class: "sides" },
      sides.map(({ name, place: shown }, at) =>
        h("section", { "aria-label": `${at ? "Right" : "Left"}: ${name}` }, h("h2", {}, name), shown),
      ),
    ),
  ];
}

function asking(names, told) {
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    go("retrieval", { corpus: told.corpus, ...given, query: given.query.trim() });
  };
  return h(
    "form",
    { class: "controls", role: "search", submit },
    h(
      "label",
      { class: "wide" },
      "Question ",
      h("input", {
        id: "query",
        name: "query",
        type: "search",
        value: told.query,
        required: true,
        autocomplete: "off",
      }),
    ),
    choice("left", "Left", names, told.left),
    choice("right", "Right", names, told.right),
    choice("k", "Passages", ["3", "5", "10", "20"], told.k),
    h("button", { type: "submit", class: "first" }, "Search"),
  );
}

async function search(side, told, signal) {
  const started = performance.now();
  try {
    const body = { query: told.query, retriever: side.name, k: Number(told.k), corpus: told.corpus };
    const { hits } = await post(["retrieve"], body, signal);
    const took = `${Math.round(performance.now() - started)} ms`;
    const words = told.query.split(/[^\p{L}\d]+/u).filter((word) => word.length > 3); // the others are in every passage
    side.hits = hits;
    side.items = hits.map((hit, at) => found(hit, at, told.corpus, words));
    side.place.replaceChildren(
      h("p", { class: "note" }, `${counted(hits.length, "passage")} in ${took}`),
      hits.length
        ? h("ol", { class: "ranks" }, side.items)
        : empty("Nothing is found: no word of the question is in the corpus."),
    );
  } catch (error) {
    if (error.name === "AbortError") throw error;
    side.place.replaceChildren(failure(error, () => search(side, told, signal)));
  } finally {
    side.place.removeAttribute("aria-busy");
  }
}

function found(hit, at, corpus, words) {
  const { path, ...parts } = hit.why;
  return h(
    "li",
    { class: "hit" },
    h(
      "h3",
      {},
      h("span", { class: "rank" }, at + 1),
      " ",
      h("a", { href: href("document", { corpus, key: hit.document, chunk: hit.chunk }) }, hit.title || "untitled"),
    ),
    rendered(hit.text, places(hit.text, words), { fold: true }),
    h("p", { class: "note" }, `score ${number(hit.score)}`, h("span", { class: "also" })),
    path?.length ? way(path) : null,
    h(
      "dl",
      { class: "why" },
      Object.entries(parts).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, shown(value)))),
    ),
  );
}

/** Return the way from the question through the graph: passages as boxes, what leads on between them. */
function way(path) {
  return h(
    "ol",
    { class: "way", "aria-label": "Path through the graph" },
    path.map((step) => (/^\[.*\]$/s.test(step) ? h("li", { class: "stop" }, step.slice(1, -1)) : h("li", {}, step))),
  );
}

function shown(value) {
  if (Array.isArray(value)) return value.length ? value.join(", ") : "none";
  return typeof value === "number" ? number(value) : String(value);
}

/** Say at each hit where the other retriever has it. */
function compare(sides) {
  for (const [one, other] of [sides, [...sides].reverse()]) {
    one.items?.forEach((item, at) => {
      const there = other.hits?.findIndex((hit) => hit.chunk === one.hits[at].chunk) ?? -1;
      if (!other.hits) return;
      item.classList.toggle("shared", there >= 0);
      item.querySelector(".also").textContent =
        there >= 0 ? ` · ${other.name} has it at ${there + 1}` : ` · not found by ${other.name}`;
    });
  }
}
