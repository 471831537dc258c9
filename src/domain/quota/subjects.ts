/** The parts that use is counted in, each byte in one of them. Bytes, per owner of the repositories. */
export interface Usage {
  readonly reposPublic: number;
  readonly reposPrivate: number;
  readonly gitLfs: number;
  readonly attachmentsIssues: number;
  readonly attachmentsReleases: number;
  readonly artifacts: number;
  readonly packages: number;
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
};

const repositories = ["reposPublic", "reposPrivate"] as const;
const attachments = ["attachmentsIssues", "attachmentsReleases"] as const;
const assets = [...attachments, "artifacts", "packages"] as const;

/** What can be limited, with the parts that it consists of. Source: the quota model of the API's specification. */
const partsOfSubject = {
  "size:all": [...repositories, "gitLfs", ...assets],
  "size:repos:all": repositories,
  "size:repos:public": ["reposPublic"],
  "size:repos:private": ["reposPrivate"],
  "size:git:all": [...repositories, "gitLfs"],
  "size:git:lfs": ["gitLfs"],
  "size:assets:all": assets,
  "size:assets:attachments:all": attachments,
  "size:assets:attachments:issues": ["attachmentsIssues"],
  "size:assets:attachments:releases": ["attachmentsReleases"],
  "size:assets:artifacts": ["artifacts"],
  "size:assets:packages:all": ["packages"],
  // Not tracked: always within.
  "size:wiki": [],
} as const satisfies Readonly<Record<string, readonly UsagePart[]>>;

export type QuotaSubject = keyof typeof partsOfSubject;

export const quotaSubjects = Object.keys(partsOfSubject) as [QuotaSubject, ...QuotaSubject[]];

/** The parts that these subjects consist of, each once. */
export function partsOf(subjects: readonly QuotaSubject[]): ReadonlySet<UsagePart> {
  return new Set(subjects.flatMap((subject): readonly UsagePart[] => partsOfSubject[subject]));
}
