import { get, post } from "../api.js";
import { choice, counted, empty, h, say, table } from "../dom.js";
import { failure } from "../failure.js";
import { go } from "../place.js";

export const title = "Cypher";
export const wantsCorpus = true;

const ROWS = 100; // of a result, at most
const LONGEST = 300; // characters of a cell

/** Take a reading statement of a curator's own, and show its rows; the pictures are for Neo4j Browser, one click away. */
export async function show({ corpus, picture }, signal) {
  const { url, pictures } = await get(["browser"], { corpus }, signal); // says who may
  const start = pictures[picture] ?? pictures.neighbourhood ?? Object.values(pictures)[0];
  const shown = h("section", { "aria-label": "Rows" }, h("p", { class: "note" }, "Only reading statements run, for 10 seconds at most."));
  const field = h("textarea", {
    id: "statement",
    name: "query",
    rows: "9",
    required: true,
    maxlength: "100000",
    spellcheck: "false",
  });
  field.value = start;
  const submit = (event) => {
    event.preventDefault();
    run(field.value, shown, signal);
  };
  const names = [["", "…"], ...Object.keys(pictures).map((name) => [name, name.replaceAll("_", " ")])];
  const begin = choice("picture", "Begin with", names, picture ?? "", (value) =>
    go("cypher", { corpus, picture: value }),
  );
  return [
    h(
      "form",
      { class: "cypher", submit },
      h("label", { for: "statement" }, "Statement"),
      field,
      h("p", { class: "actions" }, h("button", { type: "submit", class: "first" }, "Run"), begin, outside(url)),
    ),
    shown,
  ];
}

function outside(url) {
  if (!url) return h("span", { class: "note" }, "For pictures paste it into Neo4j Browser: kgservice browse");
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Open Neo4j Browser");
}

async function run(query, shown, signal) {
  shown.setAttribute("aria-busy", "true");
  try {
    const { columns, rows, more } = await post(["cypher"], { query, limit: ROWS }, signal);
    const amount = `${counted(rows.length, "row")}${more ? " shown, there are more" : ""}`;
    const cells = rows.map((row) => columns.map((name) => told(row[name])));
    shown.replaceChildren(rows.length ? table(amount, columns, cells) : empty("No row fits."));
    say(amount);
  } catch (error) {
    if (error.name !== "AbortError") shown.replaceChildren(failure(error, () => run(query, shown, signal)));
  } finally {
    shown.removeAttribute("aria-busy");
  }
}

/** Return a value as people read it: a thing by its name, a fact by its relation, a path by both, the rest as JSON.
A number is shown as it is stored, with all its digits. */
function told(value) {
  if (typeof value === "number") return h("span", { class: "measure" }, String(value));
  if (typeof value === "string") return value;
  const text = value?.relationships && value.nodes ? steps(value) : called(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function steps({ nodes, relationships }) {
  const after = relationships.map((one, at) => {
    const along = one.start === nodes[at].id;
    return ` ${along ? "—" : "←"} ${called(one)} ${along ? "→" : "—"} ${called(nodes[at + 1])}`;
  });
  return called(nodes[0]) + after.join("");
}

function called(value) {
  const { label, title: titled, question, name, text } = value?.properties ?? {};
  const known = label ?? titled ?? question ?? name ?? text ?? value?.type ?? value?.labels?.join(":");
  return typeof known === "string" && known ? known : JSON.stringify(value);
}
