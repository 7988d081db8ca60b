# syntax=docker/dockerfile:1
FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
# Dependencies first, so that a change of code does not install them again.
RUN python - <<'PY' > requirements.txt
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = project["optional-dependencies"]
print(*project["dependencies"], *extras["lti"], *extras["oidc"], *extras["otel"], *extras["parquet"], *extras["postgresql"], sep="\n")
PY
RUN pip install --constraint constraints.txt --requirement requirements.txt
COPY app app
COPY core core
COPY eval eval
COPY homework homework
COPY ingestion ingestion
COPY judging judging
COPY offline offline
COPY pipelines pipelines
COPY posts posts
COPY retrievers retrievers
COPY safeguards safeguards
COPY student_code student_code
COPY tasks tasks
COPY teaching teaching
RUN pip install --no-deps .

FROM python:3.11-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends tesseract-ocr \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 edumod \
    && install -d -o edumod -g edumod /var/lib/edumod
COPY --from=build /opt/venv /opt/venv
COPY --chown=edumod:edumod data /srv/edumod/data
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    EDUMOD_HOME=/var/lib/edumod
USER edumod
WORKDIR /srv/edumod
VOLUME /var/lib/edumod
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"
CMD ["edumod", "serve", "--host", "0.0.0.0"]
