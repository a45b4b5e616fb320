import { get, save } from "../api.js";
import { choice, counted, empty, h, moment, number, properties, table } from "../dom.js";
import { failure } from "../failure.js";
import { beside } from "../list.js";

export const title = "Releases";

/** Show the releases of a corpus, newest first, one with its counts, its files and what changed in it. */
export async function show({ corpus, id }, signal) {
  const { items } = await get(["releases"], { corpus }, signal);
  const newest = items.map((item) => ({ ...item, id: item.version })).reverse();
  return beside("releases", { corpus }, "release", {
    fetch: async () => ({ items: newest, next: null }),
    line,
    detail: (item) => detail(item, newest, signal),
    nothing: empty(
      `${corpus} has no release yet. Freeze its questions into one:`,
      "kgservice release create",
      corpus,
    ),
    chosen: newest.find((item) => item.id === id),
  });
}

function sum(counts) {
  return Object.values(counts).reduce((total, one) => total + one, 0);
}

function line(item) {
  return [
    h("span", { class: "title" }, item.version),
    h("span", { class: "note" }, moment(item.created), ` · ${counted(sum(item.counts.test), "question")}`),
  ];
}

async function detail(item, all, signal) {
  const { counts } = item;
  const older = all.slice(all.indexOf(item) + 1).map((one) => one.version);
  return [
    h("h2", {}, `Release ${item.version}`),
    properties({
      Corpus: item.corpus,
      Made: `${moment(item.created)} UTC`,
      Follows: item.previous,
      Passages: number(counts.texts),
      Documents: number(counts.documents),
      "At most": `${number(item.per_pattern)} a pattern`,
      Seed: item.seed,
      Content: h("code", {}, item.content.slice(0, 16)),
    }),
    h("h3", {}, "Changes"),
    older.length
      ? await changes(item.version, older, signal)
      : h("p", { class: "note" }, "The first release of this corpus."),
    h("h3", {}, "Questions"),
    h(
      "p",
      {},
      `Of ${number(counts.given)} active questions ${number(sum(counts.test))} are asked, `,
      `${number(sum(counts.train))} given away with answers, ${number(sum(counts.left_out))} left out.`,
    ),
    h(
      "div",
      { class: "pair" },
      parts(counts),
      Object.keys(counts.left_out).length > 0 &&
        table("Left out", ["Reason", "Questions"], Object.entries(counts.left_out)),
    ),
    h("h3", {}, "Files"),
    files(item),
  ];
}

function parts({ test, train, sandbox }) {
  const names = [...new Set([test, train, sandbox].flatMap(Object.keys))].sort();
  const total = ["all", sum(test), sum(train), sum(sandbox)];
  return table(
    "Questions in each part",
    ["Pattern", "Test", "Train", "Sandbox"],
    [...names.map((name) => [name, test[name] ?? 0, train[name] ?? 0, sandbox[name] ?? 0]), total],
  );
}

async function changes(version, older, signal) {
  const place = h("div", {});
  const put = async (since) => {
    const diff = await get(["releases", version, "diff"], { since }, signal);
    place.replaceChildren(
      h(
        "p",
        {},
        `${number(diff.kept)} kept, ${number(diff.added.length)} added, ${number(diff.retired.length)} retired.`,
      ),
      changed("Added", diff.added),
      changed("Retired", diff.retired),
    );
  };
  await put(older[0]);
  const again = (since) => put(since).catch((error) => place.replaceChildren(failure(error, () => again(since))));
  return h(
    "div",
    {},
    older.length > 1 && h("p", { class: "controls" }, choice("since", "Since", older, older[0], again)),
    place,
  );
}

function changed(name, items) {
  if (!items.length) return null;
  const rows = items.map((one) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, one.public_id),
      h("td", {}, one.question),
      h("td", { class: "note" }, one.cause ? `${one.reason} (${one.cause})` : one.reason),
    ),
  );
  return h(
    "details",
    {},
    h("summary", {}, `${name}: ${counted(items.length, "question")}`),
    h(
      "table",
      { class: "changes" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Id"),
          h("th", { scope: "col" }, "Question"),
          h("th", { scope: "col" }, "Why"),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function files(item) {
  const rows = item.files.map((file) => [
    file.access === "public"
      ? h("button", { type: "button", class: "link", click: (event) => fetchFile(event, item, file) }, file.name)
      : file.name,
    file.access,
    file.rows,
    h("span", { class: "measure" }, size(file.bytes)),
    h("code", {}, file.sha256.slice(0, 12)),
  ]);
  return table("Files; private ones are given to nobody", ["File", "Access", "Rows", "Size", "SHA-256"], rows);
}

async function fetchFile(event, item, file) {
  const button = event.currentTarget;
  await save(["releases", item.version, "files", ...file.name.split("/")], {}, file.name.replaceAll("/", "-")).catch(
    (error) => button.after(failure(error, () => button.click())),
  );
}

function size(bytes) {
  return bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${number(Math.round(bytes / 100) / 10)} kB`
      : `${number(Math.round(bytes / 100_000) / 10)} MB`;
}
