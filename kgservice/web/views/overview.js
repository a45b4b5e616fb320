import { get, once } from "../api.js";
import { empty, h } from "../dom.js";
import { answered, drawing, rolesIn } from "../evidence.js";
import { failure } from "../failure.js";
import { holdings } from "../holdings.js";
import { picture } from "../picture.js";
import { go, href } from "../place.js";
import { unread } from "../unread.js";
import { dropZone } from "../upload.js";
import { patternOf } from "../words.js";

export const title = "Overview";

const THINGS = 300; // of the picture, to begin with
const QUESTIONS = 5;

/** Show a corpus at a glance: ask it, see its graph, good questions, add documents, what was not read, what it holds. */
export async function show({ corpus }, signal) {
  const [health, corpora] = await Promise.all([get(["health"], {}, signal), once(["corpora"])]);
  const here = corpora.items.find((item) => item.corpus === corpus);
  if (!here && corpora.items.length) await get(["documents"], { corpus, limit: 1 }, signal); // says which there are
  const parts = new Parts(corpus, signal);
  const mayAdd = health.counts.facts !== null; // it is null for who is no curator
  const zone =
    mayAdd &&
    h(
      "section",
      {},
      h("h2", {}, "Add documents"),
      dropZone(corpus, () => parts.fill(), signal),
    );
  if (!here) {
    const first = mayAdd
      ? empty("The graph is empty. Drop documents of your own below, or load the demo:", "kgservice demo")
      : empty("The graph is empty. To add documents takes a key of role curator.");
    return [first, zone];
  }
  await parts.fill(health);
  const { graph, questions, left, held } = parts.places;
  return [asking(corpus), graph, questions, zone, left, held];
}

function asking(corpus) {
  const submit = (event) => {
    event.preventDefault();
    go("ask", { corpus, question: new FormData(event.target).get("question").trim() });
  };
  const field = { id: "question", name: "question", type: "search", required: true, maxlength: 1000 };
  return h(
    "form",
    { class: "controls ask", role: "search", submit },
    h(
      "label",
      { class: "wide" },
      h("span", { class: "unseen" }, "Question "),
      h("input", { ...field, autocomplete: "off", placeholder: `Ask the documents of ${corpus}` }),
    ),
    h("button", { type: "submit", class: "first" }, "Ask"),
  );
}

/** The parts of the view that follow the corpus: filled anew when documents have come. */
class Parts {
  constructor(corpus, signal) {
    this.corpus = corpus;
    this.signal = signal;
    this.things = THINGS;
    this.places = Object.fromEntries(
      ["graph", "questions", "left", "held"].map((name) => [name, h("section", { class: name })]),
    );
  }

  async fill(health = null) {
    const { corpus, signal } = this;
    this.refused = false;
    const state = health ?? (await get(["health"], {}, signal));
    await this.put("graph", "The graph", () => this.drawn());
    await Promise.all([
      this.put("questions", "Good questions", () => best(corpus, signal)),
      this.put("left", "What was not read, and why", async () =>
        unread((await get(["loads"], { corpus }, signal)).items),
      ),
      this.put("held", null, () => holdings(corpus, state, signal)),
    ]);
  }

  /** Draw so many things; another number draws anew. */
  drawn() {
    this.drawing?.abort();
    this.drawing = new AbortController();
    const ended = AbortSignal.any([this.signal, this.drawing.signal]);
    const again = (limit) => {
      this.things = limit;
      return this.put("graph", "The graph", () => this.drawn());
    };
    return Promise.all([picture(this.corpus, this.things, again, ended), inBrowser(this.corpus, ended)]);
  }

  /** Fill a part; what its key may not see is said once, and an empty part is not there. */
  async put(name, heading, work) {
    const place = this.places[name];
    place.setAttribute("aria-busy", "true");
    try {
      const content = await work();
      place.hidden = !content;
      place.replaceChildren(...[heading && h("h2", {}, heading), content].flat(Infinity).filter(Boolean));
    } catch (error) {
      if (error.name === "AbortError") return;
      place.hidden = error.status === 403 && this.refused;
      this.refused ||= error.status === 403;
      place.replaceChildren(place.hidden ? "" : failure(error, () => this.put(name, heading, work)));
    } finally {
      place.removeAttribute("aria-busy");
    }
  }
}

/** Return the link to the same graph in Neo4j Browser, nothing where the key may not or its address is not known. */
async function inBrowser(corpus, signal) {
  const { url } = await get(["browser"], { corpus }, signal).catch((error) => {
    if (error.name === "AbortError") throw error;
    return {};
  });
  return (
    url && h("p", {}, h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "Open in Neo4j Browser"))
  );
}

/** Return a few good questions with their answers and pictures. */
async function best(corpus, signal) {
  const { items } = await get(["questions", "best"], { corpus, limit: QUESTIONS }, signal);
  if (!items.length)
    return [empty("No question with exactly one answer yet. Add documents, or see below what was not read.")];
  return [
    h(
      "ul",
      { class: "cards" },
      items.map((item) => h("li", {}, card(item, corpus))),
    ),
    h("p", {}, h("a", { href: href("questions", { corpus }) }, "All questions")),
  ];
}

function card(item, corpus) {
  return [
    h("h3", {}, h("a", { href: href("questions", { corpus, id: item.id }) }, item.question)),
    answered(item.answers),
    h("p", { class: "note" }, patternOf(item.pattern)),
    ...drawing(`Facts of: ${item.question}`, item.facts, rolesIn(item), corpus),
  ];
}
