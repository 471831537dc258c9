/**
 * Whether a request gets the specification's response where that of Gitea and Forgejo differs: one without a User-Agent, or one whose User-Agent
 * begins with one of `prefixes`, in any case. These are the setting `api.specification_clients`: plain HTTP tools. Everything else that calls the
 * API was written for Gitea and Forgejo, and nobody can list those programs. Nothing else looks at the header User-Agent.
 */
export function followsSpecification(prefixes: readonly string[], request: Request): boolean {
  const agent = (request.headers.get("user-agent") ?? "").trim().toLowerCase();
  return agent === "" || prefixes.some((prefix) => prefix !== "" && agent.startsWith(prefix.toLowerCase()));
}
