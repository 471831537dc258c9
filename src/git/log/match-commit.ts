import type { CommitGraph } from "../graph/commit-graph.ts";
import { parseCommit } from "../objects/commit.ts";
import type { Signature } from "../objects/signature.ts";
import type { CommitSelection } from "./commit-selection.ts";

/**
 * Whether a commit that a walk came by is to be listed, going by its date and the texts that are looked for (as they
 * are, capitals too: git's `--fixed-strings`). Throws CorruptObject, CorruptPack.
 */
export function matchesCommit(graph: CommitGraph, position: number, selection: CommitSelection): boolean {
  const { until, author, committer, message } = selection;
  if (until !== undefined && graph.dateOf(position) > until) {
    return false;
  }
  if (author === undefined && committer === undefined && message === undefined) {
    return true;
  }
  const commit = parseCommit(graph.db.read(position).bytes, graph.db.format);
  return (
    (author === undefined || lineOf(commit.author).includes(author)) &&
    (committer === undefined || lineOf(commit.committer).includes(committer)) &&
    (message === undefined || commit.message.split("\n").some((line) => line.includes(message)))
  );
}

function lineOf({ name, email }: Signature): string {
  return `${name} <${email}>`;
}
