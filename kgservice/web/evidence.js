// Facts drawn, listed, and with the sentences that state them marked in the text of their chunks.

import { get } from "./api.js";
import { counted, h } from "./dom.js";
import { failure } from "./failure.js";
import { draw } from "./graph.js";
import { rendered } from "./markdown.js";
import { href } from "./place.js";
import { layered } from "./shape.js";

const DRAWN = 30; // facts of a drawing: more would be read by nobody
const LISTED = 30; // facts at a time
const SOURCES = 5; // chunks shown of a fact; some are stated by hundreds

/** Return the answers of a question or subgraph. */
export function answered(answers) {
  const told = h("span", { class: "note" }, answers.length > 1 ? "Answers " : "Answer ");
  return h("p", { class: "answer" }, told, answers.join(", "));
}

/** Return the roles of the ends of a question's facts: named in it, asked for, or the bridge between. */
export function rolesIn({ facts, answers, question }) {
  const role = (label) => (answers.includes(label) ? "asked" : question.includes(label) ? "named" : "bridge");
  return new Map(facts.flatMap((fact) => [fact.subject, fact.object]).map((label) => [label, [role(label)]]));
}

/** Return the drawing of some facts, by the roles of their ends. */
export function drawing(title, facts, roles, corpus) {
  const { columns, edges } = layered(facts.slice(0, DRAWN), roles, corpus);
  const left = facts.length - DRAWN;
  return [
    draw(title, columns, edges),
    left > 0 && h("p", { class: "note" }, `${counted(DRAWN, "fact")} drawn, ${left} more.`),
  ];
}

/** Return facts as a numbered list, and each chunk that states some of them, with their sentences marked. */
export async function evidence(facts, corpus, signal) {
  const numbered = facts.map((fact, at) => ({ ...fact, number: at + 1 }));
  const place = h("div", {}, await part(numbered.slice(0, LISTED), corpus, signal));
  let shown = LISTED;
  const more = h("button", { type: "button", click: onward }, "Show more facts");
  more.hidden = shown >= facts.length;

  async function onward() {
    const added = await part(numbered.slice(shown, shown + LISTED), corpus, signal).catch((error) => [
      failure(error, onward),
    ]);
    if (!added.some((one) => one.role === "alert")) shown += LISTED;
    place.append(...added);
    more.hidden = shown >= facts.length;
  }
  return [place, more];
}

async function part(facts, corpus, signal) {
  const known = facts.map((fact) => ({ ...fact, shown: fact.statements.slice(0, SOURCES) }));
  const keys = [...new Set(known.flatMap((fact) => fact.shown.map((statement) => statement.chunk)))];
  const chunks = [];
  for (let start = 0; start < keys.length; start += 100) {
    // as many as the service gives at once
    chunks.push(...(await get(["chunks"], { key: keys.slice(start, start + 100) }, signal)).items);
  }
  const gone = keys.length - chunks.length;
  return [
    h("h3", {}, "Facts"),
    h(
      "ol",
      { class: "facts", start: facts[0]?.number },
      known.map((fact) =>
        h(
          "li",
          {},
          triple(fact, corpus),
          fact.statements.length > SOURCES &&
            h("span", { class: "note" }, ` ${SOURCES} of ${counted(fact.statements.length, "source")}`),
        ),
      ),
    ),
    h("h3", {}, "Where they are stated"),
    gone > 0 &&
      h("p", { class: "note" }, `${gone} of ${counted(keys.length, "passage")} are not in the corpus any more.`),
    chunks.map((chunk, at) => passage(chunk, at, known, corpus)),
  ]
    .flat()
    .filter(Boolean);
}

/** Return a fact as one line whose ends lead to their entities. */
export function triple(fact, corpus) {
  const end = (label, key) => h("a", { href: href("entity", { corpus, ...(key ? { key } : { name: label }) }) }, label);
  return [
    end(fact.subject, fact.subject_key),
    " ",
    h("span", { class: "said" }, fact.relation),
    " ",
    end(fact.object, fact.object_key),
  ];
}

/** Return "confidence .83" of a statement, "" where it is 1. */
export function confidence(statement) {
  // less than 1 is never rounded to 1
  return statement.confidence < 1 ? `confidence ${Math.min(statement.confidence, 0.99).toFixed(2).slice(1)}` : "";
}

function passage(chunk, at, facts, corpus) {
  const stated = facts.flatMap((fact) =>
    fact.shown.filter((one) => one.chunk === chunk.chunk).map((one) => ({ ...one, fact })),
  );
  const title = chunk.title || `untitled ${chunk.doc_type}`;
  const { marks, missing } = marked(chunk.text, stated);
  return h(
    "article",
    { class: "passage" },
    h("h4", {}, h("a", { href: href("document", { corpus, key: chunk.document, chunk: chunk.chunk }) }, title)),
    h(
      "p",
      { class: "note" },
      [chunk.doc_type, chunk.published].filter(Boolean).join(" · "),
      stated.map((one) =>
        [one.cell, confidence(one)].filter(Boolean).map((told) => ` · fact ${one.fact.number}: ${told}`),
      ),
    ),
    rendered(chunk.text, marks, { fold: true }),
    missing.map((one) => h("p", { class: "note" }, `Fact ${one.fact.number}: `, h("q", {}, one.sentence))),
  );
}

/** Return where the sentences of statements stand in a text, in their order, and the statements that it lacks. */
function marked(text, stated) {
  const places = new Map();
  const missing = [];
  for (const one of stated) {
    const start = one.sentence ? text.indexOf(one.sentence) : -1;
    if (start < 0) missing.push(one);
    else
      places.set(start, {
        end: Math.max(start + one.sentence.length, places.get(start)?.end ?? 0),
        facts: [...(places.get(start)?.facts ?? []), one.fact],
      });
  }
  const marks = [...places]
    .sort(([a], [b]) => a - b)
    .map(([start, { end, facts }]) => ({
      start,
      end,
      numbers: [...new Set(facts.map((fact) => fact.number))],
      names: [...new Set(facts.flatMap((fact) => [fact.subject, fact.object]))],
    }));
  return { marks, missing: missing.filter((one) => one.sentence) };
}
