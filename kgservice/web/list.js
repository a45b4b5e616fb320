// A long list a page at a time, and a list beside the item that is chosen in it.

import { counted, h, say } from "./dom.js";
import { failure } from "./failure.js";
import { note } from "./place.js";

/** Return a list that is filled page by page; `fetch(after)` gives {items, next}, `row(item)` the content of a line.

`nothing` is shown for an empty list; `noun` names an item. */
export async function paged(label, noun, fetch, row, nothing) {
  const first = await fetch("");
  if (!first.items.length) return nothing;
  const list = h(
    "ul",
    { class: "rows", "aria-label": label },
    first.items.map((item) => h("li", {}, row(item))),
  );
  const shown = h("p", { class: "shown" });
  const more = h("button", { type: "button", click: onward }, "Show more");
  let { next } = first;
  const foot = h("div", { class: "foot" }, shown, more);

  async function onward() {
    more.disabled = true;
    try {
      const page = await fetch(next);
      next = page.next;
      const added = page.items.map((item) => h("li", {}, row(item)));
      list.append(...added);
      settle();
      say(`${counted(page.items.length, noun)} added`);
      added[0]?.querySelector("a, button")?.focus();
    } catch (error) {
      foot.replaceChildren(
        shown,
        failure(error, () => {
          foot.replaceChildren(shown, more);
          onward();
        }),
      );
    }
    more.disabled = false;
  }

  function settle() {
    shown.textContent = `${counted(list.children.length, noun)}${next ? " shown" : ""}`;
    more.hidden = !next;
  }
  settle();
  return h("div", { class: "paged" }, list, foot);
}

/** Return the list of a view beside the chosen item: `line(item)` is the content of a line's button, `detail(item, again)`
builds what is shown of it, `again` takes the item as it is after a change, also where another has been chosen since;
`chosen` is one to begin with, else the first is. A choice is noted in the address of the view, with what else it is `told`. */
export async function beside(view, told, noun, { fetch, line, detail, nothing, chosen = null }) {
  const pane = h("section", { class: "detail", "aria-label": `The chosen ${noun}`, tabindex: "-1" });
  const buttons = new Map();
  const items = new Map();
  let latest = 0;
  let current = null; // the id of the chosen one
  let first = null;
  let address = location.hash;

  async function choose(item, byHand) {
    const turn = (latest += 1);
    renew(item);
    current = item.id;
    for (const [id, button] of buttons) button.setAttribute("aria-pressed", String(id === item.id));
    pane.setAttribute("aria-busy", "true");
    const content = await built(item).catch((error) =>
      error.name === "AbortError" ? null : failure(error, () => choose(item, byHand)),
    );
    if (turn !== latest || content === null) return; // another is chosen, or the view is left
    const back = h(
      "button",
      { type: "button", class: "back", click: () => buttons.get(item.id)?.focus() },
      "Back to the list",
    );
    pane.replaceChildren(...[content].flat(Infinity).filter(Boolean), back);
    pane.removeAttribute("aria-busy");
    if (!byHand || location.hash !== address) return; // the address already leads elsewhere: it stays
    note(view, { ...told, id: item.id });
    address = location.hash;
    pane.focus({ preventScroll: true });
    pane.scrollIntoView({ block: "nearest" });
    if (pane.getBoundingClientRect().top < 0 || window.innerWidth < 900) pane.scrollIntoView();
  }

  function renew(item) {
    items.set(item.id, item);
    buttons.get(item.id)?.replaceChildren(...line(item));
  }

  const again = (changed) => (changed.id === current ? choose(changed, true) : renew(changed));
  const built = async (item) => detail(item, again);
  const list = await paged(
    `The ${noun}s`,
    noun,
    fetch,
    (item) => {
      first ??= item;
      const button = h(
        "button",
        {
          type: "button",
          class: "line",
          "aria-pressed": "false",
          click: () => choose(items.get(item.id) ?? item, true),
        },
        line(item),
      );
      buttons.set(item.id, button);
      return button;
    },
    nothing,
  );
  if (!first) return nothing;
  await choose(chosen ?? first, false);
  return h("div", { class: "beside" }, list, pane);
}
