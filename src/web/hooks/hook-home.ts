import type { HookKind } from "../../db/schema/hooks.ts";
import type { HookPlace } from "../../domain/exchange/hooks/hook-place.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Html } from "../html.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** Whose webhooks a page is about, and the settings that it is part of. */
export interface HookHome {
  readonly visit: Visit;
  readonly doer: UserDoer;
  readonly place: HookPlace;
  /** The address of the list. */
  readonly link: string;
  /** Puts content into the settings. */
  readonly frame: (page: Omit<Page, "body"> & { about?: Html | string; body: Html; tools?: Html | null }) => Page;
  /** Tells a hook of the newest commit; null: there is no such commit. */
  readonly test: ((hookId: number, ref: string) => Promise<void>) | null;
}

export const kindNames: Readonly<Record<HookKind, string>> = {
  forgejo: "Forgejo",
  gitea: "Gitea",
  gogs: "Gogs",
  slack: "Slack",
  discord: "Discord",
  dingtalk: "DingTalk",
  telegram: "Telegram",
  msteams: "Microsoft Teams",
  feishu: "Feishu",
  wechatwork: "WeCom",
  packagist: "Packagist",
};
