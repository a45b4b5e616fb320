import { get, save } from "../api.js";
import { choice, empty, h, table } from "../dom.js";
import { failure } from "../failure.js";
import { go } from "../place.js";

export const title = "Leaderboard";

/** How a team submits. */
export const SUBMIT = `from kgservice import Client
client = Client("${new URL("..", document.baseURI).href}", key="…")
release = client.fetch()
client.submit(release, release.run(system), "name of your system")`;
const OPEN =
  "The total over the public half of the questions, in steps: a system moves only where it is better than its team's best by more than chance. Equal ranks (=) are ties. The private half is shown when the release is closed.";
const CLOSED = "The private half of the questions, in steps; equal ranks (=) are ties.";
const FIRST = { total: "Total", retrieval: "Retrieval", generation: "Generation" };

/** Show the approved submissions of a release, or the means over the last releases up to it, best first. */
export async function show({ corpus, version, last = "1" }, signal) {
  const { items } = await get(["releases"], { corpus }, signal);
  if (!items.length)
    return [
      empty(
        `${corpus} has no release yet, so nothing can be ranked. Make one:`,
        "kgservice release create",
        corpus,
      ),
    ];
  const versions = items.map((item) => item.version).reverse();
  const chosen = versions.includes(version) ? version : versions[0];
  const board = await get(["leaderboard"], { version: chosen, last }, signal);
  return [controls(corpus, versions, chosen, last, board.items.length > 0), ...ranking(board)];
}

function controls(corpus, versions, version, last, ranked) {
  const wide = [
    ...new Set(["1", "2", "3", "5", "10"].filter((one) => Number(one) <= Math.max(versions.length, 1)).concat(last)),
  ];
  const csv = (event) => {
    const button = event.currentTarget;
    save(["leaderboard"], { version, last, format: "csv" }, `leaderboard-${version}.csv`).catch((error) =>
      button.after(failure(error, () => button.click())),
    );
  };
  return h(
    "div",
    { class: "controls" },
    choice("version", "Release", versions, version, (value) => go("leaderboard", { corpus, version: value, last })),
    wide.length > 1 &&
      choice("last", "Mean over the last", wide, last, (value) => go("leaderboard", { corpus, version, last: value })),
    ranked && h("button", { type: "button", click: csv }, "Save as CSV"),
  );
}

function ranking({ versions, open, items, judges }) {
  const over = versions.length > 1 ? `Means over ${versions.join(", ")}` : `Release ${versions[0]}`;
  if (!items.length) {
    const how = "A team submits with the client, and an admin approves under Submissions:";
    return [empty(`${over}: nothing is approved yet. ${how}`, SUBMIT)];
  }
  const heads = columns(items[0].measures);
  const rows = items.map((one) => [
    one.tied ? `${one.rank} =` : one.rank,
    h("span", { class: "system" }, one.system),
    ...measured(heads, one.measures),
    one.questions,
    h("span", { class: "day" }, one.submitted.slice(0, 10)),
    h("code", {}, one.tag),
  ]);
  return [
    table(over, ["Rank", "System", ...Object.values(heads), "Questions", "Submitted", "Tag"], rows),
    h("p", { class: "note" }, open.length ? OPEN : CLOSED),
    h("p", { class: "note" }, versions.map((version) => mean(version, judges[version])).join(" ")),
  ];
}

/** Say of which scores the total of a release is the mean. */
function mean(version, judge) {
  const scores = judge ? `retrieval, generation and the marks of a judge (${judge})` : "retrieval and generation";
  return `Total of ${version}: the mean of ${scores}.`;
}

/** Return the heads of measures by name, the sums first. */
export function columns(measures) {
  const sums = Object.keys(FIRST).filter((name) => name in measures);
  return Object.fromEntries([...new Set([...sums, ...Object.keys(measures)])].map((name) => [name, FIRST[name] ?? name]));
}

/** Return the cells of measures in the order of their heads. */
export function measured(heads, measures) {
  return Object.keys(heads).map((name) => h("span", { class: "measure" }, measures[name]?.toFixed(3) ?? "–"));
}
