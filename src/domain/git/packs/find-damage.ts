import { CorruptPack } from "../../../git/pack/errors.ts";

/** Words for a repository whose files are damaged or gone, without the server's paths; null for everything else. */
export function findDamage(error: unknown): string | null {
  return error instanceof CorruptPack
    ? "The repository cannot be read at the moment: its stored data is damaged; the server's log says where"
    : null;
}
