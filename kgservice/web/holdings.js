// What a corpus holds, in figures and lists: questions by pattern, documents, other corpora, jobs, the service.

import { get, once } from "./api.js";
import { counted, empty, h, moment, number, properties, table } from "./dom.js";
import { failure } from "./failure.js";
import { paged } from "./list.js";
import { plain } from "./markdown.js";
import { href } from "./place.js";
import { patternOf, reasonOf } from "./words.js";

const HELD = {
  corpora: "corpus",
  documents: "document",
  chunks: "passage",
  facts: "fact",
  entities: "thing",
  questions: "question",
};
const JOBS = 8; // that are listed
const KINDS = {
  load: "load",
  files: "upload",
  questions: "questions",
  evaluation: "evaluation",
  baseline: "baseline",
  release: "release",
  view: "as of a day",
};

/** Return the sections that say what a corpus holds and how the service is. */
export async function holdings(corpus, health, signal) {
  const [corpora, counts, jobs] = await Promise.all([
    get(["corpora"], {}, signal),
    orNothing(get(["questions", "counts"], { corpus }, signal)),
    get(["jobs"], {}, signal),
  ]);
  const here = corpora.items.find((item) => item.corpus === corpus);
  const section = (heading, content) => content && h("section", {}, h("h2", {}, heading), content);
  return [
    section(`Corpus ${corpus}`, totals(here, counts?.items ?? [])),
    counts && section("Questions by pattern", questions(corpus, counts.items)),
    section("Documents", await documents(corpus, signal)),
    corpora.items.length > 1 && section("All corpora", others(corpora.items)),
    jobs.items.length > 0 && section("Jobs", latest(jobs.items)),
    section("Service", service(health)),
  ];
}

function service(health) {
  return properties({
    Status: h("span", { class: "ok" }, health.status),
    Version: health.version,
    "Whole database": Object.entries(HELD)
      .filter(([name]) => health.counts[name] !== null) // what the key may not see
      .map(([name, noun]) =>
        name === "corpora" && health.counts[name] !== 1
          ? `${number(health.counts[name])} corpora`
          : counted(health.counts[name], noun),
      )
      .join(" · "),
    API: h("a", { href: "../docs" }, "documentation"),
  });
}

/** Return what is answered, null where the key may not see it: the view says that once. */
function orNothing(asked) {
  return asked.catch((error) => {
    if (error.status !== 403) throw error;
    return null;
  });
}

function totals(here, counts) {
  const active = counts.filter((one) => one.state === "active").reduce((sum, one) => sum + one.questions, 0);
  const shown = {
    documents: here.documents,
    passages: here.chunks,
    facts: here.facts,
    "things and values": here.entities,
    "active questions": active,
  };
  return h(
    "dl",
    { class: "totals" },
    Object.entries(shown)
      .filter(([name, value]) => value !== null && (here.facts !== null || name !== "active questions"))
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, number(value)))),
  );
}

function questions(corpus, counts) {
  if (!counts.length)
    return empty("No questions yet. Make some from the graph:", "kgservice questions generate", corpus);
  const sum = (pattern, state) =>
    counts
      .filter((one) => one.pattern === pattern && one.state === state)
      .reduce((total, one) => total + one.questions, 0);
  const names = [...new Set(counts.map((one) => one.pattern))];
  const rows = names.map((name) => [
    h("a", { href: href("questions", { corpus, pattern: name }) }, patternOf(name)),
    ...["active", "retired", "rejected"].map((state) => sum(name, state)),
  ]);
  const reasons = new Map();
  for (const one of counts.filter((item) => item.reason))
    reasons.set(one.reason, (reasons.get(one.reason) ?? 0) + one.questions);
  const why = [...reasons].sort((a, b) => b[1] - a[1]).map(([name, count]) => [explained(name), count]);
  return h(
    "div",
    { class: "pair" },
    table("Questions of each pattern by state", ["Pattern", "Active", "Retired", "Rejected"], rows),
    why.length ? table("Why questions are not active", ["Reason", "Questions"], why) : null,
  );
}

function explained(reason) {
  const [short, meaning] = reasonOf(reason);
  return h("span", {}, short, meaning && h("span", { class: "meaning note" }, meaning));
}

function documents(corpus, signal) {
  return paged(
    "Documents",
    "document",
    (after) => get(["documents"], { corpus, after, limit: 20 }, signal),
    (item) => [
      h("a", { href: href("document", { corpus, key: item.key }) }, plain(item.title, 90) || item.source),
      h(
        "span",
        { class: "note" },
        [item.doc_type, item.published, counted(item.chunks, "passage")].filter(Boolean).join(" · "),
      ),
    ],
    empty("No documents.", "kgservice load papers/", corpus),
  );
}

/** Return the last jobs with how far they are, or what went wrong. */
function latest(items) {
  const shown = items.slice(0, JOBS);
  const failed = shown.some((job) => job.error);
  const rows = shown.map((job) => [
    h("span", { class: "day" }, moment(job.created)),
    KINDS[job.kind] ?? job.kind,
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
    ["Corpus", "Documents", "Passages", "Facts", "Things and values"],
    items.map((item) => [
      h("a", { href: href("overview", { corpus: item.corpus }) }, item.corpus),
      item.documents,
      item.chunks,
      item.facts,
      item.entities,
    ]),
  );
}
