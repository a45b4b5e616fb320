import { post } from "../api.js";
import { empty, h } from "../dom.js";
import { failure } from "../failure.js";
import { places, rendered } from "../markdown.js";
import { go, href } from "../place.js";

export const title = "Ask";
export const wantsCorpus = true;

/** Answer a question from the documents, with the sentences that say so. */
export async function show(place, signal) {
  const form = asking(place);
  if (!place.question) {
    return [form, empty("Ask about your documents: the answer comes with the sentences that it was read from.")];
  }
  const shown = h(
    "section",
    { "aria-label": "Answer", "aria-busy": "true" },
    h("p", { class: "note" }, "reading the best passages …"),
  );
  answer(place, shown, signal).catch(() => null);
  return [form, shown];
}

function asking({ corpus, question }) {
  const submit = (event) => {
    event.preventDefault();
    go("ask", { corpus, question: new FormData(event.target).get("question").trim() });
  };
  const field = { id: "question", name: "question", type: "search", value: question, required: true };
  return h(
    "form",
    { class: "controls", role: "search", submit },
    h("label", { class: "wide" }, "Question ", h("input", { ...field, maxlength: 1000, autocomplete: "off" })),
    h("button", { type: "submit", class: "first" }, "Ask"),
  );
}

async function answer(place, shown, signal) {
  try {
    const found = await post(["ask"], { question: place.question, corpus: place.corpus }, signal);
    if (!found.answer) {
      shown.replaceChildren(empty("Not in these documents, as far as they were understood."));
    } else {
      shown.replaceChildren(
        h("p", { class: "answer" }, h("span", { class: "note" }, "Answer "), found.answer),
        h("h2", {}, found.evidence.length > 1 ? "The sentences that lead to it" : "The sentence that says so"),
        h(
          "ol",
          { class: "facts" },
          found.evidence.map((one) => evidence(one, found.answer, place.corpus)),
        ),
      );
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    shown.replaceChildren(failure(error, () => answer(place, shown, signal)));
  } finally {
    shown.removeAttribute("aria-busy");
  }
}

function evidence(one, answered, corpus) {
  const text = rendered(one.sentence, places(one.sentence, [answered]));
  const link = { href: href("document", { corpus, key: one.document, chunk: one.chunk }) };
  const where = [one.section, one.page && `page ${one.page}`, one.source].filter(Boolean).join(" · ");
  return h(
    "li",
    {},
    h("blockquote", {}, text),
    h("p", { class: "note" }, h("a", link, one.title || one.source), ` · ${where}`),
  );
}
