"""The page in a headless Chromium, on the demo corpus: every view, by keyboard, in the dark, at 360 px, with hostile texts."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.review import ReviewDecision, review
from tests.e2e.page_service import CLASHES, DEMO, EVIL, HOSTILE, OWN, VIEWS, WAIT, Opened, chromium, serving, submitted

pytest.importorskip("playwright.sync_api", reason="the page is tested with Playwright: make install")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect


@pytest.fixture(scope="module")
def service(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(graph, tmp_path_factory.mktemp("page")) as base:
        yield base


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def opened(browser: Browser, service: str) -> Iterator[Callable[..., Opened]]:
    """Open a page with a key; what it says on the console and throws is a fault in every test."""
    contexts: list[BrowserContext] = []
    pages: list[Opened] = []

    def open_page(key: str = OWN["curator"], **known: Any) -> Opened:
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | known))
        contexts.append(context)
        if key:
            context.add_init_script(f"location.host && sessionStorage.setItem('kgservice key', {key!r})")
        one = Opened(context.new_page(), service)
        one.page.set_default_timeout(WAIT)
        one.page.on("pageerror", lambda error: one.faults.append(str(error)))
        one.page.on(
            "console",
            lambda said: (
                said.type == "error"
                and "status of 4" not in said.text
                and "status of 5" not in said.text
                and one.faults.append(said.text)
            ),
        )
        one.page.on("request", lambda request: one.hosts.add(urlsplit(request.url).hostname or ""))
        pages.append(one)
        return one

    yield open_page
    assert [one.faults for one in pages] == [[] for _ in pages]
    assert set.union(*(one.hosts for one in pages)) <= {"127.0.0.1", ""}
    for context in contexts:
        context.close()


NO_DATABASE = """if (location.host) {
  const real = window.fetch;
  const problem = JSON.stringify({ status: 503, detail: "the database does not answer: try again" });
  const headers = { "Content-Type": "application/problem+json", "Retry-After": "5" };
  window.fetch = (address, ...rest) =>
    String(address).endsWith("/health") && sessionStorage.getItem("database") === null
      ? Promise.resolve(new Response(problem, { status: 503, headers }))
      : real(address, ...rest);
}"""
NARROW = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}


@pytest.mark.parametrize("known", [{"color_scheme": "light"}, NARROW], ids=["light and wide", "dark and narrow"])
def test_every_view_is_accessible_and_fits(opened: Callable[..., Opened], known: dict[str, Any]) -> None:
    one = opened(OWN["admin"], **known)
    for view, told in VIEWS.items():
        page = one.at(view, **told)
        expect(page.locator("main .failure, main .empty")).to_have_count(0)
        found = Axe().run(page)
        assert found.violations_count == 0, f"{view}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        clashes = page.evaluate(CLASHES)
        assert clashes == [], view


def test_the_overview_counts_what_the_graph_holds(opened: Callable[..., Opened], graph: Graph) -> None:
    page = opened().at("overview")
    totals = graph.totals(DEMO)
    shown = dict(
        zip(page.locator(".totals dt").all_inner_texts(), page.locator(".totals dd").all_inner_texts(), strict=True)
    )
    assert shown["documents"] == f"{totals.documents}"
    assert shown["facts"] == f"{totals.facts:,}"
    assert shown["active questions"] == f"{question_store.active(graph, DEMO):,}"
    assert page.locator(".left").is_hidden()  # nothing is known of loads that another data folder did
    rows = page.get_by_role("list", name="Documents").get_by_role("listitem")
    expect(rows).to_have_count(20)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(totals.documents)
    expect(rows.nth(20).get_by_role("link")).to_be_focused()


def test_a_reader_of_a_released_corpus_is_told_no_number_of_questions(opened: Callable[..., Opened]) -> None:
    page = opened(OWN["reader"]).at("overview")
    assert page.locator(".totals dt").all_inner_texts() == ["documents", "passages"]


def test_the_graph_is_drawn_and_read(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("overview")
    canvas = page.locator(".canvas")
    expect(canvas).to_have_attribute("data-state", "ready")
    expect(page.locator("main > .graph > .note")).to_contain_text(re.compile(r"^\d+ things and \d+ links between them"))
    expect(page.get_by_role("list", name="Types, shown or hidden").get_by_role("button").first).to_be_visible()
    assert coloured(page) > 3  # dots in the colours of several types
    hubs = page.locator(".read li")
    expect(hubs).to_have_count(12)
    name = hubs.nth(1).get_by_role("button").inner_text().strip()
    hubs.nth(1).get_by_role("button").press("Enter")
    panel = page.get_by_role("region", name="The chosen thing")
    expect(panel.get_by_role("heading", level=3)).to_have_text(name)
    expect(panel).to_be_focused()
    expect(panel.locator("q").first).to_be_visible()
    page.wait_for_timeout(800)  # the picture has come to the thing
    box = canvas.bounding_box()
    assert box
    page.mouse.click(*beside_all_things(page, {**box}))
    expect(panel.get_by_role("heading", level=3)).to_have_text("Best connected")
    page.wait_for_timeout(600)  # two clicks are not meant as one double click
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # on the thing in the middle
    expect(panel.get_by_role("heading", level=3)).to_have_text(name)
    panel.get_by_role("link", name=re.compile("All .* facts|Open its page")).click()
    expect(page.get_by_role("heading", level=2, name=name)).to_be_visible()
    assert page.locator("canvas").count() == 0


def beside_all_things(page: Page, box: dict[str, float]) -> tuple[float, float]:
    """A point of the canvas, near its edge, at which the pointer is over nothing."""
    for at in range(30, int(box["width"]) - 30, 40):
        x, y = box["x"] + at, box["y"] + box["height"] - 30
        page.mouse.move(x, y)
        page.wait_for_timeout(50)
        if "over" not in (page.locator(".canvas").get_attribute("class") or "").split():
            return x, y
    raise AssertionError("there is a thing at every point of the lower edge")


def coloured(page: Page) -> int:
    """How many of the colours of types are in the legend."""
    dots = page.locator(".legend .dot")
    return len({dots.nth(at).evaluate("one => getComputedStyle(one).backgroundColor") for at in range(dots.count())})


def test_the_graph_is_moved_by_keyboard_and_types_are_switched(opened: Callable[..., Opened]) -> None:
    page = opened().at("overview")
    canvas = page.locator(".canvas")
    expect(canvas).to_have_attribute("data-state", "ready")
    before = drawn(page)
    canvas.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)
    moved = drawn(page)
    page.keyboard.press("+")
    page.wait_for_timeout(500)
    near = drawn(page)
    page.get_by_role("button", name="Zoom out").click()
    page.wait_for_timeout(500)
    away = drawn(page)
    page.get_by_role("button", name="Show all").click()
    page.wait_for_timeout(500)
    assert len({before, moved, near, away}) == 4
    page.mouse.move(400, 400)
    page.mouse.wheel(0, 300)  # the picture is not held: the page scrolls
    page.wait_for_timeout(500)
    assert page.evaluate("scrollY") > 100
    page.evaluate("scrollTo(0, 0)")
    kind = page.locator(".legend button").first
    kind.click()
    expect(kind).to_have_attribute("aria-pressed", "false")
    page.wait_for_timeout(300)
    assert drawn(page) not in (before, moved, near)
    page.locator("#choose-things").select_option("100")
    expect(page.locator("main > .graph > .note")).to_contain_text(re.compile(r"^(\d\d|100) things"))
    expect(page.locator("#choose-things")).to_have_value("100")


def drawn(page: Page) -> bytes:
    return page.locator(".canvas").screenshot()


def test_good_questions_have_their_picture_and_lead_to_their_evidence(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("overview")
    cards = page.locator(".cards > li")
    assert cards.count() >= 2
    for card in cards.all():
        assert card.locator(".answer").inner_text().startswith("Answer")
        assert card.locator(".graph .node.asked, .graph .node[class*=asked]").count() >= 1
    question = cards.first.get_by_role("heading", level=3).inner_text()
    cards.first.get_by_role("heading", level=3).get_by_role("link").click()
    expect(page.get_by_role("heading", level=2, name=question)).to_be_visible()
    page = one.at("overview")
    page.get_by_label("Question", exact=True).fill("Who is the mayor of Port Ambrel?")
    page.keyboard.press("Enter")
    expect(page.locator("main h1")).to_have_text("Ask")  # until then the cards' answers are there, which are several
    expect(page.locator(".answer")).to_have_text("Answer Gareth Ollivane")


def test_files_are_dropped_and_become_facts(opened: Callable[..., Opened], graph: Graph) -> None:
    page = opened().at("overview", corpus=HOSTILE)
    before = graph.totals(HOSTILE).documents
    text = "# Tessaly Mills\n\nAda Corvane is the chief executive of Tessaly Mills Inc. Perhaps it will be sold."
    given = [
        {"name": "mills.md", "mimeType": "text/markdown", "buffer": text.encode()},
        {"name": f"{EVIL.replace('/', '')}.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n"},
    ]
    page.get_by_label("Choose files", exact=True).first.set_input_files(given)
    line = page.get_by_role("list", name="Uploads").get_by_role("listitem").first
    expect(line).to_contain_text("1 document stored", timeout=90_000)
    expect(line).to_contain_text("1 × format not read")
    expect(page.locator(".left")).to_contain_text("onerror")
    expect(page.locator(".left .reasons, .left .plain").first).to_be_visible()
    expect(page.locator(".totals dd").first).to_have_text(str(before + 1))
    assert graph.totals(HOSTILE).documents == before + 1
    assert page.title().endswith("· kgservice")
    assert page.locator("main img, main script").count() == 0


def test_documents_are_asked_for_only_where_the_key_may_add_them(opened: Callable[..., Opened]) -> None:
    for role, offered in (("reader", 0), ("curator", 1)):
        page = opened(key=OWN[role]).at("overview", corpus=HOSTILE)
        expect(page.get_by_role("heading", name="Add documents")).to_have_count(offered)
        expect(page.locator(".drop")).to_have_count(offered)


def test_without_webgl_the_list_tells_the_same(browser: Browser, service: str, opened: Callable[..., Opened]) -> None:
    one = opened()
    one.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page = one.at("overview")
    expect(page.locator(".canvas")).to_contain_text("draws no WebGL")
    expect(page.locator(".read li")).to_have_count(12)


def test_an_entity_is_found_and_walked_by_keyboard(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("overview")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_be_focused()
    page.get_by_role("navigation").get_by_role("link", name="Entities").press("Enter")
    expect(page.get_by_role("heading", level=1, name="Entities")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("port amb")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Named “port amb”")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Port Ambrel", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Port Ambrel", level=2)).to_be_visible()
    drawing = page.get_by_role("group", name="Neighbourhood of Port Ambrel")
    expect(drawing.locator(".node").first).to_be_visible()
    assert drawing.locator("svg path.edge").count() == drawing.locator(".node").count() - 1
    drawing.get_by_role("link").first.focus()
    for _ in range(drawing.get_by_role("link").count() - 1):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('.graph .node')")
    target = page.evaluate("document.activeElement.querySelector('.name').textContent")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=target, level=2)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Port Ambrel", level=2)).to_be_visible()


def test_a_hub_is_bounded_and_says_so(opened: Callable[..., Opened]) -> None:
    page = opened().at("entity", corpus=HOSTILE, name="Hub")
    expect(page.locator(".graph .node")).to_have_count(11)
    expect(page.get_by_text("10 facts drawn, 30 more.")).to_be_visible()
    page.get_by_label("Draw").select_option("30")
    expect(page.locator(".graph .node")).to_have_count(31)
    assert page.evaluate(CLASHES) == []


def test_a_subgraph_shows_what_is_named_bridging_and_asked(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("subgraphs", pattern="chain", asked="last")
    roles = page.locator(".graph .node .role").all_inner_texts()
    assert roles == ["named", "bridge", "asked"]
    asked = page.locator(".graph .node.asked .name").inner_text()
    expect(page.locator(".answer")).to_contain_text(asked)
    page.get_by_role("button", name="Count").click()
    expect(page.get_by_text(re.compile(r"^\d+ subgraphs$"))).to_be_visible()
    page.locator(".line").nth(3).click()
    expect(page.locator(".line").nth(3)).to_have_attribute("aria-pressed", "true")
    one.settled()
    title = page.locator(".detail .answer").inner_text()
    page.reload()
    one.settled()
    assert page.locator(".detail .answer").inner_text() == title
    page.get_by_label("Relation").fill("no such relation")
    page.get_by_role("button", name="List").click()
    expect(page.get_by_text("No relation 'no such relation'")).to_be_visible()


def test_a_question_shows_its_sentences_marked_in_their_chunks(opened: Callable[..., Opened], graph: Graph) -> None:
    one = opened()
    question = next(
        item for item in question_store.questions(graph, DEMO, pattern="star", state="active") if len(item.facts) == 2
    )
    page = one.at("questions", pattern="star", id=question.id)
    expect(page.get_by_role("heading", level=2, name=question.question)).to_be_visible()
    assert page.locator(".detail .answer").inner_text().endswith(", ".join(question.answers))
    marked = [re.sub(r"^\d+", "", text) for text in page.locator("mark").all_inner_texts()]
    sentences = {source.sentence for fact in question.facts for source in fact.statements}
    assert sentences <= {text.strip() for text in marked}
    page.get_by_label("State").focus()
    page.get_by_label("State").select_option("retired")
    expect(page.locator(".state")).to_contain_text("retired")
    expect(page.get_by_label("State")).to_be_focused()


def test_a_statement_that_may_be_misread_says_its_confidence(opened: Callable[..., Opened], graph: Graph) -> None:
    one = opened()
    page = one.at("entity", corpus=HOSTILE, name="Orlo")
    expect(page.locator("blockquote .note")).to_have_text(" · confidence .83")
    found = question_store.questions(graph, HOSTILE, pattern="single")
    unsure = next(item for item in found if "Orlo" in (item.facts[0].subject, item.facts[0].object))
    page = one.at("questions", corpus=HOSTILE, state="any", id=unsure.id)
    expect(page.locator(".passage .note")).to_contain_text("fact 1: confidence .83")
    page = one.at("entity", name="Port Ambrel")
    expect(page.locator("blockquote")).not_to_have_count(0)
    expect(page.locator("blockquote .note")).to_have_count(0)


def test_questions_are_kept_edited_and_dropped_by_keys(opened: Callable[..., Opened], graph: Graph) -> None:
    one = opened()
    page = one.at("questions", pattern="single", sort="key")
    titles = page.locator(".line .title")
    before = titles.all_inner_texts()
    heading = page.locator(".detail h2")
    expect(heading).to_have_text(before[0])
    page.keyboard.press("j")
    expect(heading).to_have_text(before[1])
    page.keyboard.press("u")
    expect(heading).to_have_text(before[0])
    one.hold("/review?")
    page.keyboard.press("k")
    one.held()
    page.keyboard.press("j")  # before the service has answered
    expect(heading).to_have_text(before[1])
    one.let_go()
    expect(page.locator(".line").first).to_contain_text("kept")
    expect(heading).to_have_text(before[1])
    page.keyboard.press("d")
    page.get_by_label("Why").fill(f"dull {EVIL}")
    page.keyboard.press("Enter")
    expect(page.locator(".decided")).to_contain_text("Dropped by any curator")
    expect(page.locator(".detail .state")).to_contain_text("not asked")
    page.keyboard.press("j")
    expect(heading).to_have_text(before[2])
    page.keyboard.press("e")
    page.get_by_label("Words").last.fill("Which one is it, then?")
    page.get_by_role("button", name="Save").click()
    expect(heading).to_have_text("Which one is it, then?")
    expect(page.locator(".decided")).to_contain_text(f"it was: {before[2]}")
    decided = {item.metadata.get("review"): item for item in question_store.questions(graph, DEMO, pattern="single")}
    assert {"keep", "drop", "edit"} <= set(decided)
    assert (decided["drop"].state, decided["edit"].state) == ("rejected", "active")
    page.get_by_role("button", name="Undo").click()
    expect(heading).to_have_text(before[2])
    page = one.at("questions", state="any", decided="drop")
    expect(titles).to_have_count(1)
    expect(page.locator(".decided")).to_contain_text(f"dull {EVIL}")
    assert page.title().endswith("· kgservice")
    for item in (decided["keep"], decided["drop"]):
        review(graph, DEMO, item.id, ReviewDecision(decision="clear", by="test"))


def test_questions_are_searched_by_words_documents_and_things_and_exported(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("entity", name="Port Ambrel")
    page.get_by_role("link", name="Questions about it").click()
    expect(page.get_by_text("Only questions about one thing.")).to_be_visible()
    lines = page.locator(".line")
    assert lines.count() > 0
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("Only questions about one thing.")).to_have_count(0)
    page.get_by_label("Words").fill("mayor")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Words")).to_have_value("mayor")
    page.wait_for_url(re.compile("text=mayor"))
    one.settled()
    titles = page.locator(".line .title")
    expect(titles.first).to_contain_text(re.compile("mayor", re.IGNORECASE))  # the list of before may still stand
    for text in titles.all_inner_texts()[:5]:
        assert "mayor" in text.lower()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export CSV").click()
    rows = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8").splitlines()))
    assert saved.value.suggested_filename == f"{DEMO}-questions.csv"
    assert len(rows) >= lines.count() > 0
    assert all("mayor" in f"{row['question']} {row['answers']}".lower() and row["sentences"] for row in rows)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export JSONL").click()
    items = [json.loads(line) for line in saved.value.path().read_text(encoding="utf-8").splitlines()]
    assert [item["id"] for item in items] == [row["id"] for row in rows]


def test_questions_are_chosen_by_difficulty(opened: Callable[..., Opened]) -> None:
    page = opened().at("questions")
    page.get_by_label("Difficulty").select_option("one")
    expect(page).to_have_url(re.compile("difficulty=one"))
    expect(page.locator(".line .note", has_text="star")).to_have_count(0)
    expect(page.locator(".line").first).to_be_visible()
    page.get_by_label("Difficulty").select_option("more")
    expect(page.locator(".empty")).to_contain_text("No question fits")


def test_to_leave_a_view_while_it_reads_evidence_is_no_fault(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("questions")
    one.hold("/chunks?")  # never answered
    page.locator(".line").nth(1).click()
    one.held()
    page.get_by_label("Difficulty").select_option("one")
    expect(page).to_have_url(re.compile("difficulty=one"))
    expect(page.locator(".detail h2")).to_be_visible()


def test_a_curator_runs_cypher_and_nobody_writes(opened: Callable[..., Opened], graph: Graph) -> None:
    page = opened().at("cypher")
    statement = page.get_by_label("Statement")
    expect(statement).to_have_value(re.compile(DEMO))
    statement.fill(
        f"MATCH (d:Document {{corpus: '{DEMO}'}}) RETURN d AS document, 54321.75 AS number ORDER BY d.key LIMIT 2"
    )
    page.get_by_role("button", name="Run").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody td").first).to_have_text("54321.75")
    before = graph.totals(DEMO)
    statement.fill("MATCH (n:Document) DETACH DELETE n")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(".failure")).to_contain_text("Only reading statements run here")
    assert graph.totals(DEMO) == before
    statement.fill(f"MATCH path = (:Document {{corpus: '{DEMO}'}})<-[:PART_OF]-(:Chunk) RETURN path LIMIT 1")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("tbody th").first).to_contain_text("← PART_OF —")
    page.get_by_label("Begin with").select_option("conflicts")
    expect(page).to_have_url(re.compile("picture=conflicts"))
    reader = opened(OWN["reader"]).at("cypher")
    expect(reader.locator(".empty")).to_contain_text("This needs a key of role curator")
    expect(reader.get_by_label("Statement")).to_have_count(0)


def test_on_a_phone_the_chosen_question_stands_above_the_list(opened: Callable[..., Opened]) -> None:
    page = opened(viewport={"width": 360, "height": 740}).at("questions")
    detail, rows = page.locator(".detail").bounding_box(), page.locator(".beside .rows").bounding_box()
    assert detail and rows
    assert detail["y"] + detail["height"] <= rows["y"]
    page.locator(".line").nth(1).click()
    expect(page.locator(".detail h2")).to_be_in_viewport()


def test_passages_are_shown_as_people_read_them(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("overview")
    page.get_by_role("list", name="Documents").get_by_role("link").first.click()
    expect(page.locator(".text .heading").first).to_be_visible()
    for text in page.locator(".text").all_inner_texts():
        assert "##" not in text
        assert "**" not in text
    page = one.at("questions", pattern="star")
    page.get_by_role("button", name="Show the whole passage").first.click()
    expect(page.get_by_role("button", name="Show less of it").first).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".passage mark").first).to_be_visible()
    cut = "one => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible'"
    assert not [at for at in page.locator(".passage .text").all() if at.evaluate(cut)]


def test_a_question_is_answered_with_its_sentence(opened: Callable[..., Opened]) -> None:
    one = opened(key=OWN["reader"])
    page = one.at("ask")
    page.get_by_label("Question").fill("Who is the mayor of Port Ambrel?")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer")).to_have_text("Answer Gareth Ollivane")
    expect(page.locator("blockquote mark").last).to_have_text("Gareth Ollivane")
    page.locator(".facts a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Document")
    one.at("ask", question="Which river flows through Atlantis?")
    expect(page.locator(".empty")).to_contain_text("Not in these documents")


def test_two_retrievers_side_by_side(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("retrieval")
    page.get_by_label("Question").fill("Who is the mayor of Port Ambrel?")
    page.get_by_role("button", name="Search").click()
    one.settled()
    left, right = page.locator(".sides section").all()
    assert left.locator(".why dt").first.inner_text() == "words"
    assert {"pagerank", "cosine", "entities"} <= set(right.locator(".why dt").all_inner_texts())
    path = right.get_by_role("list", name="Path through the graph").first
    expect(path.locator("li").first).to_have_text(re.compile("query names 'port ambrel'", re.IGNORECASE))
    places = left.locator(".hit").filter(has_text=re.compile("graph has it at")).count()
    assert places == right.locator(".hit").filter(has_text=re.compile("bm25 has it at")).count() > 0


def test_releases_their_changes_and_the_leaderboard(opened: Callable[..., Opened]) -> None:
    one = opened(key=OWN["reader"])
    page = one.at("releases")
    expect(page.locator(".line .title")).to_have_text(["1.1.0", "1.0.0"])
    told = page.get_by_text(re.compile(r"^\d+ kept, \d+ added, \d+ retired\.$")).inner_text()
    diff = httpx.get(
        f"{one.base}/releases/1.1.0/diff", params={"since": "1.0.0"}, headers={"X-API-Key": OWN["reader"]}
    ).json()
    assert told == f"{diff['kept']} kept, {len(diff['added'])} added, {len(diff['retired'])} retired."
    page.get_by_text(re.compile("^Retired")).click()
    expect(page.locator(".changes tbody tr:visible")).to_have_count(len(diff["retired"]))
    with page.expect_download() as saved:
        page.get_by_role("button", name="public_questions.jsonl", exact=True).click()
    assert saved.value.suggested_filename == "public_questions.jsonl"
    expect(page.get_by_role("button", name="private/private_qa.jsonl")).to_have_count(0)
    page = one.at("leaderboard")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").nth(1)).to_contain_text("says Port Ambrel")
    expect(page.get_by_text(re.compile(r"^Total of 1\.\d\.0: the mean of retrieval and generation\.$"))).to_be_visible()
    page = one.at("leaderboard", last="2")
    expect(page.get_by_text("nothing is approved yet")).to_be_visible()


def test_an_admin_decides_about_a_submission(opened: Callable[..., Opened]) -> None:
    one = opened(OWN["admin"])
    submitted(one.base, "1.0.0", "Orlo")
    page = one.at("submissions")
    expect(page.locator(".line .title")).to_have_text(["says Orlo", "says Port Ambrel"])
    page.get_by_label("Reason").fill("measured by hand")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".line .note").first).to_contain_text("1.0.0 · approved")
    expect(page.get_by_role("row").filter(has_text="measured by hand")).to_contain_text("approved")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.locator(".line .note").first).to_contain_text("withdrawn")
    expect(page.get_by_role("button", name="Withdraw", exact=True)).to_have_count(0)


def test_a_reader_sees_no_private_answer_and_a_key_is_asked_for(opened: Callable[..., Opened]) -> None:
    one = opened(key="")
    page = one.at("questions")
    expect(page.get_by_role("alert")).to_contain_text("A key is needed")
    expect(page.get_by_role("alert")).to_contain_text("or “API key” at the top of the page, and paste yours")
    give(page, "wrong-key")
    expect(page.get_by_role("alert")).to_contain_text("A key is needed")
    give(page, OWN["reader"])
    expect(page.locator(".empty")).to_contain_text("whose answers are private")
    page.evaluate("location.hash = '#/subgraphs?corpus=test-page-demo'")
    expect(page.get_by_role("heading", level=1)).to_have_text("Subgraphs")
    expect(page.locator(".empty")).to_contain_text("whose answers are private")
    one.at("entity", name="Port Ambrel")
    expect(page.locator(".empty")).to_contain_text("whose answers are private")
    one.at("overview")
    expect(page.locator(".empty")).to_contain_text("whose answers are private")
    expect(page.locator(".totals")).to_contain_text("documents")
    expect(page.get_by_role("alert")).to_have_count(0)
    one.at("subgraphs", pattern="chain")
    expect(page.locator(".answer, .line")).to_have_count(0)
    give(page, OWN["curator"])
    expect(page.locator(".line").first).to_be_visible()
    assert page.evaluate("[Object.keys(localStorage).length, document.cookie, location.href.includes('key')]") == [
        0,
        "",
        False,
    ]
    page.get_by_role("button", name="API key: set").click()
    page.get_by_role("button", name="Forget the key").click()
    expect(page.get_by_role("alert")).to_contain_text("A key is needed")


def give(page: Page, key: str) -> None:
    page.get_by_role("button", name=re.compile("^API key")).click()
    page.get_by_label("Key", exact=True).fill(key)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")


def test_html_in_documents_never_runs(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.at("overview", corpus=HOSTILE)
    page.get_by_role("link", name=f"News {EVIL}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Document")
    expect(page.get_by_role("heading", level=2)).to_have_text(f"News {EVIL}")
    expect(page.locator(".text")).to_contain_text(EVIL)
    links = page.get_by_role("main").get_by_role("link").all_inner_texts()
    assert links == ["Questions that rest on it"]  # the address of the document is no link
    told: list[dict[str, str]] = [
        {"view": "entity", "name": f"Ada {EVIL}"}, {"view": "entity", "search": "ada"}, {"view": "subgraphs", "pattern": "single"},
        {"view": "questions", "state": "any"}, {"view": "retrieval", "query": f"who is mayor {EVIL}", "left": "bm25", "right": "hybrid"},
        {"view": "ask", "question": f"who is mayor {EVIL}"},
        {"view": "entity", "name": EVIL}, {"view": "document", "key": EVIL}, {"view": "overview", "corpus": EVIL},
    ]  # fmt: skip
    for place in told:
        page = one.at(place.pop("view"), **{"corpus": HOSTILE} | place)
        expect(page.get_by_role("main")).to_contain_text("onerror")
        assert page.title().endswith("· kgservice")
        assert page.locator("main img, main script, header img, header script").count() == 0


def test_trouble_is_said_with_what_to_do(opened: Callable[..., Opened]) -> None:
    one = opened()
    page = one.page
    page.context.add_init_script(NO_DATABASE)
    one.at("overview")
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer")
    page.evaluate("sessionStorage.setItem('database', 'answers')")
    page.get_by_role("button", name="Try again (in 5 s)").click()
    expect(page.locator(".totals")).to_be_visible()
    one.at("overview", corpus="nowhere")
    expect(page.get_by_role("alert")).to_contain_text("No corpus 'nowhere'")
    one.at("subgraphs", corpus=HOSTILE, pattern="star3")
    expect(page.locator(".empty")).to_contain_text("kgservice load")
    one.at("releases", corpus=HOSTILE)
    expect(page.locator(".empty")).to_contain_text(f"kgservice release create -c {HOSTILE}")
