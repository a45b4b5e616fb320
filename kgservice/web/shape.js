// From facts to the columns and edges of a drawing.

import { href } from "./place.js";

/** Return a drawing of facts: the named ends on the left, the others by how far they are from one of them.

`roles` gives a label's role: named, bridge or asked. Facts are told by labels, as people read them. */
export function layered(facts, roles, corpus) {
  const labels = [...new Set(facts.flatMap((fact) => [fact.subject, fact.object]))];
  const starts = labels.filter((label) => roles.get(label)?.includes("named"));
  const depth = distances(facts, starts.length ? starts : [...new Set(facts.map((fact) => fact.subject))]);
  const columns = [];
  for (const label of labels) {
    const at = depth.get(label) ?? 0;
    columns[at] ??= { nodes: [] };
    columns[at].nodes.push({
      id: label,
      label,
      role: roles.get(label)?.join(", "),
      href: href("entity", { corpus, name: label }),
      told: facts.filter((fact) => fact.subject === label || fact.object === label).map(told),
    });
  }
  return {
    columns: [...columns].filter(Boolean),
    edges: merged(facts.map((fact) => ({ from: fact.subject, to: fact.object, labels: [fact.relation] }))),
  };
}

/** Return the neighbourhood of an entity: what points to it, itself, what it points to; at most `most` on each side. */
export function neighbourhood(entity, corpus, most) {
  const into = new Map();
  const from = new Map();
  const edges = [];
  for (const fact of entity.facts) {
    const out = fact.subject_key === entity.key;
    const [side, key, label] = out ? [from, fact.object_key, fact.object] : [into, fact.subject_key, fact.subject];
    const id = `${out ? "to" : "from"} ${key}`;
    if (!side.has(id) && side.size === most) continue;
    side.set(id, {
      id,
      label,
      href: href("entity", { corpus, key }),
      told: [...(side.get(id)?.told ?? []), told(fact)],
    });
    edges.push({ from: out ? entity.key : id, to: out ? id : entity.key, labels: [fact.relation] });
  }
  const self = {
    id: entity.key,
    label: entity.label,
    role: "this one",
    href: href("entity", { corpus, key: entity.key }),
  };
  const columns = [
    { title: "points to it", nodes: [...into.values()] },
    { title: "", nodes: [self] },
    { title: "it points to", nodes: [...from.values()] },
  ];
  return { columns, edges: merged(edges), shown: edges.length };
}

function told(fact) {
  return `${fact.subject} ${fact.relation} ${fact.object}`;
}

/** Return the distance of each label from the nearest start, along facts in either direction. */
function distances(facts, starts) {
  const depth = new Map(starts.map((label) => [label, 0]));
  const queue = [...starts];
  for (let label = queue.shift(); label !== undefined; label = queue.shift()) {
    for (const fact of facts) {
      for (const [here, there] of [
        [fact.subject, fact.object],
        [fact.object, fact.subject],
      ]) {
        if (here !== label || depth.has(there)) continue;
        depth.set(there, depth.get(label) + 1);
        queue.push(there);
      }
    }
  }
  return depth;
}

/** Return one edge for those between the same two nodes in the same direction. */
function merged(edges) {
  const found = new Map();
  for (const edge of edges) {
    const way = `${edge.from}\n${edge.to}`;
    const known = found.get(way);
    if (known) known.labels = [...new Set([...known.labels, ...edge.labels])];
    else found.set(way, edge);
  }
  return [...found.values()].filter((edge) => edge.from !== edge.to);
}
