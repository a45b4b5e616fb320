// The graph of a corpus as a picture (sigma.js on WebGL): things in the colours of their kinds; panel.js tells about them.

import { get } from "./api.js";
import { choice, counted, empty, h, number } from "./dom.js";
import { laidOut } from "./layout.js";
import { Panel } from "./panel.js";
import { kindOf } from "./words.js";

const SIZES = [100, 300, 1000, 2000]; // things that can be asked for
const COLOURED = 7;
const AT_ONCE = { skipIndexation: true, schedule: true }; // nothing has moved
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/** Return the picture of a corpus with what can be done with it; `again(limit)` shows more or fewer things. */
export async function picture(corpus, limit, again, signal) {
  const found = await get(["graph"], { corpus, limit }, signal);
  if (!found.things.length) return [empty("No facts were read yet, so there is no graph to show.")];
  const drawn = new Picture(found, corpus, signal);
  const more = SIZES.filter((size, at) => size <= 300 || SIZES[at - 1] < found.total);
  const shown = found.things.length < found.total;
  const options = more.map((size) => [String(size), `${number(size)} things`]);
  const choose = choice("things", "Show", options, String(limit), (value) => again(Number(value)));
  const amount = h("p", { class: "amount" }, choose);
  return [
    h(
      "p",
      { class: "note" },
      `${counted(found.things.length, "thing")} and ${counted(found.ties.length, "link")} between them`,
      shown ? `, the best connected of ${number(found.total)} things that have facts.` : ".",
      " Click one to read about it.",
    ),
    h(
      "div",
      { class: "picture" },
      h("div", { class: "seen" }, drawn.canvas, drawn.tools(), found.total > SIZES[0] && amount),
      drawn.panel.place,
      drawn.legend(),
    ),
  ];
}

class Picture {
  constructor(found, corpus, signal) {
    this.found = found;
    this.corpus = corpus;
    this.signal = signal;
    this.byKey = new Map(found.things.map((thing) => [thing.key, thing]));
    this.counts = new Map();
    for (const { group } of found.things) this.counts.set(group, (this.counts.get(group) ?? 0) + 1);
    const named = [...this.counts].filter(([group]) => group).sort((a, b) => b[1] - a[1]);
    this.colours = new Map(named.slice(0, COLOURED).map(([group], at) => [group, at + 1]));
    this.hidden = new Set();
    this.chosen = null;
    this.canvas = h("div", {
      class: "canvas",
      tabindex: "0",
      role: "application",
      "aria-label": `Graph of ${counted(found.things.length, "thing")}: arrow keys move it, plus and minus zoom, 0 shows all`,
      "data-state": "waiting",
      keydown: (event) => this.key(event),
    });
    const dot = (thing) => h("span", { class: `dot type-${this.colourOf(thing)}` });
    this.panel = new Panel(found.things, corpus, dot, (key, near) => this.choose(key, near), signal);
    const sized = new ResizeObserver(() => {
      if (!this.canvas.clientWidth || this.started) return;
      this.started = true;
      sized.disconnect();
      this.start().catch((error) => this.without(error));
    });
    sized.observe(this.canvas);
    signal?.addEventListener("abort", () => this.sigma?.kill());
  }

  async start() {
    const { Graph, Sigma, forceAtlas2 } = await import("./vendor/sigma.js");
    if (this.signal?.aborted) return;
    this.graph = new Graph({ type: "directed", allowSelfLoops: false });
    for (const [at, thing] of this.found.things.entries()) {
      const angle = at * 2.39996; // a sunflower, the best connected in the middle: the same picture each time
      const label = thing.label.length > 28 ? `${thing.label.slice(0, 27)}…` : thing.label;
      this.graph.addNode(thing.key, {
        label,
        x: Math.sqrt(at) * Math.cos(angle),
        y: Math.sqrt(at) * Math.sin(angle),
      });
    }
    for (const { subject, object, relations, facts } of this.found.ties)
      this.graph.addEdge(subject, object, { label: relations.join(", "), size: Math.min(1 + Math.log2(facts) / 2, 4) });
    const most = Math.max(1, ...this.graph.mapNodes((key) => this.graph.degree(key)));
    const smallest = Math.max(1.5, Math.min(4, 45 / Math.sqrt(this.graph.order)));
    this.graph.updateEachNodeAttributes((key, known) => ({
      ...known,
      size: smallest * (1 + 2 * Math.sqrt(this.graph.degree(key) / most)),
    }));
    this.paint();
    await laidOut(this.graph, Graph, forceAtlas2, this.signal);
    if (this.signal?.aborted) return;
    this.sigma = new Sigma(this.graph, this.canvas, this.settings());
    this.canvas.dataset.state = "ready";
    this.listen();
  }

