// Addresses within the page.

/** Return the address of a view with what it is told; what is empty is left out. */
export function href(view, told = {}) {
  const given = Object.entries(told).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** Go to a view, which is then built anew. */
export function go(view, told) {
  location.hash = href(view, told);
}

/** Note in the address what is shown, without building the view anew: a reload or a link comes back to it. */
export function note(view, told) {
  history.replaceState(null, "", href(view, told));
}
