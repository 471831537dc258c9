import { t } from "elysia";
import { dateTime, integer } from "../common/schema.ts";

export const Artifact = t.Object(
  {
    created_at: dateTime(),
    digest: t.String({ description: "SHA-256 of the bytes, as sha256:<hexadecimal>" }),
    download_url: t.String({ description: "Address of the bytes" }),
    id: integer(),
    name: t.String(),
    run_number: integer({ description: "Number of the run, as the uploader gave it" }),
    size_in_bytes: integer(),
    url: t.String({ description: "Address of this" }),
  },
  { $id: "Artifact" },
);

export const ArtifactList = t.Object({ artifacts: t.Array(Artifact), total_count: integer() }, { $id: "ArtifactList" });