  /** Take the colours of the page, which follow the system's light or dark. */
  paint() {
    const style = getComputedStyle(this.canvas);
    this.colour = (name) => style.getPropertyValue(name).trim();
    for (const thing of this.found.things) {
      this.graph.setNodeAttribute(thing.key, "color", this.colour(`--type-${this.colourOf(thing)}`));
    }
  }

  settings() {
    const font = getComputedStyle(document.body).fontFamily;
    return {
      allowInvalidContainer: true,
      defaultEdgeType: "arrow",
      defaultDrawNodeHover: (context, node, settings) => this.hover(context, node, settings),
      edgeLabelColor: { attribute: "labelColor", color: this.colour("--muted") },
      edgeLabelFont: font,
      edgeLabelSize: 12,
      edgeReducer: (key, known) => this.edge(key, known),
      hideEdgesOnMove: this.found.ties.length > 1500, // slow machines would stutter
      labelColor: { attribute: "labelColor", color: this.colour("--text") },
      labelFont: font,
      labelDensity: 0.6,
      labelRenderedSizeThreshold: 4,
      labelSize: 13,
      maxCameraRatio: 2,
      minCameraRatio: 0.02,
      nodeReducer: (key, known) => this.node(key, known),
      renderEdgeLabels: true,
      stagePadding: 36,
      zIndex: true,
    };
  }

