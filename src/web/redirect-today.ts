import type { Subject } from "../auth/subject.ts";
import { ownerSuffix, repositorySuffix } from "./name-suffix.ts";
import { Redirect } from "./respond.ts";
import type { Visit } from "./visit.ts";

/** Sends a visitor who asked for something under a name of the past to the same page under its name of today. */
export function redirectToday(visit: Visit, { owner, repository }: Subject): Redirect {
  const [ofOwner = ""] = ownerSuffix.exec(visit.params["owner"] ?? "") ?? [];
  const [ofRepository = ""] = repositorySuffix.exec(visit.params["repo"] ?? "") ?? [];
  const names =
    repository === null
      ? [`${owner?.owner.name ?? ""}${ofOwner}`]
      : [repository.owner.name, repository.repository.name + (ofRepository === ".git" ? "" : ofRepository)];
  const { pathname, search } = new URL(visit.request.url);
  const rest = pathname.split("/").slice(1 + names.length);
  return new Redirect(`${visit.root}/${[...names.map(encodeURIComponent), ...rest].join("/")}${search}`);
}
