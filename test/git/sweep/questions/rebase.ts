import { existsSync, mkdirSync } from "node:fs";
import type { SweptHistory } from "../swept-history.ts";
import type { SweepQuestion } from "../sweep-question.ts";

/** More commits take git minutes. */
const mostCommits = 40;
const committer = { name: "C", email: "c@example.org", seconds: 1_700_000_000, offsetMinutes: 0 };

/** The merges of a history made as rebases: their second parent onto the first, every second question the next one, the latest first; the others are some that nobody made. */
export const rebase: SweepQuestion = {
  async ask(history, random, number) {
    const merged = number % 2 === 0 ? history.merges[number / 2] : undefined;
    const [onto, head] = (merged?.slice(1) as [string, string] | undefined) ?? history.pickPair(random);
    const count = await history.text(["rev-list", "--count", `${onto}..${head}`]);
    if (count === null || Number(count) > mostCommits) {
      return null;
    }
    return { command: ["rebase", onto, head], git: ofGit(history, onto, head), ours: ofOurs(history, onto, head) };
  },
};

async function ofOurs(history: SweptHistory, onto: string, head: string): Promise<string> {
  const commits = await history.call("commitsToPick", { onto, head });
  const directory = history.scratch.join("picked");
  mkdirSync(directory, { recursive: true });
  const { tip } = await history.write("pickCommits", {
    onto,
    commits: commits.map(({ oid }) => ({ oid, messageIfLast: null })),
    committer,
    merge: null,
    destination: { directory, temporary: directory },
  });
  return tip ?? "conflict";
}

/** In a clone that borrows the objects: nothing is written to the history. */
async function ofGit(history: SweptHistory, onto: string, head: string): Promise<string | null> {
  const clone = history.scratch.join("rebased");
  const environment = {
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: `${committer.seconds} +0000`,
  };
  const git = async (...args: string[]) => history.git(["-C", clone, ...args], environment);
  if (!existsSync(clone)) {
    await history.git(["clone", "-q", "--shared", "--no-checkout", history.path, clone]);
  }
  await git("checkout", "-q", "-f", "--detach", head);
  await git("clean", "-qffdx");
  const { code } = await git("-c", "core.autocrlf=false", "rebase", "-q", onto);
  if (code !== 0) {
    // Without one under way, git could not even begin, as without objects that a snapshot lacks.
    return (await git("rebase", "--abort")).code === 0 ? "conflict" : null;
  }
  return Buffer.from((await git("rev-parse", "HEAD")).bytes)
    .toString()
    .trim();
}
