// The questions of a list as a file: JSON Lines or CSV, all of them, not only those that are shown.

import { get } from "./api.js";
import { h } from "./dom.js";
import { failure } from "./failure.js";

const PAGE = 1000;
const COLUMNS = ["id", "pattern", "asked", "question", "answers", "state", "review", "documents", "sentences"];

/** Return the buttons that save what a list of questions holds. */
export function exported(asked, signal) {
  const said = h("span", { class: "note", role: "status" });
  const save = (name, type, written) => async () => {
    said.textContent = "reading …";
    try {
      const items = await all(asked, signal);
      kept(new Blob([written(items)], { type }), `${asked.corpus}-questions.${name}`);
      said.textContent = `${items.length.toLocaleString("en")} saved`;
    } catch (error) {
      if (error.name !== "AbortError") said.replaceChildren(failure(error, save(name, type, written)));
    }
  };
  const lines = (items) => items.map((item) => `${JSON.stringify(item)}\n`).join("");
  return h(
    "p",
    { class: "actions export" },
    h("button", { type: "button", click: save("jsonl", "application/jsonl", lines) }, "Export JSONL"),
    h("button", { type: "button", click: save("csv", "text/csv", table) }, "Export CSV"),
    said,
  );
}

async function all(asked, signal) {
  const items = [];
  for (let after = ""; after !== null;) {
    const page = await get(["questions"], { ...asked, after, limit: PAGE }, signal);
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

function table(items) {
  const rows = items.map((item) => [
    item.id,
    item.pattern,
    item.asked,
    item.question,
    item.answers.join("; "),
    item.state,
    item.metadata.review ?? "",
    item.document_keys.join("; "),
    item.facts.map((fact) => fact.statements[0]?.sentence ?? "").join(" | "),
  ]);
  return [COLUMNS, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** Return a cell of CSV; what a spreadsheet would take for a formula is a text. */
function cell(value) {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

function kept(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
