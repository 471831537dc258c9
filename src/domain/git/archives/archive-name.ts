import { StithyError } from "../../../lib/errors.ts";

const formats = ["tar.gz", "zip", "tar", "bundle"] as const;
export type DownloadFormat = (typeof formats)[number];

export class UnknownArchiveFormat extends StithyError {
  constructor(name: string) {
    super(
      "malformed",
      "unknown-archive-format",
      `"${name}" must be a branch, tag or commit followed by one of ${formats.map((format) => `.${format}`).join(", ")}`,
      { name },
    );
  }
}

/** `<ref>.<format>`, where the ref may have dots and slashes. Throws UnknownArchiveFormat. */
export function parseArchiveName(name: string): { ref: string; format: DownloadFormat } {
  const format = formats.find((each) => name.length > each.length + 1 && name.endsWith(`.${each}`));
  if (format === undefined) {
    throw new UnknownArchiveFormat(name);
  }
  return { ref: name.slice(0, -format.length - 1), format };
}
