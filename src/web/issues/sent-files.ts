import { BlobTooLarge } from "../../blobs/blob-store.ts";
import { blobsOf, checkAttachment, type NewAttachment } from "../../domain/repos/attachments/add-attachment.ts";
import { InvalidAttachment } from "../../domain/repos/attachments/errors.ts";
import { stageAttachment, type StagedAttachment } from "../../domain/repos/attachments/stage-attachment.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Work } from "../../domain/spine/work.ts";
import { keepFile } from "../../domain/work/issues/loose-files.ts";
import { isShown } from "../../domain/repos/attachments/file-kind.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { SentFile } from "../form.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { cachingOf } from "../respond.ts";
import { tryForm } from "../try-form.ts";

/** The field of an editor that takes files (`parts/editor.ts`). */
export const filesField = "files";

/** A refusal of a file is shown at its field. */
function atField(error: unknown): unknown {
  return error instanceof InvalidAttachment || error instanceof BlobTooLarge
    ? new InvalidInput(error.message, filesField)
    : error;
}

async function stage(forge: Forge, { name, content }: SentFile): Promise<{ name: string; content: StagedAttachment }> {
  const stream = Bun.file(content.path).stream();
  const added = { name: name.split("/").at(-1) ?? name, content: await stageAttachment(forge, stream) };
  try {
    checkAttachment(forge.config, added);
  } catch (error) {
    await added.content[Symbol.asyncDispose]();
    throw error;
  }
  return added;
}

/**
 * Runs a unit of work that writes a text, with the files that were sent with it: `act` gives them to `attachFiles` of
 * `domain/work/comments/attachments.ts`. A file that is refused is told as InvalidInput at its field.
 */
export async function changeWithFiles<Made>(
  forge: Forge,
  doer: UserDoer,
  files: readonly SentFile[],
  act: (work: Work, added: readonly NewAttachment[]) => Promise<Made>,
): Promise<Made> {
  await using staged = new AsyncDisposableStack();
  const added: NewAttachment[] = [];
  try {
    for (const file of files) {
      const one = await stage(forge, file);
      staged.use(one.content);
      added.push(one);
    }
    return await forge.change(doer, { blobs: added.flatMap(blobsOf) }, (work) => act(work, added));
  } catch (error) {
    throw atField(error);
  }
}

/** Takes a file that is pasted or dropped into an editor, while its text is being written. It answers as JSON what the text shows it by. */
export function sentFilePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const participates = {
    may: { on: "repository", do: "participate", unit: "issues-or-pulls" },
    signedIn: true,
    longForm: true,
  } as const;
  const headers = { ...cachingOf(true), "x-content-type-options": "nosniff" };
  return [
    page("POST", "/:owner/:repo/issues/attachments", participates, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const [file] = visit.form.files;
          if (file === undefined) {
            throw new InvalidInput("No file was sent", filesField);
          }
          const added = await stage(forge, file);
          await using _content = added.content;
          const row = await keepFile(forge, doer, access, added);
          const isPicture = isShown(row, forge.config.attachments.image_limit_pixels);
          return Response.json({ name: row.name, address: `/attachments/${row.uuid}`, isPicture }, { headers });
        },
        ({ status, message }) => Response.json({ message }, { status, headers }),
      ),
    ),
  ];
}
