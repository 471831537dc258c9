import { signTag } from "../edit/add-commit.ts";
import { NewObjects } from "../edit/new-objects.ts";
import { objectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { Signature } from "../objects/signature.ts";
import { writeTag } from "../objects/tag.ts";
import type { EngineCaches } from "../odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../odb/object-database.ts";
import type { PackDestination } from "../pack/staged-pack.ts";
import { stageObjects } from "./stage-objects.ts";
import type { RepositoryView } from "../job/repository-view.ts";
import type { WrittenPack } from "./write-objects.ts";

export interface CreateTagArgs {
  /** hexadecimal oid of what is tagged */
  readonly object: string;
  /** without `refs/tags/` */
  readonly name: string;
  readonly tagger: Signature;
  readonly message: string;
  readonly destination: PackDestination;
}

/** Makes an annotated tag, signed if this server signs (the object; refs are the caller's). Throws MissingObject, CorruptPack. */
export async function createTag(
  view: RepositoryView,
  args: CreateTagArgs,
  caches: EngineCaches,
): Promise<WrittenPack & { readonly oid: string }> {
  using odb = ObjectDatabase.open(objectFormat(view.format), view.packs, caches);
  const position = odb.findHex(args.object);
  if (position < 0) {
    throw new MissingObject(args.object);
  }
  const { object, name, tagger, message } = args;
  const objects = new NewObjects(odb);
  const bytes = writeTag({ object, type: odb.typeAt(position), name, tagger, extraHeaders: [], message });
  const oid = objects.add(ObjectType.tag, await signTag(bytes));
  return { oid, pack: await stageObjects(odb.format, objects.list, args.destination) };
}
