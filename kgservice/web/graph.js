// A small graph as columns of nodes: CSS places the nodes, so that names wrap and stay readable; the edges are drawn
// between where the nodes came to be. On a narrow page the columns become one list and the edges brackets beside it.
//
// In columns a label stands at the end of its edge that has fewer edges, in that node's own row; in a list above the
// lower end, or where several edges come down to that, above the upper one. So no two labels overlap.

import { h } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const LEAST = 185; // pixels a column needs before the columns become a list
const LANE = 11; // pixels between two brackets

/** Return a drawing. `columns`: [{title, nodes: [{id, label, href, role, told}]}]; `edges`: [{from, to, labels}]. */
export function draw(title, columns, edges) {
  const drawing = new Drawing(
    columns.filter((column) => column.nodes.length),
    edges,
  );
  const figure = h("figure", { class: "graph", role: "group", "aria-label": title }, drawing.svg, drawing.place);
  new ResizeObserver(() => drawing.redraw(figure)).observe(figure);
  return figure;
}

class Drawing {
  constructor(columns, edges) {
    this.edges = edges;
    this.column = new Map(columns.flatMap(({ nodes }, at) => nodes.map((node) => [node.id, at])));
    this.order = new Map([...this.column.keys()].map((id, at) => [id, at]));
    this.boxes = new Map();
    this.labels = new Map();
    this.svg = element("svg", { "aria-hidden": "true" });
    this.settle();
    this.place = h(
      "div",
      { class: "columns" },
      columns.map((column) =>
        h(
          "div",
          { class: "column" },
          column.title && h("p", { class: "column-title" }, column.title),
          h(
            "ul",
            {},
            column.nodes.map((node) => this.cell(node)),
          ),
        ),
      ),
    );
    this.count = columns.length;
  }

  /** Decide at which end of each edge its label stands, and which end its bracket belongs to. */
  settle() {
    const degree = tally(this.edges.flatMap(({ from, to }) => [from, to]));
    const down = tally(this.edges.map((edge) => this.ends(edge)[1]));
    for (const edge of this.edges) {
      const [upper, lower] = this.ends(edge);
      [edge.at, edge.other] = degree.get(upper) < degree.get(lower) ? [upper, lower] : [lower, upper];
      [edge.below, edge.hub] = down.get(lower) > 1 ? [upper, lower] : [lower, upper];
      edge.side = this.column.get(edge.other) < this.column.get(edge.at) ? "before" : "after";
    }
  }

  cell(node) {
    const box = h(
      "a",
      {
        class: `node ${node.role ?? ""}`,
        href: node.href,
        "aria-label": [node.label, ...(node.told ?? [])].join("; "),
      },
      node.role && h("span", { class: "role" }, node.role),
      h("span", { class: "name" }, node.label),
    );
    const carried = (side) =>
      label(
        side,
        this.edges.filter((edge) => edge.at === node.id && edge.side === side),
      );
    const sides = { before: carried("before"), after: carried("after") };
    this.boxes.set(node.id, box);
    this.labels.set(node.id, sides);
    const above = label(
      "above",
      this.edges.filter((edge) => edge.below === node.id),
    );
    return h("li", { class: "cell" }, above, sides.before, box, sides.after);
  }

  redraw(figure) {
    figure.classList.remove("list");
    const list = figure.clientWidth < LEAST * this.count || this.place.scrollWidth > figure.clientWidth;
    figure.classList.toggle("list", list);
    const lanes = [...new Set(this.edges.map((edge) => edge.hub))].sort(
      (a, b) => this.order.get(a) - this.order.get(b),
    );
    figure.style.setProperty("--gutter", list ? `${LANE * lanes.length + 18}px` : "0px");
    const { left, top, width, height } = figure.getBoundingClientRect();
    const seen = (node) => {
      const box = node.getBoundingClientRect();
      return { left: box.left - left, right: box.right - left, middle: (box.top + box.bottom) / 2 - top };
    };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren(
      arrow(),
      ...this.edges.map((edge) => path(edge, list ? this.bracket(edge, lanes, seen) : this.curve(edge, seen))),
    );
  }

  /** Return the ends of an edge, the upper one first. */
  ends(edge) {
    return [edge.from, edge.to].sort((a, b) => this.order.get(a) - this.order.get(b));
  }

  bracket(edge, lanes, seen) {
    const [one, two] = [edge.from, edge.to].map((id) => seen(this.boxes.get(id)));
    const lane = Math.min(one.left, two.left) - 14 - LANE * lanes.indexOf(edge.hub);
    return `M${one.left} ${one.middle} H${lane} V${two.middle} H${two.left}`;
  }

  /** Go straight through the label, then curve to the other end. */
  curve(edge, seen) {
    const near = seen(this.boxes.get(edge.at));
    const far = seen(this.boxes.get(edge.other));
    const label = seen(this.labels.get(edge.at)[edge.side]);
    const across = this.column.get(edge.at) !== this.column.get(edge.other);
    const [start, turn] = edge.side === "before" ? [near.left, label.left] : [near.right, label.right];
    const end = (edge.side === "before") === across ? far.right : far.left;
    const pull = across ? (end - turn) / 2 : 40;
    const points = [
      [start, near.middle],
      [turn, near.middle],
      [turn + pull, near.middle],
      [end + (across ? -pull : pull), far.middle],
      [end, far.middle],
    ];
    const [a, b, c, d, e] = points.map((point) => point.map((value) => value.toFixed(1)).join(" "));
    return edge.from === edge.at ? `M${a} L${b} C${c} ${d} ${e}` : `M${e} C${d} ${c} ${b} L${a}`;
  }
}

function tally(ids) {
  const found = new Map();
  for (const id of ids) found.set(id, (found.get(id) ?? 0) + 1);
  return found;
}

function label(place, edges) {
  const texts = edges.flatMap((edge) => edge.labels);
  return texts.length
    ? h(
        "span",
        { class: `relation ${place}`, "aria-hidden": "true" },
        texts.map((text) => h("span", {}, text)),
      )
    : null;
}

function path(edge, line) {
  return element("path", { d: line, class: "edge", "marker-end": "url(#arrow)" });
}

function arrow() {
  const marker = element("marker", {
    id: "arrow",
    viewBox: "0 0 8 8",
    refX: "8",
    refY: "4",
    markerWidth: "7",
    markerHeight: "7",
    orient: "auto",
  });
  marker.append(element("path", { d: "M0 0 8 4 0 8z", class: "head" }));
  return marker;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
