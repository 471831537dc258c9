import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";

/** A version of a package: the family calls it so. */
export const Package = t.Object(
  {
    id: integer({ description: "Of the version" }),
    owner: nullable(User),
    repository: nullable(Repository),
    creator: nullable(User),
    type: t.String(),
    name: t.String(),
    version: t.String(),
    html_url: t.String(),
    created_at: dateTime(),
    download_count: integer({ description: "How often its files were downloaded; only this server says so" }),
  },
  { $id: "Package" },
);

const digest = (name: string) => t.String({ description: `${name} in hexadecimal` });

export const PackageFile = t.Object(
  {
    id: integer(),
    Size: integer({ description: "Bytes" }),
    name: t.String(),
    md5: digest("MD5"),
    sha1: digest("SHA-1"),
    sha256: digest("SHA-256"),
    sha512: digest("SHA-512"),
  },
  { $id: "PackageFile" },
);
