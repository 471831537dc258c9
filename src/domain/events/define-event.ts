import { Type, type Static, type TObject, type TProperties } from "@sinclair/typebox";
import type { HookNews } from "./hook-news.ts";

/** A kind of event that subscribers hear of. */
interface EventSpec<Carries extends TProperties> {
  /** Its fields besides `kind`. */
  readonly carries: TObject<Carries>;
}

/** A kind of event that webhooks hear of, too. */
export interface HookedSpec<Carries extends TProperties> extends EventSpec<Carries> {
  /** What webhooks are told of it, in this order. */
  news(event: Static<TObject<Carries>>): readonly HookNews[];
}

/** Declares a kind of event that only subscribers hear of. */
export function event<Carries extends TProperties>(carries: Carries): EventSpec<Carries> {
  return { carries: Type.Object(carries) };
}

/** Declares a kind of event that goes into the outbox, because webhooks hear of it. */
export function hooked<Carries extends TProperties>(
  carries: Carries,
  news: HookedSpec<Carries>["news"],
): HookedSpec<Carries> {
  return { carries: Type.Object(carries), news };
}
