const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/;

function redactText(text: string): string {
  return instant.test(text)
    ? "<time>"
    : text
        .replace(/\bhttps?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?/g, "<url>")
        .replace(/\bsty_[0-9a-f]{40}\b/g, "<token>");
}

/**
 * A copy of a JSON value in which what differs from run to run has a name instead: row ids, instants (other than
 * 1970, which means never), the server's address, tokens. Whole bodies can be compared with it.
 */
export function redact(value: unknown, key = ""): unknown {
  if (typeof value === "string") {
    return value.startsWith("1970-01-01T") ? value : key === "token_last_eight" ? "<eight>" : redactText(value);
  }
  if (typeof value === "number") {
    return value !== 0 && (key === "id" || key.endsWith("_id")) ? "<id>" : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => redact(item, key));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(item, name)]));
  }
  return value;
}
