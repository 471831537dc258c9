import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";

const GPGKeyEmail = t.Object(
  { email: t.String(), verified: t.Boolean({ description: "It is a verified address of the user" }) },
  { $id: "GPGKeyEmail" },
);

const details = {
  id: integer(),
  primary_key_id: t.String({ description: "Of a subkey: the id of the key that it belongs to" }),
  key_id: t.String({ description: "The last 16 digits of the fingerprint" }),
  public_key: t.String({ description: "The key's packet in base64" }),
  emails: nullable(t.Array(GPGKeyEmail)),
  can_sign: t.Boolean(),
  can_encrypt_comms: t.Boolean(),
  can_encrypt_storage: t.Boolean(),
  can_certify: t.Boolean(),
  verified: t.Boolean({ description: "The user proved by a signature to have the key" }),
  created_at: t.Optional(dateTime("When the key was made")),
  expires_at: t.Optional(dateTime("Absent when it never ends")),
};

/** Subkeys are keys again, which have none. */
export const GPGKey = t.Recursive((This) => t.Object({ ...details, subkeys: nullable(t.Array(This)) }), {
  $id: "GPGKey",
});

export const CreateGPGKeyOption = t.Object(
  {
    armored_public_key: t.String({ description: "As `gpg --armor --export` prints it" }),
    armored_signature: t.Optional(
      t.String({
        description:
          "By this key, over the token of /user/gpg_key_token: needed unless an address of the key is a verified one of the user",
      }),
    ),
  },
  { $id: "CreateGPGKeyOption" },
);

export const VerifyGPGKeyOption = t.Object(
  {
    key_id: t.String({ description: "Id or fingerprint of one of the user's keys" }),
    armored_signature: t.String({ description: "By this key, over the token of /user/gpg_key_token" }),
  },
  { $id: "VerifyGPGKeyOption" },
);
