"""release: create, list, close, openings, key, private, hub, diff."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AnyCorpus, AsJson, Corpus, echo, errors, graph, note, print_json, settings
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.settings import Settings
from kgservice.core.storage import owner_only
from kgservice.graph.store import Graph
from kgservice.leaderboard.baselines import Ours, follow
from kgservice.leaderboard.hub_folder import write_hub_folder
from kgservice.leaderboard.portal_judge import portal_judge
from kgservice.leaderboard.submissions import Submission, Submissions
from kgservice.releases.archive import LATEST, Archive, Manifest, new_key
from kgservice.releases.leaks import pages_of, release_traces
from kgservice.releases.openings import all_openings
from kgservice.releases.openings import opened as opened_answers
from kgservice.releases.release import PER_PATTERN, Change
from kgservice.releases.release import create as create_release
from kgservice.releases.release import diff as compared
from kgservice.text.near_names import did_you_mean
from kgservice.vectors.embedder import Embedder

release = typer.Typer(no_args_is_help=True, help="Versioned benchmarks: public questions, private answers.")

Out = Annotated[Path | None, typer.Option("--out", help="The folder of releases; not given: KGS_HOME/releases.")]
SHOWN = 10


def _archive(out: Path | None = None) -> Archive:
    """Return the releases of a folder, or those of KGS_HOME."""
    values = settings()
    return Archive(out or values.releases, values.release_key)


@release.command()
def create(
    corpus: Corpus = "default",
    per_pattern: Annotated[int, typer.Option(min=1, help="Most questions for each pattern.")] = PER_PATTERN,
    seed: Annotated[int, typer.Option(help="Seed of the draw; questions of the last release are kept.")] = 0,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Freeze the active questions of a corpus as the next version. A version is complete and never changes.

    Where no question and no passage has changed since the last version, that one stays the newest.
    """
    with graph() as (opened, values):
        archive = _archive(out)
        last = archive.latest(corpus)
        closed = Submissions(values.submissions).closed()
        made = create_release(opened, corpus, archive, per_pattern, seed, closed)
        if last is not None and last.version == made.version:
            note(f"nothing has changed since {made.version}: it stays the newest release")
        followed, failed = _followed(opened, values, archive, made) if out is None else ([], {})
        if as_json:
            print_json(made.model_dump(mode="json"))
        else:
            _print(made, archive.folder / made.version, followed)
        for name, why in failed.items():
            echo(f"kgservice: the baseline {name} is not measured on {made.version}: {why}", err=True)
        if failed:
            raise typer.Exit(1)


