/** Which repositories a list has. Every condition narrows it; what the viewer may not see is never in it. */
export interface RepositoryFilter {
  /** Only those of this owner. */
  ownerId?: number;
  /** Only those that this user owns or was given access to. */
  participantId?: number;
  /** Only those that this user was given access to and does not own. */
  collaboratorId?: number;
  /** Any of these words, in a name (or `owner/name`), a topic, or the description. */
  keywords?: { words: readonly string[]; inDescription: boolean; topicOnly: boolean };
  private?: boolean;
  template?: boolean;
  archived?: boolean;
  /** Only forks, or only others. */
  fork?: boolean;
  /** Only mirrors of repositories elsewhere. */
  mirror?: true;
  /** Only forks of this repository. */
  forkOf?: number;
  /** Only those of this team, for those who may look into its organization. */
  teamId?: number;
  /** Only those that this user starred. */
  starredBy?: number;
  /** Only those that this user watches. */
  watchedBy?: number;
  /** Only those whose main language this is, by its name. */
  language?: string;
  /** Only those that have this topic. */
  topic?: string;
  /** Nothing at all: for filters by what no repository has. */
  none?: boolean;
}

export const repositorySortKeys = [
  "alpha",
  "name",
  "created",
  "updated",
  "size",
  "git-size",
  "lfs-size",
  "stars",
  "forks",
  "id",
] as const;

export interface RepositoryOrder {
  /**
   * `relevance`: for a list with keywords; repositories whose names match best come first, and among equals those with
   * most stars.
   */
  by: (typeof repositorySortKeys)[number] | "relevance";
  descending: boolean;
  /** The repositories of this owner come first. */
  firstOwnerId?: number;
}
