/** Which issues and pull requests a list has. What is undefined does not narrow it. */
export interface IssueFilter {
  /** The listed kinds; each value says whether they are pull requests. */
  kinds: readonly boolean[];
  /** The listed states; each value says whether it is open. */
  states: readonly boolean[];
  /** Words, or beginnings of words: it has all of them in title and text, or in one comment. */
  text?: string | undefined;
  /** Names, or ids in digits: in a repository it has all of these that exist there, everywhere it has one of them. */
  labels?: readonly string[] | undefined;
  /** It has none of these. */
  withoutLabels?: readonly string[] | undefined;
  /** Titles, or ids in digits: it is in one of these. */
  milestones?: readonly string[] | undefined;
  /** When it was changed last: at this time or later, and before that one. */
  since?: Date | undefined;
  before?: Date | undefined;
  /** It has no label, no milestone, no assignee. */
  hasNoLabel?: true | undefined;
  hasNoMilestone?: true | undefined;
  hasNoAssignee?: true | undefined;
  authorId?: number | undefined;
  assigneeId?: number | undefined;
  mentionedId?: number | undefined;
  /** Somebody who subscribed to it, or who wants to hear nothing of it. */
  subscriberId?: number | undefined;
  muterId?: number | undefined;
  /** Ids of labels: it has one of these. */
  labelIds?: readonly number[] | undefined;
  /** Sets of ids of labels, at least two: it has one of each. */
  labelSets?: readonly (readonly number[])[] | undefined;
  milestoneId?: number | undefined;
  /** The following are of pull requests. */
  /** Short name of the branch that it is for. */
  base?: string | undefined;
  /** The branch that it is from; `ownerId`: of a repository of this owner, null: of any. */
  head?: { readonly ownerId: number | null; readonly branch: string } | undefined;
  /** Somebody who was asked for a review and has not given it, by themselves or in a team. */
  reviewRequestedId?: number | undefined;
  /** Somebody who has submitted a review. */
  reviewedById?: number | undefined;
}

/** The filter of issues that have a label of each set. */
export function hasEach(labelSets: readonly (readonly number[])[]): Pick<IssueFilter, "labelIds" | "labelSets"> {
  // A single label has an index that is in the order of a list.
  return labelSets.length > 1 ? { labelSets } : { labelIds: labelSets[0] ?? [] };
}

/** Where a list looks. */
export type IssuePlace =
  | { readonly repositoryId: number; readonly ownerId: number }
  /** Everywhere, as far as the viewer may see. */
  | {
      readonly repositoryId: null;
      readonly ownerId?: number | undefined;
      /** In repositories that the viewer owns, or was given as a collaborator or by a team. */
      readonly ofViewer?: true | undefined;
      /** The name of a team of that owner, in lower case. */
      readonly team?: string | undefined;
      /** Entries of this repository come first. */
      readonly firstId?: number | undefined;
    };

export const issueOrders = {
  relevance: { by: "relevance", descending: true },
  latest: { by: "created_at", descending: true },
  oldest: { by: "created_at", descending: false },
  recentupdate: { by: "updated_at", descending: true },
  leastupdate: { by: "updated_at", descending: false },
  mostcomment: { by: "comments", descending: true },
  leastcomment: { by: "comments", descending: false },
  nearduedate: { by: "due_at", descending: false },
  farduedate: { by: "due_at", descending: true },
  /** The pinned ones first, each of the two the latest first. */
  priority: { by: "created_at", descending: true },
} as const;

export type IssueOrderName = keyof typeof issueOrders;

/** The labels, or milestones, that a list of names separated by commas names; "-name" means without it. */
export function readNames(list: string): { with: string[]; without: string[] } {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return {
    with: names.filter((name) => !name.startsWith("-")),
    without: names.filter((name) => name.startsWith("-")).map((name) => name.slice(1)),
  };
}
