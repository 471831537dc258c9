import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";
import { Repository } from "../repos/schema.ts";
import { User } from "../users/schema.ts";

export const PublicKey = t.Object(
  {
    id: integer(),
    key: t.String({ description: "The algorithm and the key in base64" }),
    url: t.Optional(t.String()),
    title: t.Optional(t.String()),
    fingerprint: t.Optional(
      t.String({ description: "SHA256: and the digest of the key in base64, as ssh-keygen prints it" }),
    ),
    created_at: t.Optional(dateTime()),
    user: t.Optional(nullable(User)),
    read_only: t.Optional(
      t.Boolean({
        description:
          "Always false: a user's key may do what the user may. Shown to the user and to site administrators",
      }),
    ),
    key_type: t.Optional(t.String({ description: "Always user. Shown to the user and to site administrators" })),
  },
  { $id: "PublicKey" },
);

export const DeployKey = t.Object(
  {
    id: integer(),
    key_id: integer({ description: "Id of the key itself, which may open several repositories" }),
    key: t.String({ description: "The algorithm and the key in base64" }),
    url: t.String(),
    title: t.String(),
    fingerprint: t.String({ description: "SHA256: and the digest of the key in base64, as ssh-keygen prints it" }),
    created_at: dateTime(),
    read_only: t.Boolean({ description: "Whether it may fetch and not push" }),
    repository: t.Optional(nullable(Repository)),
  },
  { $id: "DeployKey" },
);

export const CreateKeyOption = t.Object(
  {
    title: t.String({ description: "Unique among the keys of the user or repository; at most 255 characters" }),
    key: t.String({
      description:
        "One line in OpenSSH's format, as in a file ending in .pub: an Ed25519, ECDSA or RSA key (of at least 2048 bits), or an Ed25519 or ECDSA key held in hardware",
    }),
    read_only: t.Optional(
      t.Boolean({
        description:
          "For a deploy key, that it may fetch and not push; false if absent. Keys of users cannot be read-only",
      }),
    ),
  },
  { $id: "CreateKeyOption" },
);
