// Where the things of the picture stand: each part that hangs together is laid out by forces (ForceAtlas2), in slices of
// time, so that the page goes on answering; then the parts are packed side by side, the largest in the middle.

const SLICE = 15; // milliseconds between two chances for the page
const LINK = 1.4; // length of a link, on average
const ROOM = 1; // around a part
const WIDE = 1.5; // as much wider than high as the picture is

/** Move the nodes of a graph to their places; ends early where the view is left. `Graph` makes the graphs of parts. */
export async function laidOut(graph, Graph, forceAtlas2, signal) {
  const placed = [];
  for (const keys of parts(graph)) {
    const part = new Graph({ type: "directed" });
    for (const key of keys)
      part.addNode(key, { x: graph.getNodeAttribute(key, "x"), y: graph.getNodeAttribute(key, "y") });
    for (const key of keys) graph.forEachOutNeighbor(key, (other) => part.addEdge(key, other)); // in the same part
    await settled(part, forceAtlas2, signal);
    if (signal?.aborted) return;
    const shape = shaped(part);
    const spot = free(shape.radius + ROOM, placed);
    placed.push({ ...spot, radius: shape.radius + ROOM });
    part.forEachNode((key, { x, y }) => {
      graph.setNodeAttribute(key, "x", spot.x + (x - shape.x) * shape.scale);
      graph.setNodeAttribute(key, "y", spot.y + (y - shape.y) * shape.scale);
    });
  }
}

/** Return the keys of the parts that hang together, the largest part first. */
function parts(graph) {
  const seen = new Set();
  const found = [];
  graph.forEachNode((start) => {
    if (seen.has(start)) return;
    seen.add(start);
    const part = [start];
    for (const key of part) {
      graph.forEachNeighbor(key, (other) => {
        if (!seen.has(other)) part.push(other);
        seen.add(other);
      });
    }
    found.push(part);
  });
  return found.sort((a, b) => b.length - a.length);
}

async function settled(part, forceAtlas2, signal) {
  if (part.order < 3) return;
  const settings = {
    barnesHutOptimize: part.order > 400,
    edgeWeightInfluence: 0,
    gravity: 0.3,
    scalingRatio: 10,
    slowDown: 2,
  };
  let left = part.order < 20 ? 60 : part.order < 500 ? 300 : 200;
  let step = 20;
  while (left > 0 && !signal?.aborted) {
    const started = performance.now();
    forceAtlas2.assign(part, { iterations: Math.min(step, left), settings });
    left -= step;
    step = Math.max(1, Math.min(60, Math.round((step * SLICE) / (performance.now() - started + 0.1))));
    if (part.order > 40) await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Return the middle of a part, how much it must be enlarged for links of the usual length, and how far it then reaches. */
function shaped(part) {
  const sums = { x: 0, y: 0, links: 0 };
  part.forEachNode((_, node) => {
    sums.x += node.x / part.order;
    sums.y += node.y / part.order;
  });
  part.forEachEdge((_edge, _known, _from, _to, from, to) => (sums.links += Math.hypot(from.x - to.x, from.y - to.y)));
  let far = 0;
  part.forEachNode((_, node) => (far = Math.max(far, Math.hypot(node.x - sums.x, node.y - sums.y))));
  const scale = sums.links ? (LINK * part.size) / sums.links : 1;
  return { x: sums.x, y: sums.y, scale, radius: far * scale };
}

/** Return the spot nearest to the middle where a circle overlaps none of those placed. */
function free(radius, placed) {
  for (let turn = 0; ; turn += 1) {
    const away = 0.35 * Math.sqrt(turn);
    const spot = { x: WIDE * away * Math.cos(turn * 2.39996), y: away * Math.sin(turn * 2.39996) };
    const clear = (other) => Math.hypot(spot.x - other.x, spot.y - other.y) >= radius + other.radius;
    if (placed.every(clear)) return spot;
  }
}
