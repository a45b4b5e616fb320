// Which view is shown: the address after # says it, so that every view can be linked to and the back button works.

import * as api from "./api.js";
import { empty, h, say } from "./dom.js";
import { failure } from "./failure.js";
import { href } from "./place.js";
import * as ask from "./views/ask.js";
import * as cypher from "./views/cypher.js";
import * as documentView from "./views/document.js";
import * as entity from "./views/entity.js";
import * as leaderboard from "./views/leaderboard.js";
import * as overview from "./views/overview.js";
import * as questions from "./views/questions.js";
import * as releases from "./views/releases.js";
import * as retrieval from "./views/retrieval.js";
import * as subgraphs from "./views/subgraphs.js";
import * as submissions from "./views/submissions.js";

const VIEWS = {
  overview,
  ask,
  entity,
  subgraphs,
  questions,
  retrieval,
  releases,
  submissions,
  leaderboard,
  cypher,
  document: documentView,
};
const main = document.getElementById("main");
const corpora = document.getElementById("corpus");
let leaving = new AbortController();
let before = null;

/** Return where the address leads: a view, a corpus and what else the view is told. */
function read() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const told = Object.fromEntries(new URLSearchParams(query));
  return { view: Object.hasOwn(VIEWS, path) ? path : "overview", ...told };
}

async function show() {
  const place = read();
  const focused = document.activeElement?.id;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  main.setAttribute("aria-busy", "true");
  if (before === null) main.replaceChildren(h("p", { class: "note" }, "Loading …"));
  const content = await built(place, signal);
  if (signal.aborted) return;
  main.replaceChildren(h("h1", { tabindex: "-1" }, VIEWS[place.view].title), ...[content].flat().filter(Boolean));
  main.removeAttribute("aria-busy");
  document.title = `${VIEWS[place.view].title} · kgservice`;
  mark(place);
  settle(place, focused);
}

/** Return a view's content, or what went wrong and what to do about it. */
async function built(place, signal) {
  try {
    if (place.view === "overview") api.forget(); // whoever looks at the counts wants those of now
    const { items } = await api.once(["corpora"]);
    choose(items, place);
    if (!items.length && VIEWS[place.view].wantsCorpus) {
      return [
        empty(
          "The graph is empty. Load the demo, or documents of your own:",
          "kgservice demo\nkgservice up papers/ -c mine",
        ),
      ];
    }
    return await VIEWS[place.view].show(place, signal);
  } catch (error) {
    if (error.name === "AbortError") return [];
    return failure(error, show, askKey);
  }
}

/** Fill in the corpus that is meant: the one of the address, the one chosen last, else the first. */
function choose(items, place) {
  const names = items.map((item) => item.corpus);
  const chosen = place.corpus ?? [corpora.value, names[0]].find((name) => names.includes(name));
  if (chosen && !names.includes(chosen)) names.push(chosen); // the view then says that it is not there
  corpora.replaceChildren(...names.map((name) => h("option", { value: name, selected: name === chosen }, name)));
  corpora.parentElement.hidden = !names.length;
  corpora.disabled = names.length < 2;
  place.corpus = chosen ?? "default";
}

function mark(place) {
  const views = Object.entries(VIEWS).filter(([name]) => name !== "document");
  document
    .getElementById("views")
    .replaceChildren(
      ...views.map(([name, view]) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: href(name, { corpus: place.corpus }), "aria-current": name === place.view ? "page" : null },
            view.title,
          ),
        ),
      ),
    );
  document.getElementById("key").textContent = api.key() ? "API key: set" : "API key";
}

/** Bring the focus to a new view's heading; within a view leave it on the control that was used. */
function settle(place, focused) {
  const same = before === place.view;
  const control = same && focused ? document.getElementById(focused) : null;
  if (control) control.focus();
  else if (before !== null) {
    main.querySelector("h1").focus({ preventScroll: true });
    if (!same) window.scrollTo(0, 0);
  }
  if (!same) say(VIEWS[place.view].title);
  before = place.view;
}

function askKey() {
  document.getElementById("key-value").value = "";
  document.getElementById("key-dialog").showModal();
}

document.getElementById("key").addEventListener("click", askKey);
document.getElementById("key-dialog").addEventListener("close", (event) => {
  const value = document.getElementById("key-value").value.trim();
  document.getElementById("key-value").value = "";
  const chosen = event.target.returnValue;
  if (chosen === "use" && value) api.useKey(value);
  else if (chosen === "forget") api.useKey("");
  else return;
  show();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.querySelector("h1")?.focus();
});
corpora.addEventListener("change", () => {
  const { view } = read();
  location.hash = href(view === "document" ? "overview" : view, { corpus: corpora.value });
});
window.addEventListener("hashchange", show);
show();
