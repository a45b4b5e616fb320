import { get } from "../api.js";
import { counted, empty, h, outside, properties } from "../dom.js";
import { href } from "../place.js";
import { rendered } from "../markdown.js";

export const title = "Document";
export const wantsCorpus = true;

/** Show a document as it is stored, chunk by chunk; `chunk` is the one to begin at. */
export async function show({ corpus, key, chunk }, signal) {
  if (!key) return [empty("Choose a document in the overview.")];
  const { document: told, chunks } = await get(["documents", key], {}, signal);
  const parts = chunks.map((one) => part(one, one.key === chunk));
  requestAnimationFrame(() =>
    parts.find((one) => one.classList.contains("chosen"))?.scrollIntoView({ block: "center" }),
  );
  return [
    h("h2", {}, told.title || told.source),
    properties({
      Source: told.source,
      Type: told.doc_type,
      Domain: told.domain,
      Published: told.published,
      Version: told.version,
      Address: told.url && outside(told.url),
      ...told.metadata,
    }),
    h(
      "p",
      {},
      h("a", { href: href("questions", { corpus, document: key, state: "any" }) }, "Questions that rest on it"),
    ),
    h("h3", {}, counted(chunks.length, "passage")),
    ...parts,
  ];
}

function part(one, chosen) {
  const where = [
    `passage ${one.index + 1}`,
    one.section,
    one.page && `page ${one.page}`,
    one.kind,
    one.extracted || "no facts were looked for",
  ];
  return h(
    "article",
    { class: chosen ? "passage chosen" : "passage" },
    h("p", { class: "note" }, where.filter((text) => text && text !== true).join(" · ")),
    rendered(one.text),
  );
}
