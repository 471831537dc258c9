import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bigintNumber, bytea, bytewiseText, id, instant } from "./columns.ts";

/** The receivers of messages: one takes this family's own payload, and each chat or package service has a format of its own. */
export const hookKinds = [
  "forgejo",
  "gitea",
  "gogs",
  "slack",
  "discord",
  "dingtalk",
  "telegram",
  "msteams",
  "feishu",
  "wechatwork",
  "packagist",
] as const;
export type HookKind = (typeof hookKinds)[number];

export const hookContentTypes = ["json", "form"] as const;
export type HookContentType = (typeof hookContentTypes)[number];

/**
 * A webhook of a repository, of an owner or of the instance. Without foreign keys: the hooks of what was deleted are still
 * told so. The regular task `clean_hooks` removes them after that.
 */
export const hook = pgTable(
  "hook",
  {
    id: id().primaryKey(),
    /** One of these two, or none: it belongs to the instance. */
    repositoryId: bigintNumber(),
    ownerId: bigintNumber(),
    /** A hook of the instance hears of everything (true), or is copied into new repositories (false). */
    system: boolean().notNull().default(false),
    kind: bytewiseText().$type<HookKind>().notNull(),
    url: text().notNull(),
    contentType: bytewiseText().$type<HookContentType>().notNull(),
    /** Further fields of the kind, such as the channel of slack. */
    options: jsonb().$type<Record<string, string>>().notNull(),
    events: text().array().notNull(),
    /** A glob pattern of branches; empty: all. */
    branchFilter: text().notNull(),
    active: boolean().notNull(),
    /** Binds the sealed columns to their row. */
    sealId: uuid().notNull(),
    /** The key of the signatures, sealed; null: none. */
    secret: bytea(),
    /** The Authorization header, sealed; null: none. */
    authorization: bytea(),
    /** Somebody who may change the hook set it; false: it came with a copy, or before this column, and is shown to nobody. */
    authorizationShown: boolean().notNull().default(false),
    createdAt: instant().notNull().defaultNow(),
    updatedAt: instant().notNull().defaultNow(),
    /** Its deliveries have failed since then; null: the last one did not. */
    failingSince: instant(),
    /** The server stopped it then, because it had failed for days. */
    pausedAt: instant(),
    /** When its first waiting delivery is due; null: none waits. */
    nextAt: instant(),
  },
  (table) => [
    index("hook_repository").on(table.repositoryId, table.id),
    index("hook_owner").on(table.ownerId, table.id),
    index("hook_instance")
      .on(table.id)
      .where(sql`${table.repositoryId} is null and ${table.ownerId} is null`),
    index("hook_next")
      .on(table.nextAt)
      .where(sql`${table.nextAt} is not null`),
    check("hook_place", sql`${table.repositoryId} is null or ${table.ownerId} is null`),
    check("hook_system", sql`not ${table.system} or (${table.repositoryId} is null and ${table.ownerId} is null)`),
  ],
);

/** Something that hooks are told of: once, however many of them there are. */
export const hookEvent = pgTable(
  "hook_event",
  {
    id: id().primaryKey(),
    /** As in the `events` of a hook, such as `issue_label`. */
    type: bytewiseText().notNull(),
    /** The `action` of the payload; empty: it has none. */
    action: bytewiseText().notNull(),
    repositoryId: bigintNumber(),
    /** The owner, who takes turns with others; 0: none. */
    ownerId: bigintNumber().notNull().default(0),
    at: instant().notNull(),
    /** The hooks that are to be told; null: their deliveries were made. */
    hookIds: bigintNumber().array(),
    /** The event that the payload is made of. It becomes null when the payload is made, and stays if that failed for good. */
    source: jsonb().$type<HookSource>(),
    /** The JSON that is sent; null: not made yet. */
    payload: text(),
    /** When the payload is to be made; null: it is made, or making it failed for good. */
    makeAt: instant(),
    /** How often making the payload has failed. */
    failures: integer().notNull().default(0),
  },
  (table) => [
    index("hook_event_unmade")
      .on(table.ownerId, table.id)
      .where(sql`${table.makeAt} is not null`),
    index("hook_event_failed")
      .on(table.id)
      .where(sql`${table.makeAt} is null and ${table.source} is not null`),
  ],
);

/** A row of the outbox; if several refs moved, only the one that this event is about. `readTold` reads it. */
export interface HookSource {
  readonly kind: string;
  readonly doer: unknown;
  readonly event: unknown;
}

export const deliveryStates = ["waiting", "delivered", "dead"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The delivery of an event to a hook, with its last attempt. */
export const hookDelivery = pgTable(
  "hook_delivery",
  {
    /** The order in which a hook gets them. */
    id: id().primaryKey(),
    /** Each attempt has the same one, and so does a delivery that somebody asked for again. */
    uuid: uuid().notNull(),
    hookId: bigintNumber()
      .notNull()
      .references(() => hook.id, { onDelete: "cascade" }),
    eventId: bigintNumber()
      .notNull()
      .references(() => hookEvent.id, { onDelete: "cascade" }),
    state: bytewiseText().$type<DeliveryState>().notNull().default("waiting"),
    /** Somebody asked for it again. */
    redelivery: boolean().notNull().default(false),
    attempts: integer().notNull().default(0),
    createdAt: instant().notNull().defaultNow(),
    /** This and the next columns are those of the last attempt; null: there was none. */
    attemptedAt: instant(),
    durationMs: integer(),
    url: text(),
    requestHeaders: jsonb().$type<Record<string, string>>(),
    /** 0: there was no answer, and `failure` says why. */
    status: integer(),
    responseHeaders: jsonb().$type<Record<string, string>>(),
    /** The beginning of it. */
    responseBody: text(),
    failure: text(),
  },
  (table) => [
    index("hook_delivery_hook").on(table.hookId, table.id),
    uniqueIndex("hook_delivery_waiting")
      .on(table.hookId, table.id)
      .where(sql`${table.state} = 'waiting'`),
    index("hook_delivery_event").on(table.eventId),
    index("hook_delivery_done")
      .on(table.createdAt)
      .where(sql`${table.state} <> 'waiting'`),
  ],
);
