import { hookContentTypes, type HookContentType, type HookKind } from "../../../db/schema/hooks.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { compileNamePattern } from "../../../lib/name-pattern.ts";
import { seal } from "../../../lib/sealed-box.ts";
import type { OutboundClient } from "../../../outbound/outbound-client.ts";
import type { Doer } from "../../spine/doer.ts";
import { demandToOpen } from "../../spine/demand-to-open.ts";
import { Conflict, Forbidden, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import type { Work } from "../../spine/work.ts";
import { failWaitingDeliveries } from "./sending-queries.ts";
import { readHookEvents, scopesOfEvents } from "./hook-events.ts";
import type { HookPlace } from "./hook-place.ts";
import { hookSealContext, keptHeader } from "./hook-secrets.ts";
import {
  countHooks,
  deleteHookRow,
  insertHook,
  lockHook,
  updateHook,
  type HookColumns,
  type HookRow,
} from "./queries.ts";

/** The services that hooks are made with: the key that seals their secrets, and the client that knows which addresses may be called. */
export type HookForge = Pick<Forge, "keys" | "outbound" | "config">;

/** The fields of a hook that a request sets. If a field is undefined, a new hook has none, and an edited one keeps it. */
export interface HookInput {
  config?: Readonly<Record<string, string>> | undefined;
  events?: readonly string[] | undefined;
  branchFilter?: string | undefined;
  active?: boolean | undefined;
  authorization?: string | undefined;
}

/** The most hooks of one place. */
const maxHooks = 100;
const longest = { url: 2000, secret: 255, authorization: 2000, filter: 255, option: 500 };

/** The options of kinds beside the address: how their messages look. */
const optionNames = ["channel", "username", "icon_url", "color", "package_url"] as const;

/** Makes a hook. Throws InvalidInput that names the field, AddressRefused, ScopeMissing and Forbidden. */
export async function createHook(
  forge: HookForge,
  work: Work,
  place: HookPlace,
  input: HookInput & { kind: HookKind; system: boolean },
): Promise<HookRow> {
  requireHooks(forge);
  const sealId = crypto.randomUUID();
  const events = readHookEvents(input.events ?? []);
  demandEvents(work.doer, events);
  const config = input.config ?? {};
  if ((await countHooks(work.tx, place)) >= maxHooks) {
    throw new InvalidInput(`There are ${maxHooks} webhooks already; delete one of them first`);
  }
  return insertHook(work.tx, place, {
    kind: input.kind,
    system: input.system,
    sealId,
    url: readUrl(forge.outbound, config),
    contentType: demandContentType(config),
    options: readOptions(config),
    events,
    branchFilter: readFilter(input.branchFilter ?? ""),
    active: input.active ?? false,
    secret: sealText(forge, sealId, "secret", readSecret(config) ?? ""),
    authorization: sealText(forge, sealId, "authorization", readAuthorization(input.authorization ?? "")),
    authorizationShown: true,
  });
}

/**
 * Changes a hook. `seen`: when it had been changed last when the caller saw it. One that leads to another server loses its Authorization header
 * unless that is sent anew. One that is switched on again begins anew: what it had not delivered is not sent any more. Throws NotFound, Conflict,
 * and what `createHook` throws.
 */
export async function editHook(
  forge: HookForge,
  work: Work,
  place: HookPlace,
  id: number,
  input: HookInput,
  seen?: Date,
): Promise<HookRow> {
  requireHooks(forge);
  const before = await getLocked(work, place, id);
  if (seen !== undefined && seen.getTime() !== before.updatedAt.getTime()) {
    throw new Conflict("Somebody else changed this webhook meanwhile");
  }
  const { sealId } = before;
  const config = input.config ?? {};
  const changed: Partial<HookColumns> = {};
  if (input.events !== undefined) {
    changed.events = readHookEvents(input.events);
  }
  // Another address, or one that is switched on, hears of all that it has.
  demandEvents(work.doer, changed.events ?? before.events);
  if (config["url"] !== undefined) {
    changed.url = readUrl(forge.outbound, config);
    if (new URL(changed.url).origin !== new URL(before.url).origin) {
      // Whoever may lead the webhook elsewhere does not get to know what was meant for the former receiver.
      changed.authorization = null;
    }
  }
  const contentType = readContentType(config);
  if (contentType !== null) {
    changed.contentType = contentType;
  }
  const options = readOptions(config);
  if (Object.keys(options).length > 0) {
    changed.options = { ...before.options, ...options };
  }
  const secret = readSecret(config);
  if (secret !== null) {
    changed.secret = sealText(forge, sealId, "secret", secret);
  }
  if (input.branchFilter !== undefined) {
    changed.branchFilter = readFilter(input.branchFilter);
  }
  if (input.authorization !== undefined && input.authorization !== keptHeader) {
    changed.authorization = sealText(forge, sealId, "authorization", readAuthorization(input.authorization));
    changed.authorizationShown = true;
  }
  const switched = input.active !== undefined && input.active !== before.active;
  if (input.active !== undefined) {
    changed.active = input.active;
  }
  if (switched) {
    await failWaitingDeliveries(work.tx, id, "The webhook was switched off");
  }
  return updateHook(work.tx, id, {
    ...changed,
    ...(switched ? { failingSince: null, pausedAt: null, nextAt: null } : {}),
  });
}

/** Deletes a hook with the history of its deliveries. Throws NotFound. */
export async function deleteHook(forge: HookForge, work: Work, place: HookPlace, id: number): Promise<void> {
  requireHooks(forge);
  await getLocked(work, place, id);
  await deleteHookRow(work.tx, id);
}

async function getLocked(work: Work, place: HookPlace, id: number): Promise<HookRow> {
  const row = await lockHook(work.tx, place, id);
  if (row === null) {
    throw new NotFound("webhook", String(id));
  }
  return row;
}

/** Throws Forbidden where the operator has switched webhooks off. */
export function requireHooks({ config }: Pick<Forge, "config">): void {
  if (!config.webhooks.enabled) {
    throw new Forbidden("Webhooks are switched off on this server (webhooks.enabled)");
  }
}

/**
 * A hook tells what happens to whoever has its address, so a token makes none that hears more than the token may read by
 * itself. Throws ScopeMissing, and Forbidden for a token that sees public things only: what is public today may be private later.
 */
export function demandEvents(doer: Doer, events: readonly string[]): void {
  demandToOpen(doer, { categories: scopesOfEvents(events), level: "read" });
}

function readUrl(outbound: OutboundClient, { url }: Readonly<Record<string, string>>): string {
  if (url === undefined || url === "" || url.length > longest.url) {
    throw new InvalidInput(`config.url: an address of at most ${longest.url} characters is needed`, "config.url");
  }
  try {
    return outbound.checkUrl(url).href;
  } catch (error) {
    throw error instanceof Error
      ? new InvalidInput(`config.url: ${error.message}`, "config.url", { cause: error })
      : error;
  }
}

function readContentType({ content_type: text }: Readonly<Record<string, string>>): HookContentType | null {
  if (text === undefined) {
    return null;
  }
  const found = hookContentTypes.find((one) => one === text);
  if (found === undefined) {
    throw new InvalidInput(`config.content_type is one of ${hookContentTypes.join(", ")}`, "config.content_type");
  }
  return found;
}

function demandContentType(config: Readonly<Record<string, string>>): HookContentType {
  const contentType = readContentType(config);
  if (contentType === null) {
    throw new InvalidInput(
      `config.content_type is required: one of ${hookContentTypes.join(", ")}`,
      "config.content_type",
    );
  }
  return contentType;
}

function readOptions(config: Readonly<Record<string, string>>): Record<string, string> {
  const options: Record<string, string> = {};
  for (const name of optionNames) {
    const value = config[name];
    if (value !== undefined) {
      if (value.length > longest.option) {
        throw new InvalidInput(`config.${name} has at most ${longest.option} characters`, `config.${name}`);
      }
      options[name] = value;
    }
  }
  return options;
}

function readSecret({ secret }: Readonly<Record<string, string>>): string | null {
  if (secret !== undefined && secret.length > longest.secret) {
    throw new InvalidInput(`config.secret has at most ${longest.secret} characters`, "config.secret");
  }
  return secret ?? null;
}

function readAuthorization(text: string): string {
  if (text.length > longest.authorization || !/^[\x20-\x7e]*$/.test(text)) {
    throw new InvalidInput(
      `authorization_header has at most ${longest.authorization} characters, of ASCII and no line breaks`,
      "authorization_header",
    );
  }
  return text.trim();
}

function readFilter(pattern: string): string {
  if (pattern.length > longest.filter) {
    throw new InvalidInput(`branch_filter has at most ${longest.filter} characters`, "branch_filter");
  }
  if (pattern !== "") {
    compileNamePattern(pattern, "branch_filter");
  }
  return pattern;
}

function sealText({ keys }: HookForge, sealId: string, what: string, text: string): Uint8Array | null {
  return text === "" ? null : seal(keys.seal, new TextEncoder().encode(text), hookSealContext(sealId, what));
}
