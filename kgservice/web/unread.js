// What the last load did not read, and why, with an example of each main reason.

import { counted, h, moment, number } from "./dom.js";
import { plain } from "./markdown.js";
import { reasonOf } from "./words.js";

const REASONS = 6; // besides those with an example

/** Return what the last load left out; the loads before are folded away. */
export function unread(loads) {
  const telling = loads.filter(
    ({ report }) => report.documents.stored || report.documents.in > report.documents.unchanged,
  );
  if (!telling.length) return null;
  const [last, ...others] = telling;
  return [
    told(last),
    others.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, counted(others.length, "load") + " before"),
        others.map((one) => h("div", { class: "before" }, told(one))),
      ),
  ];
}

function told({ at, report, left_out: leftOut }) {
  const { documents, triplets, reading } = report;
  return [
    h(
      "p",
      {},
      h("span", { class: "note" }, `${moment(at)} UTC: `),
      `${counted(documents.stored, "document")} stored, ${counted(triplets.kept, "fact")} read`,
      reading?.words ? `, ${reading.per_100_words} in 100 words. ` : ". ",
      reading?.empty > 0 && `${number(reading.empty)} of the documents gave none.`,
    ),
    leftOut.length > 0 && h("h3", {}, "Documents that did not get in"),
    leftOut.length > 0 &&
      h(
        "ul",
        { class: "plain" },
        leftOut.map((one) =>
          h(
            "li",
            {},
            h("b", {}, one.source),
            h("span", {}, reasonOf(one.reason)[0]),
            h("span", { class: "note" }, one.detail),
          ),
        ),
      ),
    statements(triplets.rejected, reading?.reasons ?? []),
  ];
}

/** Return why statements became no facts: the main reasons with an example, the others with their number. */
function statements(rejected, examples) {
  const all = Object.entries(rejected).sort((a, b) => b[1] - a[1]);
  if (!all.length) return null;
  const shown = new Map(examples.map((one) => [one.reason, one]));
  const rest = all.filter(([reason]) => !shown.has(reason));
  const sum = all.reduce((total, [, count]) => total + count, 0);
  return [
    h("h3", {}, `${counted(sum, "statement")} that became no fact`),
    h(
      "ul",
      { class: "plain reasons" },
      examples.map((one) => reason(one.reason, one.count, one)),
      rest.slice(0, REASONS).map(([name, count]) => reason(name, count)),
      rest.length > REASONS &&
        h(
          "li",
          { class: "note" },
          `${number(rest.slice(REASONS).reduce((total, [, count]) => total + count, 0))} more, for ${rest.length - REASONS} other reasons.`,
        ),
    ),
  ];
}

function reason(name, count, example) {
  const [short, meaning] = reasonOf(name);
  return h(
    "li",
    {},
    h("span", { class: "many" }, number(count)),
    h(
      "div",
      {},
      h("b", {}, short),
      " ",
      meaning && h("span", { class: "note" }, meaning),
      example?.example &&
        h("blockquote", {}, plain(example.example, 240), " ", h("span", { class: "note" }, example.source)),
    ),
  );
}
