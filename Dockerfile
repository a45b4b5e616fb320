# The tag names one version, not one content: where a registry can be asked, build with a digest
# (docker build --build-arg PYTHON=python:3.12.12-slim-trixie@sha256:…; docs/operations.md says how to find it).
ARG PYTHON=python:3.12.12-slim-trixie
FROM ${PYTHON}
WORKDIR /app
COPY requirements-service.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir uv==0.9.11 \
  && uv pip install --system --no-cache --require-hashes -r requirements-service.lock
COPY training/NOTICE training/NOTICE
COPY kgservice kgservice
COPY cypher cypher
COPY loaders loaders
RUN uv pip install --system --no-cache --no-deps . && python -m compileall -q /usr/local/lib/python3.12/site-packages/kgservice
RUN useradd --uid 10001 --create-home kgservice && mkdir -m 700 /data && chown kgservice /data
USER 10001
EXPOSE 8000
CMD ["kgservice", "serve", "--host", "0.0.0.0"]
