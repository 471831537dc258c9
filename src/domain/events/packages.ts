import type { PackageType } from "../../db/schema/packages.ts";
import type { NamedOwner, NamedRepository } from "./names.ts";

/** A version of a package, as it is called while it is told about. */
interface NamedVersion {
  readonly id: number;
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
}

/** What is told of a version's row, which may be gone when somebody hears of it. */
export interface LastVersion {
  readonly id: number;
  readonly creatorId: number | null;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** What happens in the registries. `id` is the package's. */
export type PackageEvent =
  /** A version; it is deleted with its last file, of which nothing is told then. */
  | {
      readonly kind: "package.published" | "package.deleted";
      readonly owner: NamedOwner;
      readonly package: NamedVersion;
      readonly version: LastVersion;
      /** The one that the package is linked to. */
      readonly repository: NamedRepository | null;
    }
  /** What an index says about a version has changed, and none of its files. */
  | { readonly kind: "package.annotated"; readonly owner: NamedOwner; readonly package: NamedVersion }
  | {
      readonly kind: "package-file.added" | "package-file.deleted";
      readonly owner: NamedOwner;
      readonly package: NamedVersion;
      readonly file: { readonly id: number; readonly name: string; readonly bytes: number };
    }
  | {
      readonly kind: "package.linked";
      readonly owner: NamedOwner;
      readonly package: Omit<NamedVersion, "version">;
      readonly repository: NamedRepository;
    }
  | {
      readonly kind: "package-cleanup.set" | "package-cleanup.deleted";
      readonly owner: NamedOwner;
      readonly type: PackageType;
    }
  | { readonly kind: "package.unlinked"; readonly owner: NamedOwner; readonly package: Omit<NamedVersion, "version"> };

/** Which of them go into the outbox (`../events.ts`). */
export const outboxedOfPackages: Readonly<Record<PackageEvent["kind"], boolean>> = {
  "package.published": true,
  "package.deleted": true,
  "package.annotated": false,
  "package-file.added": false,
  "package-file.deleted": false,
  "package.linked": false,
  "package.unlinked": false,
  "package-cleanup.set": false,
  "package-cleanup.deleted": false,
};
