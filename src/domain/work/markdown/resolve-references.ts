import { demandTo, isAllowed } from "../../spine/guard.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { FoundReference, Reference, RepositoryName } from "../../../markdown/references.ts";
import type { ReferenceResolver } from "../../../markdown/renderer.ts";
import type { Forge } from "../../spine/forge.ts";
import { findNamedIssues, type FoundName } from "../issues/reference-queries.ts";
import { findVisibleNames } from "../../identity/owners/queries.ts";

/** Where a text stands. */
export interface TextPlace {
  /** The repository that it is in, with the viewer's access; null: in none. */
  access: RepositoryAccess | null;
  /** The repository that `#1` refers to, by names that the viewer may have made up. Without it, that of `access`. */
  names?: RepositoryName | null;
  /** A comment or the text of an issue. In documents `#1` is no reference: they have numbers of their own. */
  isComment: boolean;
}

type Found = FoundReference | null;

function mayReadCode({ actor, credential }: Viewer, access: RepositoryAccess): boolean {
  const demand = demandTo({ on: "repository", do: "read", unit: "code" }, "read", []);
  return !access.repository.empty && isAllowed({ actor, credential, repository: access }, demand);
}

function areSame(one: RepositoryName | null, other: RepositoryName): boolean {
  return (
    one?.owner.toLowerCase() === other.owner.toLowerCase() &&
    one.repository.toLowerCase() === other.repository.toLowerCase()
  );
}

/**
 * Finds what a text refers to, for one who reads it: users and organizations that they may know of by one query, issues and pull
 * requests that they may read by another, and the repository's commits if they may read its code. Everything else stays text.
 */
export function resolverFor(forge: Forge, viewer: Viewer, { access, names, isComment }: TextPlace): ReferenceResolver {
  const { addresses, database, git } = forge;
  const readsCode = access !== null && mayReadCode(viewer, access);
  const here = access === null ? (names ?? null) : { owner: access.owner.name, repository: access.repository.name };

  async function findOwners(references: readonly Reference[]): Promise<Map<Reference, Found>> {
    const wanted = references.filter((one) => one.kind === "user");
    const found =
      wanted.length === 0
        ? []
        : await findVisibleNames(
            database.db,
            viewer,
            wanted.map((one) => one.name),
          );
    const byName = new Map(found.map((name) => [name.toLowerCase(), { address: addresses.owner(name) }]));
    return new Map(wanted.map((one) => [one, byName.get(one.name.toLowerCase()) ?? null]));
  }

  async function findCommits(references: readonly Reference[]): Promise<Map<Reference, Found>> {
    const wanted = references.flatMap((one) =>
      "digits" in one && (one.kind === "commit" || areSame(here, one)) ? [one] : [],
    );
    if (access === null || !readsCode || wanted.length === 0) {
      return new Map();
    }
    const { owner, repository } = access;
    const found = await git.revisions.findCommits(
      repository,
      wanted.map(({ digits }) => digits),
    );
    return new Map(
      wanted.map((one) => {
        const oid = found.get(one.digits);
        const shown = one.kind === "address" ? { text: one.digits } : {};
        return [
          one,
          oid === undefined ? null : { address: addresses.commit(owner.name, repository.name, oid), ...shown },
        ];
      }),
    );
  }

  async function findIssues(references: readonly Reference[]): Promise<Map<Reference, Found>> {
    const wanted = references.flatMap((one) => {
      if (!("number" in one)) {
        return [];
      }
      const place = one.kind === "number" ? here : one;
      return place === null ? [] : [{ reference: one, ...place, number: one.number }];
    });
    const found = await findNamedIssues(database.db, viewer, wanted);
    return new Map(wanted.map(({ reference }, index) => [reference, linkTo(reference, found[index] ?? null)]));
  }

  function linkTo(reference: Extract<Reference, { number: number }>, found: FoundName | null): Found {
    if (found === null || ("sign" in reference && reference.sign === "!" && !found.isPull)) {
      return null;
    }
    const address = addresses.discussion(found.owner, found.repository, found);
    if (reference.kind !== "address") {
      return { address };
    }
    const short = `${areSame(here, found) ? "" : `${found.owner}/${found.repository}`}#${found.number}`;
    return reference.comment === null
      ? { address, text: short }
      : { address: `${address}#issuecomment-${reference.comment}`, text: `${short} (comment)` };
  }

  return {
    wanted: {
      kinds: [
        "user",
        ...(readsCode ? (["commit"] as const) : []),
        // Before numbers, which are parts of them.
        "issue",
        ...(isComment && here !== null ? (["number"] as const) : []),
        "address",
      ],
      server: addresses.base,
    },
    async resolve(references) {
      const found = await Promise.all([findOwners(references), findCommits(references), findIssues(references)]);
      return references.map((one) => found.reduce<Found>((before, map) => before ?? map.get(one) ?? null, null));
    },
  };
}