  listen() {
    const { sigma, canvas } = this;
    sigma.getTouchCaptor().enabled = false;
    sigma.on("clickNode", ({ node }) => this.choose(node));
    sigma.on("clickStage", () => this.choose(null));
    sigma.on("enterNode", ({ node }) => this.over(node));
    sigma.on("leaveNode", () => this.over(null));
    const hold = (held) => {
      this.held = held;
      sigma.getTouchCaptor().enabled = held;
    };
    const wheel = (event) => this.held || event.stopPropagation();
    canvas.addEventListener("wheel", wheel, { capture: true, passive: true }); // if not held, the page scrolls
    canvas.addEventListener("focus", () => hold(true));
    canvas.addEventListener("blur", () => hold(false));
    canvas.addEventListener("click", () => canvas.focus({ preventScroll: true }));
    const repaint = () => {
      this.paint();
      for (const [name, value] of Object.entries(this.settings()))
        if (/Color$/.test(name)) sigma.setSetting(name, value);
      sigma.refresh();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal: this.signal });
  }

  over(key) {
    this.hovered = key;
    this.canvas.classList.toggle("over", key !== null);
    this.sigma.refresh(AT_ONCE);
  }

  /** Say what is looked at: the thing under the pointer, else the chosen one. */
  get focus() {
    return this.hovered ?? this.chosen;
  }

  node(key, known) {
    const { focus } = this;
    if (this.hidden.has(this.colourOf(this.byKey.get(key)))) return { ...known, hidden: true };
    if (!focus || key === focus) return { ...known, highlighted: key === focus, forceLabel: key === focus, zIndex: 2 };
    if (this.graph.areNeighbors(key, focus)) return { ...known, forceLabel: this.graph.degree(focus) < 25, zIndex: 1 };
    return { ...known, color: this.colour("--line"), label: "", zIndex: 0 };
  }

  edge(key, known) {
    const { focus } = this;
    if (!focus) return { ...known, color: this.colour("--edge"), label: "" };
    if (!this.graph.hasExtremity(key, focus)) return { ...known, hidden: true };
    return { ...known, color: this.colour("--accent"), forceLabel: this.graph.degree(focus) < 25, zIndex: 1 };
  }

  hover(context, { x, y, size, label }, { labelSize, labelFont }) {
    context.font = `600 ${labelSize}px ${labelFont}`;
    const width = label ? context.measureText(label).width + 10 : 0;
    context.fillStyle = this.colour("--surface");
    context.strokeStyle = this.colour("--accent");
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(x + size + 1, y - labelSize / 2 - 5, width, labelSize + 9, 5);
    context.fill();
    context.stroke();
    context.beginPath();
    context.arc(x, y, size + 2.5, 0, 2 * Math.PI);
    context.stroke();
    context.fillStyle = this.colour("--text");
    if (label) context.fillText(label, x + size + 6, y + labelSize / 3);
  }

  key(event) {
    if (!this.sigma || event.ctrlKey || event.metaKey || event.altKey) return;
    const camera = this.sigma.getCamera();
    const step = 0.12 * camera.ratio;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) camera.setState({ x: camera.x + moves[event.key][0], y: camera.y + moves[event.key][1] });
    else if (["+", "=", "-", "0"].includes(event.key)) this.zoom(event.key);
    else if (event.key === "Escape" && this.chosen) this.choose(null);
    else return;
    event.preventDefault();
  }

  zoom(way) {
    const camera = this.sigma?.getCamera();
    const told = { duration: STILL.matches ? 1 : 250 };
    if (way === "-") camera?.animatedUnzoom({ ...told, factor: 1.5 });
    else if (way === "0") camera?.animatedReset(told);
    else camera?.animatedZoom({ ...told, factor: 1.5 });
  }

  tools() {
    const tool = (way, sign, name) =>
      h("button", { type: "button", title: name, "aria-label": name, click: () => this.zoom(way) }, sign);
    return h(
      "p",
      { class: "tools" },
      tool("+", "+", "Zoom in"),
      tool("-", "−", "Zoom out"),
      tool("0", "⤢", "Show all"),
    );
  }

  /** Return the groups as switches, with how many things of the picture are in each. */
  legend() {
    const groups = [...this.colours].map(([group, colour]) => [kindOf(group, 2), colour, this.counts.get(group)]);
    const rest = this.found.things.length - groups.reduce((sum, [, , things]) => sum + things, 0);
    if (rest) groups.push([groups.length ? "others" : "things", 0, rest]);
    const turn = (button, colour) => {
      const off = this.hidden.delete(colour) ? false : Boolean(this.hidden.add(colour));
      button.setAttribute("aria-pressed", String(!off));
      this.sigma?.refresh(AT_ONCE);
    };
    return h(
      "ul",
      { class: "legend", "aria-label": "Types, shown or hidden" },
      groups.map(([name, colour, things]) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", "aria-pressed": "true", click: (event) => turn(event.currentTarget, colour) },
            h("span", { class: `dot type-${colour}` }),
            `${name} `,
            h("span", { class: "note" }, number(things)),
          ),
        ),
      ),
    );
  }

  /** Return the colour of a thing: its number in the style sheet. */
  colourOf({ group }) {
    return this.colours.get(group) ?? 0;
  }

  /** Choose a thing, null for none: the picture sets it off, the panel tells about it. */
  choose(key, near = false) {
    this.chosen = key;
    if (near && key && this.sigma) this.centre(key); // before it forgets where things stand, until it is drawn anew
    this.sigma?.refresh(AT_ONCE);
    this.panel.show(key, near);
  }

  /** Bring a thing to the middle, so near that what it is linked to fills the picture. */
  centre(key) {
    const at = (one) => this.sigma.getNodeDisplayData(one);
    const { x, y } = at(key);
    const far = Math.max(0, ...this.graph.mapNeighbors(key, (one) => Math.hypot(at(one).x - x, at(one).y - y)));
    const ratio = Math.min(1, Math.max(0.04, 2.6 * far || 0.3));
    this.sigma.getCamera().animate({ x, y, ratio }, { duration: STILL.matches ? 1 : 400 });
  }

  /** Say that there is no picture: the list beside it has the best connected things all the same. */
  without(error) {
    console.warn(error);
    this.canvas.dataset.state = "none";
    this.canvas.replaceChildren(
      h(
        "p",
        { class: "note" },
        "This browser draws no WebGL, so there is no picture; the list has the best connected things.",
      ),
    );
  }
}
