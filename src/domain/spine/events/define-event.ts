import { Type, type Static, type TObject, type TProperties } from "typebox";
import { prepareFits } from "../../../lib/schema.ts";
import type { HookNews } from "./hook-news.ts";

/** A kind of event that subscribers hear of. */
interface EventSpec<Carries extends TProperties> {
  /** Its fields besides `kind`. */
  readonly carries: TObject<Carries>;
  /** Whether a value has these fields. */
  readonly fits: (fields: unknown) => boolean;
}

/** A kind of event that webhooks hear of, too. */
export interface HookedSpec<Carries extends TProperties> extends EventSpec<Carries> {
  /** The news for webhooks, in this order. */
  news(event: Static<TObject<Carries>>): readonly HookNews[];
}

/** Declares a kind of event that only subscribers hear of. */
export function event<Carries extends TProperties>(carries: Carries): EventSpec<Carries> {
  const schema = Type.Object(carries);
  return { carries: schema, fits: prepareFits(schema) };
}

/** Declares a kind of event that goes into the outbox, because webhooks hear of it. */
export function hooked<Carries extends TProperties>(
  carries: Carries,
  news: HookedSpec<Carries>["news"],
): HookedSpec<Carries> {
  return { ...event(carries), news };
}
