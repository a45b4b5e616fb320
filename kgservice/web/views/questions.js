import { get, once } from "../api.js";
import { choice, empty, h, properties } from "../dom.js";
import { answered, drawing, evidence, rolesIn } from "../evidence.js";
import { beside } from "../list.js";
import { go } from "../place.js";

export const title = "Questions";
export const wantsCorpus = true;

const STATES = ["active", "retired", "rejected"];

/** Show questions by pattern and state, one with its answer, its facts and the sentences that state them. */
export async function show({ corpus, pattern, state = "active", id }, signal) {
  const { patterns } = await once(["choices"]);
  const told = { corpus, pattern, state };
  const fetch = (after) =>
    get(["questions"], { corpus, pattern, state: state === "any" ? null : state, after, limit: 25 }, signal);
  const chosen = id && (await get(["questions", id], { corpus }, signal));
  const shown = { fetch, line, detail: (item) => detail(item, corpus, signal), nothing: nothing(told), chosen };
  return [controls(patterns, told), await beside("questions", told, "question", shown)];
}

function controls(patterns, { corpus, pattern, state }) {
  return h(
    "div",
    { class: "controls" },
    choice("pattern", "Pattern", [["", "any"], ...Object.keys(patterns)], pattern, (value) =>
      go("questions", { corpus, pattern: value, state }),
    ),
    choice("state", "State", ["any", ...STATES], state, (value) => go("questions", { corpus, pattern, state: value })),
  );
}

function nothing({ corpus, pattern, state }) {
  if (!pattern && state === "active")
    return empty("No questions yet. Make some from the graph:", `kgservice questions generate -c ${corpus}`);
  if (["retired", "rejected"].includes(state))
    return empty(`No question${pattern ? ` of the pattern ${pattern}` : ""} is ${state}.`);
  return empty(
    `No ${state === "any" ? "" : `${state} `}questions${pattern ? ` of the pattern ${pattern}` : ""}. Choose others, or make some:`,
    `kgservice questions generate -c ${corpus}${pattern ? ` --patterns ${pattern}` : ""}`,
  );
}

function line(item) {
  return [
    h("span", { class: "title" }, item.question),
    h(
      "span",
      { class: "note" },
      `${item.pattern} · ${item.asked}`,
      item.state === "active" ? "" : ` · ${item.state}: ${why(item)}`,
    ),
  ];
}

function why({ reason, cause }) {
  return cause ? `${reason} (${cause})` : reason;
}

async function detail(item, corpus, signal) {
  return [
    h("h2", {}, item.question),
    answered(item.answers),
    item.state !== "active" && h("p", { class: "state" }, h("b", {}, item.state), item.reason && `: ${why(item)}`),
    properties({ Pattern: item.pattern, Asked: item.asked, ...item.metadata, Id: item.id }),
    ...drawing("Facts of the question", item.facts, rolesIn(item), corpus),
    ...(await evidence(item.facts, corpus, signal)),
  ];
}
