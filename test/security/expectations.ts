import { join } from "node:path";
import { Glob } from "bun";
import { resourceOf } from "../contract/resource-of.ts";

/**
 * Who may do what, operation by operation, written down apart from the code that decides it: one file for each resource
 * in `expectations/`. A new operation fails the matrix until it has a line in the file of its resource.
 *
 * - anyone: nobody in particular; self: whoever is signed in, for themselves; administer-site: site administrators
 * - tokens: the user of the path, or a site administrator for them, with a password
 * - see-owner: whoever may know of the user or organization of the path
 * - oneself: and only about themselves
 * - belong-to-organization, own-organization, create-in-organization: members; owners; those whose teams create repositories
 * - read-packages, write-packages: of an owner whom everybody knows, everybody, else members whose teams have the unit; those
 *   whose teams write to it
 * - see-team: its members and the organization's owners; manage-team: these owners
 * - read, write, admin, owner: with that access to the repository of the path, or to the unit that is named;
 *   participate: with read access, unless its owner blocked them
 *
 * "signed-in": and only somebody who is. All but anyone, see-owner and read need that anyway.
 */
const classes = [
  "anyone",
  "self",
  "administer-site",
  "tokens",
  "see-owner",
  "see-owner signed-in",
  "belong-to-organization",
  "belong-to-organization oneself",
  "create-in-organization",
  "own-organization",
  "read-packages",
  "write-packages",
  "see-team",
  "manage-team",
  "read",
  "read signed-in",
  "participate",
  "participate code",
  "read issues",
  "read issues signed-in",
  "participate issues",
  "write issues",
  "read issues-or-pulls",
  "read issues-or-pulls signed-in",
  "participate issues-or-pulls",
  "write issues-or-pulls",
  "read code",
  "read code signed-in",
  "write code",
  "read pulls",
  "participate pulls",
  "read code-of-pulls",
  "participate code-of-pulls",
  "write pulls",
  "admin issues-or-pulls",
  "admin pulls",
  "read wiki",
  "write wiki",
  "read releases",
  "write releases",
  "admin",
  "owner",
] as const;

export type Class = (typeof classes)[number];

/**
 * Of operations like `GET /user/emails`. Unless it works, an operation that writes to an archived repository is refused with 423.
 * `answers`: what this server does not have is refused to those, too, who may know.
 */
export type Expectations = Readonly<
  Record<string, Class | { may: Class; onArchived?: "works"; answers?: "forbidden" }>
>;

const directory = join(import.meta.dir, "expectations");
const files = [...new Glob("*.ts").scanSync(directory)].sort();
const entries = (
  await Promise.all(
    files.map(async (file) => {
      const { expectations } = (await import(join(directory, file))) as { expectations: Expectations };
      return Object.entries(expectations).map(([operation, expected]) => ({ file, operation, expected }));
    }),
  )
).flat();

/** Who may use each operation, by its method and path. */
export const classOf: ReadonlyMap<string, Class> = new Map(
  entries.map(({ operation, expected }) => [operation, typeof expected === "string" ? expected : expected.may]),
);

/** The operations that write to a repository and work on an archived one, too. The contract says 423 for none of these. */
export const worksOnArchived: readonly string[] = entries.flatMap(({ operation, expected }) =>
  typeof expected === "string" || expected.onArchived !== "works" ? [] : [operation],
);

/** The operations that are refused to everybody who gets as far as that. */
export const refusedToAll: readonly string[] = entries.flatMap(({ operation, expected }) =>
  typeof expected === "string" || expected.answers !== "forbidden" ? [] : [operation],
);

/** Operations that stand in the file of another resource, or in two files. */
export const misplaced: readonly string[] = entries.flatMap(({ file, operation }) => {
  const [, path = ""] = operation.split(" ");
  return file === `${resourceOf(path)}.ts`
    ? []
    : [`${operation} is in ${file}, and belongs into ${resourceOf(path)}.ts`];
});
