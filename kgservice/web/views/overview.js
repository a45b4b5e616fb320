import { get, once } from "../api.js";
import { counted, empty, h, moment, number, properties, table } from "../dom.js";
import { failure } from "../failure.js";
import { paged } from "../list.js";
import { href } from "../place.js";

export const title = "Overview";
export const wantsCorpus = true;

const HELD = {
  corpora: "corpus",
  documents: "document",
  chunks: "chunk",
  facts: "fact",
  entities: "entity",
  questions: "question",
};
const JOBS = 8; // that are listed

/** Show what a corpus holds: totals, questions by pattern, documents; and how the service is. */
export async function show({ corpus }, signal) {
  const [health, corpora, counts, jobs] = await Promise.all([
    get(["health"], {}, signal),
    once(["corpora"]),
    orRefusal(get(["questions", "counts"], { corpus }, signal)),
    get(["jobs"], {}, signal),
  ]);
  const here = corpora.items.find((item) => item.corpus === corpus);
  return [
    h("section", {}, h("h2", {}, `Corpus ${corpus}`), totals(here, counts.items ?? [])),
    h("section", {}, h("h2", {}, "Questions by pattern"), counts.refusal ?? questions(corpus, counts.items)),
    h("section", {}, h("h2", {}, "Documents"), await documents(corpus, signal)),
    corpora.items.length > 1 && h("section", {}, h("h2", {}, "All corpora"), others(corpora.items)),
    jobs.items.length > 0 && h("section", {}, h("h2", {}, "Jobs"), latest(jobs.items)),
    h(
      "section",
      {},
      h("h2", {}, "Service"),
      properties({
        Status: h("span", { class: "ok" }, health.status),
        Version: health.version,
        "Whole database": Object.entries(HELD)
          .filter(([name]) => health.counts[name] !== null) // what the key may not see
          .map(([name, noun]) => (health.counts[name] === 1 ? `1 ${noun}` : `${number(health.counts[name])} ${name}`))
          .join(" · "),
        API: h("a", { href: "../docs" }, "documentation"),
      }),
    ),
  ];
}

/** Return what is answered, or in its place why the key may not see it. */
function orRefusal(asked) {
  return asked.catch((error) => {
    if (error.status !== 403) throw error;
    return { refusal: failure(error) };
  });
}

function totals(here, counts) {
  const active = counts.filter((one) => one.state === "active").reduce((sum, one) => sum + one.questions, 0);
  const shown = {
    documents: here.documents,
    chunks: here.chunks,
    facts: here.facts,
    entities: here.entities,
    "active questions": active,
  };
  return h(
    "dl",
    { class: "totals" },
    Object.entries(shown)
      .filter(([, value]) => value !== null && (here.facts !== null || name !== "active questions"))
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, number(value)))),
  );
}

function questions(corpus, counts) {
  if (!counts.length)
    return empty("No questions yet. Make some from the graph:", `kgservice questions generate -c ${corpus}`);
  const sum = (pattern, state) =>
    counts
      .filter((one) => one.pattern === pattern && one.state === state)
      .reduce((total, one) => total + one.questions, 0);
  const names = [...new Set(counts.map((one) => one.pattern))];
  const rows = names.map((name) => [
    h("a", { href: href("questions", { corpus, pattern: name }) }, name),
    ...["active", "retired", "rejected"].map((state) => sum(name, state)),
  ]);
  const reasons = new Map();
  for (const one of counts.filter((item) => item.reason))
    reasons.set(one.reason, (reasons.get(one.reason) ?? 0) + one.questions);
  const why = [...reasons].sort((a, b) => b[1] - a[1]);
  return h(
    "div",
    { class: "pair" },
    table("Questions of each pattern by state", ["Pattern", "Active", "Retired", "Rejected"], rows),
    why.length ? table("Why questions are not active", ["Reason", "Questions"], why) : null,
  );
}

function documents(corpus, signal) {
  return paged(
    "Documents",
    "document",
    (after) => get(["documents"], { corpus, after, limit: 20 }, signal),
    (item) => [
      h("a", { href: href("document", { corpus, key: item.key }) }, item.title || item.source),
      h(
        "span",
        { class: "note" },
        [item.doc_type, item.published, counted(item.chunks, "chunk")].filter(Boolean).join(" · "),
      ),
    ],
    empty("No documents.", `kgservice load papers/ -c ${corpus}`),
  );
}

/** Return the last jobs with how far they are, or what went wrong. */
function latest(items) {
  const shown = items.slice(0, JOBS);
  const failed = shown.some((job) => job.error);
  const rows = shown.map((job) => [
    h("span", { class: "day" }, moment(job.created)),
    job.kind,
    job.corpus,
    job.state,
    Object.entries(job.progress)
      .map(([stage, count]) => `${number(count)} ${stage}`)
      .join(", "),
    ...(failed ? [job.error ?? ""] : []),
  ]);
  const all = counted(items.length, "job");
  const caption = items.length > JOBS ? `The last ${JOBS} of ${all}` : all;
  return table(caption, ["Ordered (UTC)", "Job", "Corpus", "State", "Progress", ...(failed ? ["Error"] : [])], rows);
}

function others(items) {
  return table(
    "What each corpus holds",
    ["Corpus", "Documents", "Chunks", "Facts", "Entities"],
    items.map((item) => [
      h("a", { href: href("overview", { corpus: item.corpus }) }, item.corpus),
      item.documents,
      item.chunks,
      item.facts,
      item.entities,
    ]),
  );
}
