// What went wrong, in words that say what to do.

import { h } from "./dom.js";

const TITLES = {
  0: "The service does not answer",
  401: "A key is needed",
  404: "Not found",
  429: "Too many requests",
  503: "The database does not answer",
};

const TEXTS = { 401: "This service asks for a key, and none or a wrong one was given" };

const ADVICE = {
  0: "Is it running? Start it with `kgservice serve`, then try again.",
  401: "Press “Give a key”, or “API key” at the top of the page, and paste yours. Who runs the service makes keys.",
  503: "The service goes on by itself when the database is back.",
};

/** Return a message for an error; `again` repeats what failed, `askKey` asks for another key. */
export function failure(error, again, askKey = openKey) {
  // a fault of the page itself; who leaves a view ends its requests, which is none
  if (error.status === undefined && error.name !== "AbortError") console.error(error);
  const { status, wait } = error;
  if (status === 403) return refused(error, askKey);
  const title = TITLES[status] ?? "This did not work";
  const text =
    status === undefined
      ? "The page has a fault; its details are in the browser's console."
      : sentence(TEXTS[status] ?? error.message);
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("h2", {}, title),
    h("p", {}, text, " ", ADVICE[status] ?? ""),
    h(
      "p",
      { class: "actions" },
      status === 401 && h("button", { type: "button", class: "first", click: askKey }, "Give a key"),
      ![401, 404].includes(status) &&
        h("button", { type: "button", click: again }, wait ? `Try again (in ${wait} s)` : "Try again"),
    ),
  );
}

/** Return what a key may not see as a plain sentence: nothing has gone wrong. */
function refused(error, askKey) {
  return h(
    "div",
    { class: "empty", role: "status" },
    h("p", {}, sentence(error.message)),
    h("p", { class: "actions" }, h("button", { type: "button", click: askKey }, "Give another key")),
  );
}

function openKey() {
  document.getElementById("key").click();
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
