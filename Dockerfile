# The tag names one version of Python, not one content. Where a registry can be asked, build with its digest:
# docker build --build-arg PYTHON=python:3.12.12-slim-trixie@sha256:… (docs/operations.md says how to find it)
ARG PYTHON=python:3.12.12-slim-trixie
FROM ${PYTHON}
WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir uv==0.13.9 \
  && uv pip install --system --no-cache --compile-bytecode --no-deps --require-hashes -r requirements.lock
COPY training/NOTICE training/NOTICE
COPY kgservice kgservice
COPY cypher cypher
COPY loaders loaders
RUN uv pip install --system --no-cache --compile-bytecode --no-deps .
RUN useradd --uid 1000 --create-home kgservice && mkdir --mode=700 /data && chown kgservice /data
USER 1000
ENV HOME=/tmp
EXPOSE 8000
CMD ["kgservice", "serve", "--host", "0.0.0.0"]
