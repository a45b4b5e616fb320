// What is told beside the picture of a corpus: its best connected things, or what is said about the chosen one.

import { get } from "./api.js";
import { counted, h, number, say } from "./dom.js";
import { confidence, triple } from "./evidence.js";
import { failure } from "./failure.js";
import { plain } from "./markdown.js";
import { href } from "./place.js";
import { kindOf } from "./words.js";

const LISTED = 12; // the best connected ones
const READ = 5; // facts that are read of a thing

export class Panel {
  /** `dot(thing)` is its colour, `choose(key, near)` chooses a thing, null for none; `near` brings it to the middle. */
  constructor(things, corpus, dot, choose, signal) {
    Object.assign(this, { things, corpus, dot, choose, signal });
    this.place = h("section", { class: "read", "aria-label": "The chosen thing", tabindex: "-1" });
    this.put(this.listed());
  }

  put(content) {
    this.place.replaceChildren(...[content].flat(Infinity).filter(Boolean));
  }

  /** Show what is said about a thing, null: the best connected ones; `moved` brings the focus there. */
  async show(key, moved) {
    this.chosen = key;
    if (key === null) {
      this.put(this.listed());
      return;
    }
    const thing = this.things.find((one) => one.key === key);
    this.place.setAttribute("aria-busy", "true");
    const told = await this.told(thing).catch((error) =>
      error.name === "AbortError" ? null : failure(error, () => this.show(key, moved)),
    );
    if (this.chosen !== key || !told) return;
    this.put(told);
    this.place.removeAttribute("aria-busy");
    if (moved) this.place.focus({ preventScroll: true });
    say(`${thing.label}, ${counted(thing.degree, "fact")}`);
  }

  listed() {
    const line = (thing) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "link", click: () => this.choose(thing.key, true) },
          this.dot(thing),
          thing.label,
        ),
        h("span", { class: "note" }, counted(thing.degree, "fact")),
      );
    return [h("h3", {}, "Best connected"), h("ul", { class: "plain" }, this.things.slice(0, LISTED).map(line))];
  }

  async told(thing) {
    const entity = await get(["entities", thing.key], { limit: READ, corpus: this.corpus }, this.signal);
    const kind = kindOf(thing.type ?? thing.group);
    const sentence = ([first]) =>
      first && [
        h("q", {}, plain(first.sentence, 300)),
        confidence(first) && h("span", { class: "note" }, confidence(first)),
      ];
    const link = entity.degree > entity.facts.length ? `All ${number(entity.degree)} facts` : "Open its page";
    return [
      h("h3", {}, this.dot(thing), thing.label),
      h("p", { class: "note" }, [kind, counted(thing.degree, "fact")].filter(Boolean).join(" · ")),
      h(
        "ul",
        { class: "plain said-of" },
        entity.facts.map((fact) => h("li", {}, h("p", {}, triple(fact, this.corpus)), sentence(fact.statements))),
      ),
      h(
        "p",
        { class: "actions" },
        h("a", { href: href("entity", { corpus: this.corpus, key: thing.key }) }, link),
        h("button", { type: "button", click: () => this.choose(null) }, "Back to the list"),
      ),
    ];
  }
}
