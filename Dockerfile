FROM python:3.12-slim
WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir uv && uv pip install --system --no-cache --require-hashes -r requirements.lock
COPY training/NOTICE training/NOTICE
COPY kgservice kgservice
COPY cypher cypher
COPY loaders loaders
RUN uv pip install --system --no-cache --no-deps .
RUN useradd --create-home kgservice && mkdir /data && chown kgservice /data
USER kgservice
EXPOSE 8000
CMD ["kgservice", "serve", "--host", "0.0.0.0"]
