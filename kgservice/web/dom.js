// Elements from data. Whatever comes from a document becomes a text node: nothing here parses HTML.

/** Return an element; attributes that are functions become listeners, null and false ones are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Return a table; each cell of a row is a node, a text or a number, and the first one heads its row. */
export function table(caption, heads, rows) {
  const numeric = (cell) => (typeof cell === "number" || cell?.className === "measure" ? "number" : null);
  const head = heads.map((text, at) => h("th", { scope: "col", class: numeric(rows[0]?.[at]) }, text));
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      row.map((cell, at) => {
        const shown = typeof cell === "number" ? number(cell) : cell;
        return at ? h("td", { class: numeric(cell) }, shown) : h("th", { scope: "row" }, shown);
      }),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)),
  );
}

/** Return named values, without those that are empty. */
export function properties(pairs) {
  const given = Object.entries(pairs).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h(
    "dl",
    { class: "properties" },
    given.map(([name, value]) =>
      h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, value instanceof Node ? value : String(value))),
    ),
  );
}

/** Return a labelled choice; options are texts, or pairs of a value and its text. */
export function choice(name, label, options, chosen, change) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const select = h(
    "select",
    { id: `choose-${name}`, name, change: change && ((event) => change(event.target.value)) },
    pairs.map(([value, text]) => h("option", { value, selected: value === (chosen ?? "") }, text)),
  );
  return h("label", {}, label, " ", select);
}

/** Return what to do where there is nothing yet: a sentence, and the command that brings something, for a corpus. */
export function empty(text, command, corpus) {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, text),
    command && h("pre", { tabindex: "0", "aria-label": "Command" }, h("code", {}, corpus === undefined ? command : `${command} -c ${quoted(corpus)}`)),
  );
}

/** Return a text as one word of a shell. */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Return a number as people read it. */
export function number(value) {
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
}

/** Return a time (ISO, UTC) to the minute. */
export function moment(time) {
  return time.slice(0, 16).replace("T", " ");
}

/** Return "1 fact" or "2 facts". */
export function counted(value, noun) {
  return `${number(value)} ${value === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** Return a link where the address is one of the web, else its text: the address comes from a document. */
export function outside(address) {
  if (!/^https?:\/\//i.test(address)) return address;
  return h("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, address);
}

/** Say something to people who do not see the page change. */
export function say(text) {
  document.getElementById("said").textContent = text;
}
