import { languageRules } from "../../../git/languages/language-rules.ts";
import { newJob } from "../../../queue/enqueue.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { deleteLanguages, findLanguageState, repositoriesToCount, storeLanguages } from "./queries.ts";

const reason = "languages";
const branchPrefix = "refs/heads/";

function jobFor(repositoryId: number) {
  return newJob("languages", { repositoryId }, { key: String(repositoryId) });
}

/** Has the languages of a repository counted when its default branch moved, or became another one. */
export async function followDefaultBranch(work: Work, event: Event): Promise<void> {
  switch (event.kind) {
    case "refs.moved":
      if (event.refs.some(({ name }) => name === branchPrefix + event.defaultBranch)) {
        await work.enqueueForServer(reason, jobFor(event.repository.id));
      }
      break;
    case "repository.edited":
      if (event.changed.includes("defaultBranch")) {
        await work.enqueueForServer(reason, jobFor(event.repository.id));
      }
      break;
    case "repository.forked":
      await work.enqueueForServer(reason, jobFor(event.fork.id));
  }
}

/**
 * Counts the languages of a repository's default branch, and notes them with the commit. Only what changed since the commit
 * of the last count is looked at. When the branch moves meanwhile nothing is noted: that push has a job of its own.
 */
export async function countLanguages(forge: Forge, repositoryId: number, signal: AbortSignal): Promise<void> {
  const { change, database, git } = forge;
  const state = await findLanguageState(database.db, repositoryId);
  if (state === null) {
    return;
  }
  const { repository, tip, counted } = state;
  if (tip === null) {
    await change(serverDoer(reason), (work) => deleteLanguages(work.tx, repositoryId));
    return;
  }
  const same = counted?.rules === languageRules ? counted : null;
  if (same?.commit === tip) {
    return;
  }
  const view = await git.views.view(repository);
  const bytes = await git.engine.maintain(
    view,
    "countLanguages",
    { commit: tip, known: same === null || same.bytes === null ? null : { commit: same.commit, bytes: same.bytes } },
    { signal },
  );
  await change(serverDoer(reason), (work) =>
    storeLanguages(work.tx, repositoryId, { commit: tip, rules: languageRules, bytes }),
  );
}

/** How many repositories are counted by one look over all of them: the next look takes up the next ones. */
const sweepLimit = 500;

/** Has those repositories counted that are not, as they are older than this server or its rules. Answers how many these are. */
export async function requestLanguages({ change, database }: Forge): Promise<number> {
  const ids = await repositoriesToCount(database.db, languageRules, sweepLimit);
  for (const id of ids) {
    await change(serverDoer(reason), (work) => work.enqueue(jobFor(id)));
  }
  return ids.length;
}
