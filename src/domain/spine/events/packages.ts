import { Type, type Static } from "typebox";
import { packageTypes } from "../../../db/schema/packages.ts";
import { choice, orNull } from "../../../lib/schema.ts";
import { event, hooked } from "./define-event.ts";
import { news } from "./hook-news.ts";
import { NamedOwner, NamedRepository } from "./names.ts";

const NamedPackage = Type.Object({ id: Type.Integer(), type: choice(packageTypes), name: Type.String() });
/** A version of a package. `id` is the package's. */
const NamedVersion = Type.Object({ ...NamedPackage.properties, version: Type.String() });

/** A version in an event. Its row may be gone when a receiver gets the event. */
const LastVersion = Type.Object({
  id: Type.Integer(),
  creatorId: orNull(Type.Integer()),
  /** RFC 3339. */
  createdAt: Type.String(),
});
export type LastVersion = Readonly<Static<typeof LastVersion>>;

/** `repository`: the one that the package is linked to. */
const ofVersion = {
  owner: NamedOwner,
  package: NamedVersion,
  version: LastVersion,
  repository: orNull(NamedRepository),
};
const ofFile = {
  owner: NamedOwner,
  package: NamedVersion,
  file: Type.Object({ id: Type.Integer(), name: Type.String(), bytes: Type.Integer() }),
};

/** Events of the registries. */
export const packageEvents = {
  /** A version. */
  "package.published": hooked(ofVersion, news("package", "created")),
  /** A version; it is deleted with its last file, for which no event is told. */
  "package.deleted": hooked(ofVersion, news("package", "deleted")),
  /** The entry of a version in an index changed, but none of its files. */
  "package.annotated": event({ owner: NamedOwner, package: NamedVersion }),
  "package-file.added": event(ofFile),
  "package-file.deleted": event(ofFile),
  "package.linked": event({ owner: NamedOwner, package: NamedPackage, repository: NamedRepository }),
  "package.unlinked": event({ owner: NamedOwner, package: NamedPackage }),
};
