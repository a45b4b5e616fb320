import { get } from "../api.js";
import { choice, counted, empty, h, number, properties } from "../dom.js";
import { confidence, triple } from "../evidence.js";
import { draw } from "../graph.js";
import { plain } from "../markdown.js";
import { go, href } from "../place.js";
import { neighbourhood } from "../shape.js";

export const title = "Entities";
export const wantsCorpus = true;

const FACTS = 200; // that are read of an entity
const AROUND = 10; // neighbours drawn on each side, more on request
const LISTED = 25;
const SOURCES = 20; // sentences of a fact

/** Show the entities that a search finds, or one entity with what is around it. */
export async function show({ corpus, search, key, name }, signal) {
  const chosen = key ?? name;
  const form = searching(corpus, search ?? "");
  if (!chosen) return [form, await found(corpus, search ?? "", signal)];
  const entity = await get(["entities", chosen], { corpus, limit: FACTS }, signal);
  return [form, ...whole(entity, corpus)];
}

function searching(corpus, search) {
  const submit = (event) => {
    event.preventDefault();
    go("entity", { corpus, search: new FormData(event.target).get("search").trim() });
  };
  return h(
    "form",
    { class: "controls", role: "search", submit },
    h(
      "label",
      {},
      "Name ",
      h("input", {
        id: "search",
        name: "search",
        type: "search",
        value: search,
        autocomplete: "off",
        maxlength: "200",
      }),
    ),
    h("button", { type: "submit", class: "first" }, "Search"),
  );
}

async function found(corpus, search, signal) {
  const { items, more } = await get(["entities"], { corpus, name: search, limit: 50 }, signal);
  if (!items.length)
    return empty(
      search ? `Nothing in ${corpus} has these words in its name.` : `${corpus} has no facts yet. Load documents:`,
      search ? null : "kgservice load text notes/",
      corpus,
    );
  return h(
    "section",
    {},
    h("h2", {}, search ? `Named “${search}”` : "Best connected"),
    h(
      "ul",
      { class: "rows" },
      items.map((item) =>
        h(
          "li",
          {},
          h("a", { href: href("entity", { corpus, key: item.key }) }, item.label),
          h(
            "span",
            { class: "note" },
            [item.type ?? item.kind, item.degree ? counted(item.degree, "fact") : "only mentioned"].join(" · "),
          ),
        ),
      ),
    ),
    more && h("p", { class: "note" }, "More names have these words: type more of the name."),
  );
}

function whole(entity, corpus) {
  return [
    h("h2", {}, entity.label),
    properties({
      Kind: entity.kind,
      Type: entity.type,
      Value: entity.value,
      Unit: entity.unit,
      Id: entity.id,
      "Also called": entity.aliases.join(", "),
      Description: entity.description,
      Facts: number(entity.degree),
    }),
    h("p", {}, h("a", { href: href("questions", { corpus, entity: entity.key, state: "any" }) }, "Questions about it")),
    entity.facts.length
      ? h("section", { class: "around" }, h("h3", {}, "Neighbourhood"), around(entity, corpus))
      : empty("Passages mention this name; no fact has it at an end."),
    entity.facts.length ? h("section", {}, h("h3", {}, "Facts"), listed(entity, corpus)) : null,
  ];
}

/** Return the drawing with a choice of how much of it; a hub says how many facts it does not show. */
function around(entity, corpus) {
  const place = h("div", {});
  const note = h("p", { class: "note" });
  const put = (most) => {
    const { columns, edges, shown } = neighbourhood(entity, corpus, most);
    const left = entity.degree - shown;
    note.textContent =
      left > 0
        ? `${counted(shown, "fact")} drawn, ${number(left)} more${entity.more ? `; the page reads ${FACTS} of them` : ""}.`
        : `All ${counted(shown, "fact")}.`;
    place.replaceChildren(draw(`Neighbourhood of ${entity.label}`, columns, edges));
  };
  put(AROUND);
  const sides = [
    entity.facts.filter((fact) => fact.subject_key === entity.key).length,
    entity.facts.filter((fact) => fact.subject_key !== entity.key).length,
  ];
  const options = [AROUND, 3 * AROUND, FACTS].map((most) => [String(most), `${most} a side`]);
  return [
    Math.max(...sides) > AROUND &&
      h(
        "p",
        { class: "controls" },
        choice("around", "Draw", options, String(AROUND), (most) => put(Number(most))),
      ),
    place,
    note,
  ];
}

/** Return a fact with the sentences that state it, folded away. */
function line(fact, corpus) {
  const left = fact.statements.length - SOURCES;
  const sentences = fact.statements.slice(0, SOURCES).map((one) => {
    const place = href("document", { corpus, key: one.document, chunk: one.chunk });
    return h(
      "blockquote",
      {},
      plain(one.sentence, 600),
      " ",
      h("a", { href: place }, one.cell ? `its table, ${one.cell}` : "its document"),
      confidence(one) && h("span", { class: "note" }, ` · ${confidence(one)}`),
    );
  });
  return h(
    "li",
    {},
    h("span", {}, triple(fact, corpus)),
    uniqueness(fact),
    h(
      "details",
      { class: "sources" },
      h("summary", { class: "note" }, counted(fact.statements.length, "source")),
      sentences,
      left > 0 && h("p", { class: "note" }, `${number(left)} more.`),
    ),
  );
}

function listed(entity, corpus) {
  const lines = entity.facts.map((fact) => line(fact, corpus));
  const list = h("ul", { class: "rows" }, lines.slice(0, LISTED));
  const more = h(
    "button",
    {
      type: "button",
      click: () => {
        const from = list.children.length;
        list.append(...lines.slice(from, from + LISTED));
        list.children[from].querySelector("a").focus();
        more.hidden = list.children.length === lines.length;
      },
    },
    "Show more",
  );
  more.hidden = lines.length <= LISTED;
  return [
    list,
    h(
      "div",
      { class: "foot" },
      more,
      entity.more && h("p", { class: "note" }, `The first ${FACTS} of ${number(entity.degree)}.`),
    ),
  ];
}

function uniqueness(fact) {
  return h(
    "span",
    {},
    fact.objects === 1 &&
      h(
        "span",
        { class: "badge", title: "Nothing else is said to be this of it: a question can ask for it" },
        "only one",
      ),
    " ",
    fact.subjects === 1 &&
      h("span", { class: "badge", title: "This is said of nothing else: a question can ask of what" }, "of it alone"),
  );
}
