import { withEndingsOf } from "../../domain/git/contents/line-endings.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { diffTexts } from "../code/diff-texts.ts";
import type { Html } from "../html.ts";
import type { Editing } from "./editing.ts";
import type { EditedFile } from "./text-file.ts";

/** What a typed text changes in its file, as a diff. */
export function changesOf(
  forge: Forge,
  { visit, access }: Editing,
  file: EditedFile | null,
  { path, text }: { path: string; text: string },
): Promise<Html> {
  return diffTexts(forge, visit, access, { path, before: file, after: withEndingsOf(file?.bytes ?? null, text) });
}
