import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Forge } from "../../spine/forge.ts";
import { templateBytes, templatePaths } from "./merge-message.ts";
import type { MovingStyle } from "./merge-styles.ts";

/** The file that the default branch has for messages of merges of a style, and its beginning; null if there is none. */
export async function readTemplate(
  forge: Forge,
  { repository }: Pick<RepositoryAccess, "repository">,
  style: MovingStyle,
): Promise<{ path: string; text: string } | null> {
  if (style === "fast-forward-only") {
    return null;
  }
  const tip = await forge.git.revisions.find(repository);
  for (const path of tip === null ? [] : templatePaths(style)) {
    const file = await forge.git.contents.findFile(tip!.view, tip!.commit, path);
    if (file?.bytes != null) {
      return { path, text: Buffer.from(file.bytes.subarray(0, templateBytes)).toString("utf8") };
    }
  }
  return null;
}
