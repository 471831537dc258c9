import { InvalidInput } from "../../lib/errors.ts";
import { CommitOfSeriesRefused, EditConflict, InvalidEdit } from "../edit/errors.ts";
import { CorruptObject } from "../objects/errors.ts";
import { MissingObject } from "../odb/object-database.ts";
import { PatchRefused } from "../patch/patch-refused.ts";
import { CorruptPack, PackRejected } from "../pack/errors.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { EngineCancelled, TooCostly } from "../job/errors.ts";
import { NeedsHeavyLane } from "../job/lane.ts";
import type { ErrorClass } from "../../lib/wire-error.ts";

/** The errors that callers of the engine tell apart with `instanceof`, by their code; others arrive as StithyError. */
export const engineErrors: ReadonlyMap<string, ErrorClass> = new Map<string, ErrorClass>([
  ["commit-of-series-refused", CommitOfSeriesRefused],
  ["corrupt-object", CorruptObject],
  ["corrupt-pack", CorruptPack],
  ["edit-conflict", EditConflict],
  ["engine-cancelled", EngineCancelled],
  ["git-protocol", ProtocolError],
  ["invalid-edit", InvalidEdit],
  ["invalid-input", InvalidInput],
  ["missing-object", MissingObject],
  ["needs-heavy-lane", NeedsHeavyLane],
  ["pack-rejected", PackRejected],
  ["patch-refused", PatchRefused],
  ["too-costly", TooCostly],
]);
