/**
 * Whether a request comes from a client that was written for Gitea and Forgejo. Some operations answer those as they
 * expect, where the specification has another answer. Nothing else looks at the header User-Agent. `prefixes`: the setting
 * `api.family_clients`; a client is one of the family if its User-Agent begins with one of these, in any case.
 */
export function isFamilyClient(prefixes: readonly string[], request: Request): boolean {
  const agent = (request.headers.get("user-agent") ?? "").toLowerCase();
  return prefixes.some((prefix) => prefix !== "" && agent.startsWith(prefix.toLowerCase()));
}
