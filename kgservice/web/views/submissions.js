import { get, post, remove } from "../api.js";
import { choice, counted, empty, h, moment, properties, table } from "../dom.js";
import { failure } from "../failure.js";
import { beside } from "../list.js";
import { go } from "../place.js";
import { columns, measured, SUBMIT } from "./leaderboard.js";

export const title = "Submissions";

const STATES = ["received", "evaluated", "approved", "declined", "failed", "withdrawn"];

/** Show the submissions of the key to the releases of a corpus, newest first; an admin's key shows all and decides. */
export async function show({ corpus, state = "any", id }, signal) {
  const [releases, sent] = await Promise.all([
    get(["releases"], { corpus }, signal),
    get(["submissions"], { state: state === "any" ? null : state }, signal),
  ]);
  if (!releases.items.length)
    return [
      empty(
        `${corpus} has no release yet, so nothing can be submitted. Make one:`,
        "kgservice release create",
        corpus,
      ),
    ];
  const versions = new Set(releases.items.map((one) => one.version));
  const items = sent.items.filter((one) => versions.has(one.version)).reverse();
  return [
    h(
      "div",
      { class: "controls" },
      choice("state", "State", ["any", ...STATES], state, (value) => go("submissions", { corpus, state: value })),
    ),
    await beside("submissions", { corpus, state }, "submission", {
      fetch: async () => ({ items, next: null }),
      line,
      detail,
      nothing:
        state === "any"
          ? empty(
              `Nothing was submitted to a release of ${corpus} with this key. A team submits with the client:`,
              SUBMIT,
            )
          : empty(`No submission is ${state}.`),
      chosen: items.find((one) => one.id === id),
    }),
  ];
}

function line(item) {
  return [
    h("span", { class: "title" }, item.system),
    h("span", { class: "note" }, `${item.version} · ${item.state} · ${moment(item.history[0].at)}`),
  ];
}

function detail(item, again) {
  return [
    h("h2", {}, item.system),
    properties({
      Release: item.version,
      State: h("b", {}, item.state),
      Tag: h("code", {}, item.tag),
      "Sent by": item.owner,
      Id: h("code", {}, item.id),
    }),
    actions(item, again),
    h("h3", {}, "Scores"),
    item.scores ? scores(item.scores) : h("p", { class: "note" }, "The board's are shown once an admin has approved it, where they rise; the private half's when the release is closed."),
    h("h3", {}, "History"),
    table(
      "What became of it",
      ["When (UTC)", "State", "Why"],
      item.history.map((event) => [h("span", { class: "day" }, moment(event.at)), event.state, event.reason]),
    ),
  ];
}

/** Return what can be done with a submission. Who sees the scores of one that nobody approved is an admin. */
function actions(item, again) {
  const reason = h("input", { id: "reason", autocomplete: "off", maxlength: "1000", placeholder: "for the record" });
  const said = h("div", { role: "status" });
  const decided = (approved) => post(["submissions", item.id, "decision"], { approved, reason: reason.value.trim() });
  const act = (name, work, primary) =>
    h("button", { type: "button", class: primary ? "first" : null, click: (event) => done(event.target, work) }, name);

  async function done(button, work) {
    button.disabled = true;
    try {
      again(await work());
    } catch (error) {
      said.replaceChildren(failure(error, () => done(button, work)));
      button.disabled = false;
    }
  }

  const decides = item.scores && ["evaluated", "approved", "declined"].includes(item.state);
  if (item.state === "withdrawn") return null;
  return [
    h(
      "div",
      { class: "actions" },
      decides && item.state !== "approved" && act("Approve", () => decided(true), true),
      decides && item.state === "evaluated" && act("Decline", () => decided(false)),
      decides && item.state === "evaluated" && h("label", {}, "Reason ", reason),
      act("Withdraw", () => (confirm(`Withdraw ${item.system} for good?`) ? remove(["submissions", item.id]) : item)),
    ),
    said,
  ];
}

/** Return the measures as rows, for all questions and for those of each type: there are more measures than types. */
function scores({ questions, measures, by_type: byType }) {
  const heads = columns(measures);
  const types = Object.keys(byType);
  const found = [measures, ...types.map((type) => byType[type])].map((means) => measured(heads, means));
  return table(
    `Means over ${counted(questions, "question")}`,
    ["Measure", "all", ...types],
    Object.values(heads).map((head, at) => [head, ...found.map((cells) => cells[at])]),
  );
}
