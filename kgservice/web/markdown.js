// The text of a passage as people read it: headings, lists and tables of its Markdown as elements, with places marked.
// Nothing here parses HTML, and all that is shown is text nodes.

import { h } from "./dom.js";

const BLOCK = /^(?:(#{1,6})\s+|\s*[-*+•]\s+|\s*\d{1,3}[.)]\s+|>\s?)/;
const RULE = /^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$|^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
// what is left out of a line: emphasis, code marks, anchors; of a link only its text stays
const INLINE =
  /`+|(?<![\p{L}\d])(?:\*\*|__|[*_])(?=\S)|(?<=\S)(?:\*\*|__|[*_])(?![\p{L}\d])|\\(?=[|*_#[\]()`~>-])|!?\[(?=[^\]]*\]\([^)\s]*\))|\]\([^)\s]*\)|¶|<br\s*\/?>/gu;

/** Return a passage's text as blocks. `marks`: [{start, end, numbers, names}], places in the text; with `fold`, only the
blocks that hold one are shown at first, whole, with their heading. */
export function rendered(text, marks = [], { fold = false } = {}) {
  const blocks = blocksOf(text);
  const wanted = blocks.map((block) => marks.some(({ start, end }) => start < block.end && end > block.start));
  const place = h("div", { class: "text" });
  const put = (shown) => {
    const seen = new Set(); // marks that have their number already
    const content = blocks.map((block, at) => shown(at) && element(block, marks, seen, shown === all ? null : marks));
    place.replaceChildren(...grouped(content.filter(Boolean)));
  };
  const all = () => true;
  const few = (at) => wanted[at] || (blocks[at].kind === "heading" && wanted[at + 1]);
  const first = (at) => at < 3;
  const chosen = wanted.some(Boolean) ? few : first;
  if (!fold || (blocks.every((_, at) => chosen(at)) && !cut(blocks, marks))) {
    put(all);
    return place;
  }
  put(chosen);
  const turn = (event) => {
    const open = event.currentTarget.getAttribute("aria-expanded") === "true";
    put(open ? chosen : all);
    event.currentTarget.setAttribute("aria-expanded", String(!open));
    event.currentTarget.textContent = open ? WHOLE : LESS;
  };
  return h(
    "div",
    {},
    place,
    h("button", { type: "button", class: "link", "aria-expanded": "false", click: turn }, WHOLE),
  );
}

const WHOLE = "Show the whole passage";
const LESS = "Show less of it";

/** Return the beginning of a text without its markup, for a line. */
export function plain(text, length = 200) {
  const words = text
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[|:\s-]+$)/gm, "")
    .replace(INLINE, "")
    .replace(/\s*\|\s*/g, " · ");
  const found = words.replace(/\s+/g, " ").replace(/^[\s·]+/, "");
  return found.length > length ? `${found.slice(0, length).replace(/\s\S*$/, "")} …` : found;
}

/** Return where words stand in a text, as marks. */
export function places(text, words) {
  if (!words.length) return [];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = text.matchAll(new RegExp(`(?<![\\p{L}\\d])(?:${escaped.join("|")})(?![\\p{L}\\d])`, "giu"));
  return [...found].map((one) => ({ start: one.index, end: one.index + one[0].length }));
}

/** Part a text into blocks {kind, start, end, lines: [{start, end}]}, by lines; `start` and `end` are places in it. */
function blocksOf(text) {
  const blocks = [];
  let open = null;
  let at = 0;
  for (const line of text.split("\n")) {
    const here = { start: at, end: at + line.length };
    at += line.length + 1;
    const kind = kindOf(line);
    if (kind === "blank" || kind === "rule") {
      if (kind === "blank" || open?.kind !== "table") open = null;
      continue;
    }
    const goesOn =
      open && (kind === open.kind ? ["text", "table"].includes(kind) : kind === "text" && open.kind === "item");
    if (goesOn) {
      open.lines.push(here);
      open.end = here.end;
    } else {
      open = { kind, ...here, lines: [here], text };
      blocks.push(open);
    }
  }
  return blocks;
}

