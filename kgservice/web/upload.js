// Documents given to the page: dropped, or chosen; sent in parts, each a job whose progress is shown.

import { get, remove, send } from "./api.js";
import { counted, h, number, say } from "./dom.js";
import { failure } from "./failure.js";
import { reasonOf } from "./words.js";

const MOST = 40_000_000; // bytes of one request, unless one file has more
const FILES = 200; // of one request
const LOOK = 700; // milliseconds between two looks at a job
const ENDED = new Set(["done", "failed", "cancelled"]);
const STAGES = { read: "read", documents: "stored", vectors: "passages indexed", questions: "new questions" };

/** Return the place to drop files on; `loaded()` is called when a job has ended. */
export function dropZone(corpus, loaded, signal) {
  const jobs = h("ul", { class: "plain uploads", "aria-label": "Uploads" });
  const input = (name, folder) => {
    const field = h("input", {
      type: "file",
      class: "unseen",
      tabindex: "-1",
      "aria-label": name,
      multiple: true,
      webkitdirectory: folder,
      change: () => take(chosen(field)),
    });
    return [field, h("button", { type: "button", click: () => field.click() }, name)];
  };
  const take = async (found) => {
    const files = await found;
    for (const part of parts(files)) await sent(part, corpus, jobs, loaded, signal);
    if (!files.length) say("There is no file in it");
  };
  const zone = h(
    "div",
    { class: "drop", dragover: over, dragleave: () => zone.classList.remove("over"), drop: dropped },
    h("p", {}, h("b", {}, "Drop files or a folder here"), ", or choose"),
    h("p", { class: "actions" }, input("Choose files", false), input("Choose a folder", true)),
    h("p", { class: "note" }, "PDF, HTML, Markdown, text, mail, 10-K filings, JSONL. Each is read by what it holds."),
    jobs,
  );
  function over(event) {
    event.preventDefault();
    zone.classList.add("over");
  }
  function dropped(event) {
    event.preventDefault();
    zone.classList.remove("over");
    take(
      within(
        [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean),
        event.dataTransfer.files,
      ),
    );
  }
  return zone;
}

/** Return chosen files with their names, a folder's with their way within it. */
async function chosen(field) {
  const found = [...field.files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
  field.value = "";
  return found;
}

/** Return the files of what was dropped, those of folders with their way; names that begin with a dot are left out. */
async function within(entries, files) {
  if (!entries.length) return [...files].map((file) => ({ file, name: file.name }));
  const found = [];
  const walk = async (entry) => {
    if (entry.name.startsWith(".")) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      found.push({ file, name: entry.fullPath.replace(/^\//, "") });
      return;
    }
    const reader = entry.createReader();
    const next = () => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    for (let some = await next(); some.length; some = await next()) for (const one of some) await walk(one);
  };
  for (const entry of entries) await walk(entry);
  return found;
}

/** Return files as what goes into one request each. */
function parts(files) {
  const found = [];
  let size = 0;
  for (const one of files) {
    if (!found.length || size + one.file.size > MOST || found.at(-1).length === FILES) {
      found.push([]);
      size = 0;
    }
    found.at(-1).push(one);
    size += one.file.size;
  }
  return found;
}

/** Send some files and follow their job to its end, in a line of the list. */
async function sent(files, corpus, jobs, loaded, signal) {
  const title = files.length === 1 ? files[0].name : `${counted(files.length, "file")}, ${files[0].name} …`;
  const bar = h("progress", { "aria-label": title, max: "1", value: "0" });
  const said = h("span", { class: "note", role: "status" }, "sending …");
  const line = h("li", {}, h("b", {}, title), " ", said, bar);
  jobs.prepend(line);
  const form = new FormData();
  for (const { file, name } of files) form.append("files", file, name);
  try {
    let job = await send(["files"], { corpus }, form, (part) => (bar.value = part));
    const stop = h("button", { type: "button", click: () => remove(["jobs", job.id]).catch(() => null) }, "Stop");
    line.append(stop);
    while (!ENDED.has(job.state)) {
      tell(job, files.length, said, bar);
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      job = await get(["jobs", job.id], {}, signal);
    }
    stop.remove();
    bar.remove();
    line.append(h("p", {}, ended(job)));
    said.textContent = "";
    say(`${title}: ${job.state}`);
    loaded();
  } catch (error) {
    if (error.name === "AbortError") return;
    line.replaceChildren(
      h("b", {}, title),
      failure(error, () => {
        line.remove();
        sent(files, corpus, jobs, loaded, signal);
      }),
    );
  }
}

function tell(job, files, said, bar) {
  const steps = Object.entries(job.progress).filter(([, count]) => count);
  const told = steps.map(([stage, count]) => `${number(count)} ${STAGES[stage] ?? stage}`);
  said.textContent = job.state === "queued" ? "waits for its turn …" : told.join(" · ") || "reading …";
  if (job.progress.read) bar.value = Math.min(1, job.progress.read / files);
  else bar.removeAttribute("value");
}

/** Return what became of a job in a sentence. */
function ended(job) {
  if (job.state !== "done" || !job.report) return job.error ? `Failed: ${job.error}.` : `It was ${job.state}.`;
  const { documents, triplets } = job.report;
  const left = Object.entries({ ...documents.rejected, ...documents.failed });
  return [
    `${counted(documents.stored, "document")} stored`,
    documents.unchanged ? `, ${number(documents.unchanged)} were there already` : "",
    `; ${counted(triplets.kept, "fact")} read`,
    job.progress.questions ? `; ${counted(job.progress.questions, "new question")}` : "",
    left.length
      ? `. Not stored: ${left.map(([reason, count]) => `${number(count)} × ${reasonOf(reason)[0].toLowerCase()}`).join(", ")}`
      : "",
    ".",
  ].join("");
}
