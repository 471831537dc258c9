import { t } from "elysia";
import { deliveryStates, hookKinds } from "../../db/schema/hooks.ts";
import { dateTime, integer, nullable, oneOf, sparseList } from "../common/schema.ts";

const config = t.Record(t.String(), t.String());

const CreateHookOptionConfig = t.Record(t.String(), t.String(), {
  $id: "CreateHookOptionConfig",
  description:
    "`url` and `content_type` (json or form) are needed; `secret` signs; for chats also `channel`, `username`, `icon_url`, `color`",
});

export const Hook = t.Object(
  {
    active: t.Boolean(),
    authorization_header: t.String({
      description: "Asterisks if there is one and the caller may not change the webhook",
    }),
    branch_filter: t.String(),
    config,
    content_type: t.String(),
    created_at: dateTime(),
    events: t.Array(t.String()),
    id: integer(),
    metadata: t.Null(),
    type: t.String(),
    updated_at: dateTime(),
    url: t.String(),
  },
  { $id: "Hook" },
);

export const CreateHookOption = t.Object(
  {
    active: t.Optional(t.Boolean()),
    authorization_header: t.Optional(t.String({ description: "Sent as the header Authorization" })),
    branch_filter: t.Optional(t.String({ description: "A glob pattern of branches; empty: all" })),
    config: CreateHookOptionConfig,
    events: t.Optional(nullable(sparseList(t.String(), "Pushes if there are none"))),
    is_system_webhook: t.Optional(
      t.Boolean({ description: "Of the instance: it hears of everything, and is not copied into new repositories" }),
    ),
    type: oneOf(hookKinds),
  },
  { $id: "CreateHookOption" },
);

export const EditHookOption = t.Object(
  {
    active: t.Optional(nullable(t.Boolean())),
    authorization_header: t.Optional(t.String()),
    branch_filter: t.Optional(t.String()),
    config: t.Optional(nullable(t.Record(t.String(), t.String(), { description: "What is not sent stays" }))),
    events: t.Optional(nullable(sparseList(t.String(), "They stay if nothing is sent"))),
  },
  { $id: "EditHookOption" },
);

const deliveryFields = {
  id: integer(),
  guid: t.String({ description: "The same for each attempt, and in the header X-Gitea-Delivery" }),
  delivered_at: nullable(dateTime("The last attempt")),
  redelivery: t.Boolean({ description: "Somebody asked for it" }),
  duration: t.Number({ description: "Seconds that the last attempt took" }),
  status: t.String({ description: "Of the last attempt: OK, or what went wrong" }),
  status_code: integer({ description: "0: there was no answer" }),
  state: oneOf(deliveryStates, "dead: it failed too often"),
  attempts: integer(),
  event: t.String(),
  action: nullable(t.String()),
  repository_id: nullable(integer()),
  created_at: dateTime(),
};

export const HookDeliveryItem = t.Object(deliveryFields, { $id: "HookDeliveryItem" });

const headers = t.Record(t.String(), t.String());

export const HookDelivery = t.Object(
  {
    ...deliveryFields,
    url: t.String(),
    request: t.Object({
      headers: nullable(headers),
      payload: t.Unknown({ description: "The JSON that is sent; null: not made yet" }),
    }),
    response: t.Object({
      headers: nullable(headers),
      payload: nullable(t.String({ description: "The beginning of the body" })),
    }),
  },
  { $id: "HookDelivery" },
);
