"""/metrics: what Prometheus collects."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST

from kgservice.api.deps import TheMetrics
from kgservice.api.policy import gives

router = APIRouter(tags=["health"])


@router.get("/metrics", response_class=PlainTextResponse, dependencies=[gives("service")])
def get_metrics(metrics: TheMetrics) -> Response:
    """Return counters in Prometheus' text format; where keys are configured, give the scraper one of role reader."""
    return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)
