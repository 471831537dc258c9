import type { Subject } from "../auth/subject.ts";
import { keySuffix } from "./key-suffix.ts";
import { Redirect } from "./respond.ts";
import type { Visit } from "./visit.ts";

/** Sends a visitor who asked for something under a name of the past to the same page under its name of today. */
export function redirectToday(visit: Visit, { owner, repository }: Subject): Redirect {
  const [suffix = ""] = keySuffix.exec(visit.params["owner"] ?? "") ?? [];
  const names =
    repository === null ? [`${owner?.owner.name ?? ""}${suffix}`] : [repository.owner.name, repository.repository.name];
  const { pathname, search } = new URL(visit.request.url);
  const rest = pathname.split("/").slice(1 + names.length);
  return new Redirect(`${visit.root}/${[...names.map(encodeURIComponent), ...rest].join("/")}${search}`);
}
