/**
 * The parts that use is counted in, each byte in one of them. Bytes, per owner of the repositories. `guests…`: what others brought who do
 * not write to a repository. These have a share of their own, and the owner the rest.
 */
export interface Usage {
  readonly reposPublic: number;
  readonly reposPrivate: number;
  readonly gitLfs: number;
  readonly attachmentsIssues: number;
  readonly attachmentsReleases: number;
  readonly artifacts: number;
  /** With the indexes that the server makes of them. */
  readonly packages: number;
  readonly wikis: number;
  readonly pictures: number;
  readonly guestsPublic: number;
  readonly guestsPrivate: number;
  readonly guestsLfs: number;
  readonly guestsIssues: number;
  readonly guestsWikis: number;
  /** Texts of issues and comments, with their former versions. */
  readonly texts: number;
  readonly guestsTexts: number;
}

export type UsagePart = keyof Usage;

export const noUsage: Usage = {
  reposPublic: 0,
  reposPrivate: 0,
  gitLfs: 0,
  attachmentsIssues: 0,
  attachmentsReleases: 0,
  artifacts: 0,
  packages: 0,
  wikis: 0,
  pictures: 0,
  guestsPublic: 0,
  guestsPrivate: 0,
  guestsLfs: 0,
  guestsIssues: 0,
  guestsWikis: 0,
  texts: 0,
  guestsTexts: 0,
};

/** The two parties that bring bytes: the owner with everybody who may write to the repository, and guests. */
export type Bringer = "owner" | "guests";

const ofGuests: ReadonlySet<UsagePart> = new Set([
  "guestsPublic",
  "guestsPrivate",
  "guestsLfs",
  "guestsIssues",
  "guestsWikis",
  "guestsTexts",
]);

/** Those of these parts that the owner, or guests, brought. */
export function partsBy(by: Bringer, parts: ReadonlySet<UsagePart>): ReadonlySet<UsagePart> {
  return by === "guests" ? parts.intersection(ofGuests) : parts.difference(ofGuests);
}

/** How many bytes these parts take together. */
export function sizeOf(usage: Usage, parts: ReadonlySet<UsagePart>): number {
  return [...parts].reduce((sum, part) => sum + usage[part], 0);
}

const repositories = ["reposPublic", "reposPrivate", "guestsPublic", "guestsPrivate"] as const;
const lfs = ["gitLfs", "guestsLfs"] as const;
const ofIssues = ["attachmentsIssues", "guestsIssues"] as const;
const attachments = [...ofIssues, "attachmentsReleases"] as const;
const wikis = ["wikis", "guestsWikis"] as const;
const assets = [...attachments, "artifacts", "packages", "pictures"] as const;

/** The subjects of limits, with their parts. Source: the quota model of the API's specification. */
const partsOfSubject = {
  "size:all": [...repositories, ...lfs, ...assets, ...wikis, "texts", "guestsTexts"],
  "size:repos:all": repositories,
  "size:repos:public": ["reposPublic", "guestsPublic"],
  "size:repos:private": ["reposPrivate", "guestsPrivate"],
  "size:git:all": [...repositories, ...lfs],
  "size:git:lfs": lfs,
  "size:assets:all": assets,
  "size:assets:attachments:all": attachments,
  "size:assets:attachments:issues": ofIssues,
  "size:assets:attachments:releases": ["attachmentsReleases"],
  "size:assets:artifacts": ["artifacts"],
  "size:assets:packages:all": ["packages"],
  "size:wiki": wikis,
} as const satisfies Readonly<Record<string, readonly UsagePart[]>>;

export type QuotaSubject = keyof typeof partsOfSubject;

export const quotaSubjects = Object.keys(partsOfSubject) as [QuotaSubject, ...QuotaSubject[]];

/** The parts that these subjects consist of, each once. */
export function partsOf(subjects: readonly QuotaSubject[]): ReadonlySet<UsagePart> {
  return new Set(subjects.flatMap((subject): readonly UsagePart[] => partsOfSubject[subject]));
}
