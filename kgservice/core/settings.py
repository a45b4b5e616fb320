"""The settings. No other module reads the environment (prefix KGS_). Everything else receives values."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_origin

import platformdirs
from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from kgservice.core.price import Price
from kgservice.core.records import Record

NEAR = 0.73  # of difflib: LLM_URL is near LLM_BASE_URL (.74), and ADMIN_KEY not near API_KEYS (.71)
UserPath: TypeAlias = Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())]
Role: TypeAlias = Literal["judge", "reader", "writer", "translator", "decomposer"]


class ModelAddress(Record):
    """A model, the base URL that it is asked at, and the key of that URL."""

    model: str
    base_url: str
    api_key: SecretStr | None = None


class RoleModel(Record):
    """What a role has of its own. KGS_LLM_JUDGE_BASE_URL is `base_url` of the judge."""

    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None

    def over(self, default: RoleModel) -> RoleModel:
        """Return this with what it lacks from the default. A key stays at its URL: none is added to another URL."""
        return RoleModel(
            model=self.model or default.model,
            base_url=self.base_url or default.base_url,
            api_key=self.api_key or (None if self.base_url else default.api_key),
        )


class Settings(BaseSettings):
    """Settings from KGS_* variables or a `.env` file.

    `home` holds the managed database, its backups, the run journals, releases, submissions, API keys and jobs; `cache`
    holds the Neo4j jars of this user; "~" is the user's own folder also where no shell has read it. With `neo4j_uri`
    set no server is started and that database is used.
    """

    model_config = SettingsConfigDict(
        env_prefix="KGS_", env_file=".env", extra="ignore", frozen=True,
        env_nested_delimiter="_", env_nested_max_split=1,  # KGS_LLM_JUDGE_BASE_URL is base_url of llm_judge
    )  # fmt: skip

    home: UserPath = Field(default_factory=lambda: platformdirs.user_data_path("kgservice"))
    cache: UserPath = Field(default_factory=lambda: platformdirs.user_cache_path("kgservice"))
    neo4j_uri: str | None = None
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str = "neo4j"
    neo4j_read_uris: tuple[str, ...] = Field(
        (), description='JSON, copies of the database that are read from: ["bolt://replica-1:7687"]'
    )
    neo4j_version: Literal["2026", "5.26"] | None = Field(
        None, description="managed server: which Neo4j Community; unset: that of the database, 2026 for a new one"
    )
    neo4j_bolt_port: int | None = Field(None, ge=1, le=65535, description="managed server; a free port when unset")
    neo4j_http_port: int | None = Field(None, ge=1, le=65535, description="managed server; a free port when unset")
    neo4j_heap: str = Field("1g", pattern=r"^\d+[kmgKMG]$", description="managed server: Java heap")
    neo4j_pagecache: str = Field("512m", pattern=r"^\d+[kmgKMG]$", description="managed server: page cache")
    neo4j_wait: float = Field(300.0, gt=0, description="seconds a load waits for a database that went away")
    embedding_model: str = "all-MiniLM-L6-v2"
    llm_base_url: str | None = Field(None, description="an OpenAI-compatible endpoint, up to and with /v1")
    llm_api_key: SecretStr | None = None
    llm_model: str | None = None
    llm_judge: RoleModel = Field(RoleModel(), description="judges answers and questions")
    llm_reader: RoleModel = Field(RoleModel(), description="answers: the system that is tested")
    llm_writer: RoleModel = Field(RoleModel(), description="words questions")
    llm_translator: RoleModel = Field(RoleModel(), description="rewords passages")
    llm_decomposer: RoleModel = Field(RoleModel(), description="plurihop: takes questions apart; over the reader's")
    llm_prices: dict[str, Price] = Field(
        default_factory=dict, description='JSON, USD a million tokens: {"model": {"input": 0.4, "output": 1.6}}'
    )
    llm_budget: str = Field("5000000tokens", description="of one command or job, where --budget names none: or USD (5)")
    llm_concurrency: int = Field(16, ge=1, le=1000, description="calls at the same time")
    llm_timeout: float = Field(120.0, gt=0, description="seconds for one call")
    llm_max_tokens: int = Field(4096, ge=1, description="of one answer; what is longer is cut off")
    llm_temperature: float = Field(0.0, ge=0)
    reranker: str = Field(
        "sentences", description="a cross-encoder's name or folder, or a /rerank address; sentences: none"
    )
    reranker_model: str | None = Field(None, description="the model at that address")
    reranker_api_key: SecretStr | None = None
    wikidata: UserPath | None = Field(None, description="the index of Wikidata; wikidata.sqlite in the home when unset")
    api_keys: dict[str, SecretStr] = Field(default_factory=dict, description='JSON: {"reader": "…", "curator": "…"}')
    rate_limit: int = Field(1_200, ge=0, description="requests a minute for a key, or an address without one; 0: any")

    release_key: SecretStr | None = Field(
        None, description="encrypts a release's private files; `kgservice release key` makes one"
    )
    submissions_a_day: int = Field(5, ge=0, description="that a team may send in 24 hours; 0: any number")
    portal_judge: bool = Field(
        False, description="the judge's model gives submissions marks: private answers go to its endpoint"
    )
    portal_judge_budget: str = Field("5000000tokens", description="that judging one submission may spend: or USD (5)")
    hosts: tuple[str, ...] = Field((), description='JSON, names of the service beside this machine\'s: ["kg.example"]')
    trusted_proxies: tuple[str, ...] = Field((), description='JSON, whose X-Forwarded-For counts: ["10.0.0.0/8"]')
    connections: int = Field(500, ge=1, description="that may be open at once; the oldest incomplete request gives way")

    @classmethod
    def form(cls, name: str) -> str:
        """Return how a setting that is written as JSON is written, or an empty string: "Give JSON, names of …"."""
        field = cls.model_fields.get(name)
        if field is None:
            return ""
        if field.annotation is RoleModel:
            own = ", ".join(f"KGS_{name}_{one}".upper() for one in RoleModel.model_fields)
            return f"Set what it has by itself: {own}"
        said = field.description or ""
        return f"Give {said}; in a shell, within single quotes" if said.startswith("JSON") else ""

    @classmethod
    def misspelt(cls) -> dict[str, str]:
        """Return the variables that are no setting but nearly have the name of one, each with that name.

        A variable of another name (KGS_TEST_SIZE) belongs to another program.
        """
        kinds = {name: field.annotation for name, field in cls.model_fields.items()}
        roles = [name for name, kind in kinds.items() if kind is RoleModel]
        known = [*kinds, *(f"{role}_{own}" for role in roles for own in RoleModel.model_fields)]
        maps = (name for name, kind in kinds.items() if get_origin(kind) is dict)
        within = tuple(f"{name}_" for name in (*roles, *maps))  # KGS_API_KEYS_READER is a setting
        given = {**DotEnvSettingsSource(cls).env_vars, **EnvSettingsSource(cls).env_vars}
        unknown = (name[4:] for name in sorted(given) if name.startswith("kgs_") and name[4:] not in known)
        near = {name: get_close_matches(name, known, 1, NEAR) for name in unknown if not name.startswith(within)}
        return {f"KGS_{name}".upper(): f"KGS_{found[0]}".upper() for name, found in near.items() if found}

    def model_of(self, role: Role | None = None) -> ModelAddress | None:
        """Return the model of a role, completed from the default one. Return None without a model or its URL."""
        own = {
            "judge": self.llm_judge, "reader": self.llm_reader, "writer": self.llm_writer,
            "translator": self.llm_translator, "decomposer": self.llm_decomposer.over(self.llm_reader),
        }  # fmt: skip
        whole = RoleModel(model=self.llm_model, base_url=self.llm_base_url, api_key=self.llm_api_key)
        if role:
            whole = own[role].over(whole)
        if not whole.model or not whole.base_url:
            return None
        return ModelAddress(model=whole.model, base_url=whole.base_url, api_key=whole.api_key)

    @property
    def wikidata_index(self) -> Path:
        """Return the path of the index for `--link wikidata`."""
        return self.wikidata or self.home / "wikidata.sqlite"

    @property
    def releases(self) -> Path:
        """Return the folder of releases."""
        return self.home / "releases"

    @property
    def submissions(self) -> Path:
        """Return the file of submissions."""
        return self.home / "submissions.sqlite"

    @property
    def keys(self) -> Path:
        """Return the file of the service's API keys."""
        return self.home / "keys.sqlite"
