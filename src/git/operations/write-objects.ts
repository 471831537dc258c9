import { NewObjects } from "../edit/new-objects.ts";
import { objectFormat } from "../objects/object-format.ts";
import { typeOfName, type ObjectTypeName } from "../objects/object-type.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { ObjectDatabase } from "../odb/object-database.ts";
import type { PackDestination, StagedPack } from "../pack/staged-pack.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";

export interface WriteObjectsArgs {
  readonly objects: readonly { readonly type: ObjectTypeName; readonly bytes: Uint8Array }[];
  readonly destination: PackDestination;
}

export interface WrittenPack {
  /** null when the repository had all the objects */
  readonly pack: StagedPack | null;
}

/** Writes objects as they are, unchecked, and answers their oids. Throws InvalidInput for an unknown type, CorruptPack. */
export async function writeObjects(
  view: RepositoryView,
  args: WriteObjectsArgs,
  caches: EngineCaches,
): Promise<WrittenPack & { readonly oids: readonly string[] }> {
  using odb = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
  const objects = new NewObjects(odb);
  const oids = args.objects.map(({ type, bytes }) => {
    const number = typeOfName(type);
    if (number === null) {
      throw new InvalidInput(`Cannot write an object of the type "${type}"`);
    }
    return objects.add(number, bytes);
  });
  return { oids, pack: await stageObjects(odb.format, objects.list, args.destination) };
}
