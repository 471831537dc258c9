import { t } from "elysia";
import { dateTime, integer } from "../common/schema.ts";

export const OAuth2Application = t.Object(
  {
    id: integer(),
    name: t.String(),
    client_id: t.String(),
    client_secret: t.String({ description: "Only in the answer that makes it" }),
    confidential_client: t.Boolean({ description: "It keeps its secret to itself; else PKCE alone proves who it is" }),
    redirect_uris: t.Array(t.String()),
    created: dateTime(),
  },
  { $id: "OAuth2Application" },
);

export const CreateOAuth2ApplicationOptions = t.Object(
  {
    name: t.Optional(t.String({ description: "Needed" })),
    redirect_uris: t.Optional(
      t.Array(t.String(), {
        description: "Where users are sent back to; absolute, and compared to the letter. At least one",
      }),
    ),
    confidential_client: t.Optional(
      t.Boolean({ description: "Whether it runs where nobody else reads its secret; false, if absent" }),
    ),
  },
  { $id: "CreateOAuth2ApplicationOptions" },
);
