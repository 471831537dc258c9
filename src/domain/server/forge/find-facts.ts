import { seesEverybody } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import type { MoveAnswer } from "../../../git/operations/examine-moves.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { StagedPack } from "../../../git/pack/staged-pack.ts";
import type { FindUsersByEmail } from "../../git/commits/queries.ts";
import type { GitServices } from "./git-services.ts";
import type { Fact, FactQuestion, FactsNeeded } from "../../git/protections/facts.ts";
import { findForFacts } from "../../git/refs/queries.ts";

/** Files of one push or commit that are compared with the patterns of rules, and how long that may take. */
const maxFiles = 100_000;
const milliseconds = 20_000;
/** Commits of one push whose signatures are checked: one takes up to some milliseconds. */
const maxCommits = 500;

/** Finds out what rules have to know of moves; `packs` are staged and bring the new objects. Throws what the engine throws. */
export type FindFacts = (
  needed: FactsNeeded,
  packs: readonly StagedPack[],
) => Promise<(readonly [FactQuestion, Fact])[]>;

/** Builds what reads the objects of moves for the rules, outside of any transaction. */
export function prepareFindFacts(db: Database, git: GitServices, findUsers: FindUsersByEmail): FindFacts {
  async function factOf(answer: MoveAnswer): Promise<Fact> {
    return answer.kind === "commits" ? { kind: "unsigned", commit: await findUnsigned(answer.commits) } : answer;
  }

  async function findUnsigned(commits: readonly CommitRecord[]): Promise<string | null> {
    // Whether a commit is signed does not depend on whom the one who pushes it may know of.
    const users = await findUsers([...new Set(commits.map(({ committer }) => committer.email))], seesEverybody);
    const signed = commits.map(({ signature, committer }) => ({ signature, email: committer.email }));
    const verified = await git.signatures.verify(db, signed, users);
    return commits.find((_, index) => verified[index]?.verified !== true)?.oid ?? null;
  }

  return async ({ repositoryId, questions }, packs) => {
    const repository = await findForFacts(db, repositoryId);
    if (repository === null) {
      return [];
    }
    const view = await git.views.current(repository);
    const wider = { ...view, packs: [...packs.map(({ path }) => path), ...view.packs] };
    const bounds = { base: repository.defaultTip, maxFiles, milliseconds, maxCommits };
    const answers = await git.engine.write(wider, "examineMoves", { questions, ...bounds });
    return Promise.all(answers.map(async (answer, index) => [questions[index]!, await factOf(answer)] as const));
  };
}
