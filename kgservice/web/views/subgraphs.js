import { get, once } from "../api.js";
import { choice, counted, empty, h, number } from "../dom.js";
import { answered, drawing, evidence } from "../evidence.js";
import { beside } from "../list.js";
import { go } from "../place.js";

export const title = "Subgraphs";
export const wantsCorpus = true;

/** Show what a pattern can ask about, one subgraph drawn with what is named, bridging and asked. */
export async function show({ corpus, pattern = "chain", asked, relation, id }, signal) {
  const { patterns } = await once(["choices"]);
  const told = { corpus, pattern, asked, relation };
  const parameters = { corpus, asked, relation };
  const fetch = (after) => get(["subgraphs", pattern], { ...parameters, after, limit: 25 }, signal);
  const chosen = id && (await fetch(before(id))).items.find((item) => item.id === id);
  const shown = {
    fetch,
    line,
    detail: (item) => detail(item, corpus, signal),
    nothing: nothing(pattern, relation, corpus),
    chosen,
  };
  return [controls(patterns, told, parameters, signal), await beside("subgraphs", told, "subgraph", shown)];
}

/** Return a cursor just before an id. */
function before(id) {
  return id.slice(0, -1);
}

function controls(patterns, told, parameters, signal) {
  const { corpus, pattern, asked, relation } = told;
  const total = h("span", { class: "note", role: "status" });
  const count = async () => {
    total.textContent = "counting …";
    const found = await get(["subgraphs", pattern], { ...parameters, count: true }, signal).catch((error) => ({
      error,
    }));
    total.textContent = found.error ? found.error.message : counted(found.count, "subgraph");
  };
  const submit = (event) => {
    event.preventDefault();
    go("subgraphs", { corpus, pattern, asked, relation: new FormData(event.target).get("relation").trim() });
  };
  const ends = patterns[pattern] ?? [];
  return h(
    "form",
    { class: "controls", submit },
    choice("pattern", "Pattern", Object.keys(patterns), pattern, (value) =>
      go("subgraphs", { corpus, pattern: value, relation }),
    ),
    ends.length > 1 &&
      choice("asked", "Asked", [["", "any"], ...ends], asked, (value) =>
        go("subgraphs", { corpus, pattern, asked: value, relation }),
      ),
    h(
      "label",
      {},
      "Relation ",
      h("input", { id: "relation", name: "relation", value: relation, autocomplete: "off", placeholder: "any" }),
    ),
    h("button", { type: "submit" }, "List"),
    h("button", { type: "button", click: count }, "Count"),
    total,
  );
}

function nothing(pattern, relation, corpus) {
  if (relation)
    return empty(`No ${pattern} subgraph with the relation “${relation}” has exactly one answer.`);
  return empty(
    `No ${pattern} subgraph of this corpus has a question with exactly one answer. More facts may bring some:`,
    "kgservice load text notes/",
    corpus,
  );
}

function line(item) {
  return [
    h("span", { class: "title" }, item.named.join(" · ")),
    h("span", { class: "note" }, item.relations.join(" · "), " → ", h("b", {}, item.answers.join(", "))),
  ];
}

async function detail(item, corpus, signal) {
  const facts = [
    ...new Map(item.readings.flatMap((reading) => reading.facts).map((fact) => [fact.key, fact])).values(),
  ];
  const ends = new Set(facts.flatMap((fact) => [fact.subject, fact.object]));
  const scope = item.named.filter((name) => !ends.has(name));
  return [
    h("h2", {}, `${item.pattern}, ${item.asked} asked`),
    answered(item.answers),
    scope.length > 0 && h("p", {}, h("span", { class: "note" }, "Within "), scope.join(" · ")),
    ...drawing(`Subgraph of ${counted(facts.length, "fact")}`, facts, rolesOf(item), corpus),
    h(
      "p",
      { class: "note" },
      item.readings.length > 1
        ? `${number(item.readings.length)} readings lead to ${item.answers.length > 1 ? "these answers" : "this answer"}.`
        : "One reading leads to the answer.",
    ),
    ...(await evidence(facts, corpus, signal)),
  ];
}

function rolesOf(item) {
  const roles = new Map();
  const add = (label, role) => roles.set(label, [...new Set([...(roles.get(label) ?? []), role])]);
  for (const label of item.named) add(label, "named");
  for (const label of item.answers) add(label, "asked");
  for (const label of item.readings.flatMap((reading) => reading.pivots))
    if (!item.answers.includes(label)) add(label, "bridge");
  return roles;
}