function kindOf(line) {
  if (!line.trim() || line.trim() === "\f") return "blank";
  if (RULE.test(line)) return "rule";
  if (/^\s*\|.*\|\s*$/.test(line)) return "table";
  const sign = BLOCK.exec(line);
  if (!sign) return "text";
  return sign[1] ? "heading" : /^>/.test(line) ? "text" : "item";
}

/** Say whether a table has rows without a mark, which are folded away. */
function cut(blocks, marks) {
  const marked = ({ start, end }) => marks.some((mark) => mark.start < end && mark.end > start);
  return blocks.some((block) => block.kind === "table" && block.lines.slice(1).some((line) => !marked(line)));
}

function element(block, marks, seen, only) {
  const inner = ({ start, end }) => inline(block.text, start, end, marks, seen);
  if (block.kind === "table") return tabular(block, marks, seen, only);
  const [first, ...rest] = block.lines;
  const skip = BLOCK.exec(block.text.slice(first.start, first.end))?.[0].length ?? 0;
  const content = [inner({ start: first.start + skip, end: first.end }), rest.map((line) => [" ", inner(line)])];
  if (block.kind === "heading") return h("p", { class: "heading" }, content);
  return h(block.kind === "item" ? "li" : "p", {}, content);
}

/** Return a table; with `only` the head and the rows that hold a mark. */
function tabular(block, marks, seen, only) {
  const marked = ({ start, end }) => marks.some((mark) => mark.start < end && mark.end > start);
  const few = block.lines.some(marked) ? (line, at) => !at || marked(line) : (_, at) => at < 4;
  const rows = only ? block.lines.filter(few) : block.lines;
  const cells = (line) => {
    const found = [];
    let start = line.start + block.text.slice(line.start, line.end).indexOf("|") + 1;
    for (let at = start; at <= line.end; at += 1) {
      if ((block.text[at] === "|" && block.text[at - 1] !== "\\") || at === line.end) {
        if (at < line.end || block.text.slice(start, at).trim()) found.push({ start, end: at });
        start = at + 1;
      }
    }
    return found;
  };
  const row = (line) =>
    h(
      "tr",
      { class: marked(line) ? "marked" : null },
      cells(line).map((cell) => h("td", {}, inline(block.text, cell.start, cell.end, marks, seen))),
    );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" },
    h("table", {}, h("tbody", {}, rows.map(row))),
  );
}

/** Put neighbouring list items into one list. */
function grouped(elements) {
  const found = [];
  for (const one of elements) {
    if (one.localName !== "li") found.push(one);
    else if (found.at(-1)?.localName === "ul") found.at(-1).append(one);
    else found.push(h("ul", {}, one));
  }
  return found;
}

/** Return a part of a text without its markup, its marks as elements. */
function inline(text, start, end, marks, seen) {
  const cuts = [...text.slice(start, end).matchAll(INLINE)].map((one) => [
    start + one.index,
    start + one.index + one[0].length,
  ]);
  const pieces = [];
  let at = start;
  for (const [from, to] of [...cuts, [end, end]]) {
    if (from > at) pieces.push([at, from]);
    at = Math.max(at, to);
  }
  return pieces.map(([from, to]) => split(text, from, to, marks, seen));
}

/** Return a piece of plain text with the marks that reach into it. */
function split(text, start, end, marks, seen) {
  const nodes = [];
  let at = start;
  for (const mark of marks) {
    const [from, to] = [Math.max(mark.start, at), Math.min(mark.end, end)];
    if (to <= from) continue;
    const numbers = seen.has(mark) ? [] : (mark.numbers ?? []);
    seen.add(mark);
    nodes.push(
      text.slice(at, from),
      h(
        "mark",
        {},
        numbers.map((one) => h("sup", { "aria-label": `fact ${one}` }, one)),
        named(text.slice(from, to), mark.names ?? []),
      ),
    );
    at = to;
  }
  nodes.push(text.slice(at, end));
  return nodes;
}

/** Return a text with names set off. */
function named(text, names) {
  const here = names.filter((name) => text.includes(name)).sort((a, b) => b.length - a.length);
  if (!here.length) return [text];
  const escaped = here.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text
    .split(new RegExp(`(${escaped.join("|")})`))
    .map((piece) => (here.includes(piece) ? h("b", {}, piece) : piece));
}
