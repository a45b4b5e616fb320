// The service's own API, with the key of this tab.

const ROOT = new URL("../", document.baseURI); // the page is at /web/, also behind a path of a proxy
const KEY = "kgservice key";
const remembered = new Map();

/** What the service answers instead of data: `status` 0 is no answer at all, `wait` is in seconds. */
class Problem extends Error {
  constructor(status, detail, wait = null) {
    super(detail);
    this.status = status;
    this.wait = wait;
  }
}

/** Return the key of this tab, "" where there is none. */
export function key() {
  return sessionStorage.getItem(KEY) ?? "";
}

/** Take another key, "" for none, and forget what was read with the one before. */
export function useKey(value) {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
  remembered.clear();
}

/** GET a path, its parts given one by one, as JSON; parameters that are empty are left out. */
export async function get(parts, parameters = {}, signal = null) {
  return (await answer(address(parts, parameters), { signal })).json();
}

/** GET something that stays the same while the page is open, once. */
export function once(parts) {
  const path = parts.join("/");
  if (!remembered.has(path)) {
    const found = get(parts);
    found.catch(() => remembered.delete(path));
    remembered.set(path, found);
  }
  return remembered.get(path);
}

/** Forget what was read once, as other data may be there by now. */
export function forget() {
  remembered.clear();
}

/** POST a JSON body and return the JSON that is answered. */
export async function post(parts, body, signal = null, parameters = {}) {
  const headers = { "Content-Type": "application/json" };
  return (
    await answer(address(parts, parameters), { method: "POST", headers, body: JSON.stringify(body), signal })
  ).json();
}

/** POST a form with files and return the JSON that is answered; `advance(part)` is told how much of it is sent. */
export function send(parts, parameters, form, advance) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much of a body is sent
    request.open("POST", address(parts, parameters));
    if (key()) request.setRequestHeader("Authorization", `Bearer ${key()}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => advance(total ? loaded / total : 0));
    request.addEventListener("load", () => {
      const told = read(request.responseText);
      if (request.status < 300) resolve(told);
      else
        reject(
          new Problem(
            request.status,
            told.detail ?? request.statusText,
            Number(request.getResponseHeader("Retry-After")) || null,
          ),
        );
    });
    request.addEventListener("error", () => reject(new Problem(0, `Nothing answers at ${ROOT.origin}.`)));
    request.send(form);
  });
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** DELETE what is at a path and return the JSON that is answered. */
export async function remove(parts) {
  return (await answer(address(parts, {}), { method: "DELETE" })).json();
}

/** Save a file of the service under its own name: a link alone would not carry the key. */
export async function save(parts, parameters, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await answer(address(parts, parameters), {})).blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function address(parts, parameters) {
  const url = new URL(parts.map(encodeURIComponent).join("/"), ROOT);
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") url.searchParams.append(name, one);
    }
  }
  return url;
}

async function answer(url, request) {
  const headers = { ...request.headers, ...(key() && { Authorization: `Bearer ${key()}` }) };
  let response;
  try {
    response = await fetch(url, { ...request, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, `Nothing answers at ${ROOT.origin}.`);
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Problem(
    response.status,
    told.detail ?? response.statusText,
    Number(response.headers.get("Retry-After")) || null,
  );
}
