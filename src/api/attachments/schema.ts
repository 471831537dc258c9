import { t } from "elysia";
import { dateTime, integer, oneOf } from "../common/schema.ts";

export const Attachment = t.Object(
  {
    browser_download_url: t.String({ description: "Address of the bytes" }),
    created_at: dateTime(),
    download_count: integer(),
    id: integer(),
    name: t.String(),
    size: integer({ description: "Bytes; 0 of a file elsewhere" }),
    type: oneOf(["attachment", "external"], "Whether the file is here or elsewhere"),
    uuid: t.String(),
  },
  { $id: "Attachment" },
);

export const EditAttachmentOptions = t.Object(
  {
    name: t.Optional(t.String({ description: "Empty: as it is" })),
    browser_download_url: t.Optional(
      t.String({ description: "Where a file elsewhere is; not for one that is here. Empty: as it is" }),
    ),
  },
  { $id: "EditAttachmentOptions" },
);

/** The fields of a form that brings a file. */
export const UploadForm = t.Object({
  attachment: t.Optional(t.Unsafe<never>({ type: "string", format: "binary", description: "The file" })),
  external_url: t.Optional(t.String({ description: "In place of a file, the address of one elsewhere" })),
});