@release.command("list")
def list_releases(
    corpus: Annotated[str | None, typer.Option("--corpus", "-c", help="Only releases of this corpus.")] = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """List the releases, oldest first."""
    with errors():
        archive = _archive(out)
        found = archive.all(corpus)
        if corpus is not None and not found and (there := sorted({one.corpus for one in archive.all()})):
            near = did_you_mean(corpus, there)
            raise NotFound(f"no release of corpus {corpus!r}; there are releases of: {', '.join(there)}{near}")
        if not found and not as_json:
            note("no release yet: kgservice release create")
        for one in found:
            print_json(one.model_dump(mode="json")) if as_json else echo(_described(one))


@release.command()
def close(version: Annotated[str, typer.Argument(help="A version, such as 1.0.0.")], as_json: AsJson = False) -> None:
    """Close a release for good: it rejects submissions, and its leaderboard shows the private half."""
    with errors():
        one = _archive().get(version)
        Submissions(settings().submissions).close(one.version)
        print_json({"closed": one.version}) if as_json else echo(f"{one.version} is closed")


@release.command()
def hub(
    folder: Annotated[Path, typer.Argument(help="The folder to write.")],
    version: Annotated[str, typer.Option("--release", help="The release to write.")] = LATEST,
    corpus: AnyCorpus = None,
    as_json: AsJson = False,
) -> None:
    """Write the public files of a release and the leaderboards of its corpus as a repository for the Hugging Face Hub.

    Nothing is sent: `hf upload` takes the folder. results.json has the leaderboard of each release.
    """
    with errors():
        archive = Archive(settings().releases)  # without the key: private files stay closed
        one = archive.get(version, corpus)
        names = write_hub_folder(archive, Submissions(settings().submissions), one, folder)
        print_json({"release": one.version, "files": names}) if as_json else echo(f"{len(names)} files in {folder}")


@release.command()
def openings(
    version: Annotated[str, typer.Argument(help="A version, such as 1.0.0, or latest.")],
    everything: Annotated[
        bool, typer.Option("--all", help="Open every answer, of questions that are still asked too: ends a benchmark.")
    ] = False,
    corpus: AnyCorpus = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Print the salts that open the sealed answers of questions that are not asked any more, a JSON object a line.

    check_release.py, a file of every release, compares them with the release's commitments.jsonl.
    """
    with errors():
        archive = _archive(out)
        one = archive.get(version, corpus)
        closed = Submissions(settings().submissions).closed()
        rows = all_openings(archive, one) if everything else opened_answers(archive, one, closed)
        for row in rows:
            print_json(row)
        if as_json:
            return
        note(f"{len(rows):,} of {sum(one.counts.test.values()):,} answers of {one.version} opened")


@release.command()
def key(as_json: AsJson = False) -> None:
    """Print a new key for KGS_RELEASE_KEY, which encrypts the private files of later releases. Keep it elsewhere."""
    print_json({"key": new_key()}) if as_json else echo(new_key())


@release.command()
def private(
    version: Annotated[str, typer.Argument(help="A version, such as 1.0.0, or latest.")],
    folder: Annotated[Path, typer.Argument(help="A new folder for them.")],
    corpus: AnyCorpus = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Write a release's private files, decrypted, into a folder: for an auditor whom you give the certificate."""
    with errors():
        archive = _archive(out)
        one = archive.get(version, corpus)
        files = [file.name for file in one.files if file.access == "private"]
        if folder.exists():
            raise BadRequest(f"{folder} is there already: name a new folder")
        for name in files:
            path = owner_only(folder / Path(name).parent) / Path(name).name
            path.write_bytes(archive.file(one, name, private=True))
            path.chmod(0o400)
        if as_json:
            print_json({"release": one.version, "files": files, "folder": str(folder)})
            return
        echo(f"{len(files):,} private files of {one.version} in {folder}: whoever has them knows the answers")


def leaked(
    files: Annotated[list[Path], typer.Argument(help="Files or folders to look through: text, JSONL, also .gz.")],
    version: Annotated[str, typer.Option("--release", help="The release to look for.")] = LATEST,
    corpus: AnyCorpus = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Look for a release's questions and texts in other files, such as training data. Status 1 if there are any.

    A page is a file, or a line of a JSONL file. It is named if it has the release's canary, a sentence of 20 words or
    more, half of a text's runs of three words close together, or half of a question's pairs of words.
    """
    with errors():
        archive = _archive(out)
        one = archive.get(version, corpus)
        traces = release_traces(archive, one)
        pages = found = 0
        for page in pages_of(files):
            pages += 1
            if (leak := traces.find(page)) is not None:
                found += 1
                print_json(leak.model_dump()) if as_json else echo(str(leak))
        note(f"{found:,} of {pages:,} pages have something of {one.version} of {one.corpus}")
        if found:
            raise typer.Exit(1)


@release.command()
def diff(
    older: Annotated[str, typer.Argument(help="A version, such as 1.0.0.")],
    newer: Annotated[str, typer.Argument(help="A later version of the same corpus, or latest.")],
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Show which questions were added, kept and retired between two releases, and why."""
    with errors():
        found = compared(_archive(out), older, newer, private=True)
        if as_json:
            print_json(found.model_dump())
            return
        echo(
            f"{found.older} → {found.newer}: added {len(found.added):,}, kept {found.kept:,}, "
            f"retired {len(found.retired):,}"
        )
        for sign, changes in (("+", found.added), ("-", found.retired)):
            for one in changes[:SHOWN]:
                echo(_changed(sign, one))
            if len(changes) > SHOWN:
                echo(f"  {sign} … and {len(changes) - SHOWN:,} more (--json has all)")
        echo(f"another answer to the same question: {len(found.changed):,}")
        for each in found.changed[:SHOWN]:
            echo(f"  {each.question}   {'; '.join(each.before)} → {'; '.join(each.now)}")
        if len(found.changed) > SHOWN:
            echo(f"  … and {len(found.changed) - SHOWN:,} more (--json has all)")


def _print(made: Manifest, folder: Path, followed: list[Submission]) -> None:
    echo(f"{_described(made)}   {folder}")
    counts = made.counts
    parts = (sum(counts.test.values()), sum(counts.train.values()), sum(counts.left_out.values()))
    echo(f"questions  in {counts.given:,} = test {parts[0]:,} + train {parts[1]:,} + left out {parts[2]:,}")
    for reason, number in counts.left_out.items():
        echo(f"  left out: {number:,} {reason}")
    for one in followed:
        echo(f"approved baseline measured again: {one.system}")


def _followed(
    opened: Graph, values: Settings, archive: Archive, made: Manifest
) -> tuple[list[Submission], dict[str, str]]:
    from kgservice.retrieval.reranker import cross_encoder  # with LangChain, a second that no other verb should pay

    embedder = Embedder(values.embedding_model)
    ours = Ours(opened, embedder, cross_encoder(values), values)
    return follow(archive, Submissions(values.submissions, portal_judge(values)), ours, made)


def _described(one: Manifest) -> str:
    asked, counts = sum(one.counts.test.values()), one.counts
    return (
        f"{one.version:<8} {one.corpus}  {one.created:%Y-%m-%d %H:%M}  {asked:,} questions over {counts.texts:,} "
        f"passages of {counts.documents:,} documents  {one.content[:12]}"
    )


def _changed(sign: str, one: Change) -> str:
    why = f"   [{one.reason}{f' ({one.cause})' if one.cause else ''}]" if one.reason else ""
    return f"  {sign} {one.public_id:>5}  {one.question}{why}"
