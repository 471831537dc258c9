import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { StatusState } from "../../../db/schema/statuses.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { countStatuses, insertStatus, type StatusRow } from "./queries.ts";
import { parseWebAddress } from "../../../lib/web-address.ts";

/** A status of a commit from a client. */
export interface NewStatus {
  state: StatusState | undefined;
  /** "default" if it is absent or empty. */
  context?: string | undefined;
  description?: string | undefined;
  targetUrl?: string | undefined;
}

/** Characters. */
const longest = { context: 255, description: 1024, target_url: 2048 };
/** A commit takes so many statuses, of so many contexts, and so many of each of these. */
const most = { statuses: 20_000, contexts: 1000, ofContext: 10_000 };

/**
 * Adds a status to a commit, whose whole oid the caller has found in the repository. Throws InvalidInput for what is
 * missing or too long, for an address that is not of the web, and for a commit that has as many statuses as it may; NotFound when the
 * repository is gone.
 */
export async function createStatus(
  work: Work,
  access: RepositoryAccess,
  oid: string,
  status: NewStatus,
): Promise<StatusRow> {
  const { tx } = work;
  const { state } = status;
  if (state === undefined) {
    throw new InvalidInput("state is required", "state");
  }
  const context = readLine("context", status.context) || "default";
  const description = readLine("description", status.description);
  const targetUrl = readUrl(status.targetUrl);
  const repositoryId = access.repository.id;
  // The statuses of a commit are numbered one after another.
  if (!(await lockRepository(tx, repositoryId))) {
    throw new NotFound("repository", access.repository.name);
  }
  await work.lookAgainLocked(repositoryId);
  const target = { repositoryId, oid };
  const counts = await countStatuses(tx, target, context);
  if (counts.all >= most.statuses) {
    throw new InvalidInput(`The commit has ${most.statuses} statuses, which is the most it may have`, "sha");
  }
  if (counts.ofContext >= most.ofContext) {
    throw new InvalidInput(
      `The context "${clip(context, 80)}" has ${most.ofContext} statuses of the commit, which is the most it may have`,
      "context",
    );
  }
  if (counts.ofContext === 0 && counts.contexts >= most.contexts) {
    throw new InvalidInput(`The commit has ${most.contexts} contexts, which is the most it may have`, "context");
  }
  const row = await insertStatus(tx, target, counts.all + 1, {
    context,
    state,
    description,
    targetUrl,
    creatorId: work.actorId,
  });
  const repository = namedRepository(access);
  work.tell({ kind: "status.created", repository, oid, statusId: row.id, context, state, description, targetUrl });
  return row;
}

function readLine(field: "context" | "description", text = ""): string {
  // oxlint-disable-next-line no-control-regex -- a line of text has none
  const line = text.replaceAll(/[\x00-\x1f\x7f]+/g, " ").trim();
  if (line.length > longest[field]) {
    throw new InvalidInput(`${field} has ${line.length} characters; ${longest[field]} are the most`, field);
  }
  return line;
}

/** Empty, or an address that a browser can be sent to: a link to anything else could be a script. */
function readUrl(text = ""): string {
  const url = text.trim();
  if (url === "") {
    return "";
  }
  if (url.length > longest.target_url) {
    throw new InvalidInput(`target_url has ${url.length} characters; ${longest.target_url} are the most`, "target_url");
  }
  if (parseWebAddress(url) === null || /\s/.test(url)) {
    throw new InvalidInput(
      `target_url must be an absolute address with http or https, not "${clip(url, 80)}"`,
      "target_url",
    );
  }
  return url;
}
