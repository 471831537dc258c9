import type { HookKind } from "../db/schema/hooks.ts";
import type { HookRow } from "../domain/exchange/hooks/queries.ts";
import { clip } from "../lib/show-value.ts";
import { summarize, type Summary } from "./summarize.ts";

/** A request to a hook. */
export interface Message {
  readonly url: string;
  readonly body: string;
  readonly contentType: string;
}

type Options = Readonly<Record<string, string>>;

const jsonType = "application/json";

/** The body for a hook: the payload itself for this family's kinds, as a message of its own for a chat or package service. */
export function composeMessage(
  hook: Pick<HookRow, "kind" | "url" | "contentType" | "options">,
  type: string,
  payload: string,
): Message {
  const compose = formats[hook.kind];
  if (compose !== undefined) {
    const told = JSON.parse(payload) as Payload;
    return {
      url: hook.url,
      body: JSON.stringify(compose(summarize(type, told), hook.options, told)),
      contentType: jsonType,
    };
  }
  return hook.contentType === "form"
    ? {
        url: hook.url,
        body: new URLSearchParams({ payload }).toString(),
        contentType: "application/x-www-form-urlencoded",
      }
    : { url: hook.url, body: payload, contentType: jsonType };
}

/** A payload as far as the messages look at it. */
export type Payload = Readonly<Record<string, unknown>>;

/** The format of each service, by its own documentation. */
const formats: Partial<Record<HookKind, (summary: Summary, options: Options, told: Payload) => unknown>> = {
  slack: ({ title, text, link }, options) => ({
    ...(options["channel"] ? { channel: options["channel"] } : {}),
    username: options["username"] ?? "",
    icon_url: options["icon_url"] ?? "",
    text: `<${link}|${escapeSlack(title)}>`,
    attachments:
      text === "" ? [] : [{ color: options["color"] ?? "", text: escapeSlack(text), fallback: escapeSlack(title) }],
  }),
  discord: ({ title, text, link, sender }, options) => ({
    username: options["username"] ?? "",
    avatar_url: options["icon_url"] ?? "",
    embeds: [
      {
        title: clip(title, 256),
        description: clip(text, 2000),
        url: link,
        author: { name: sender.name, url: sender.link, icon_url: sender.picture },
      },
    ],
    // Nobody is called by what somebody else wrote.
    allowed_mentions: { parse: [] },
  }),
  dingtalk: ({ title, text, link }) => ({
    msgtype: "actionCard",
    actionCard: {
      title,
      text: lines(title, text),
      hideAvatar: "0",
      singleTitle: "Open",
      singleURL: link,
    },
  }),
  telegram: ({ title, text, link }) => ({
    text: clip(lines(`<a href="${escapeHtml(link)}">${escapeHtml(title)}</a>`, escapeHtml(text)), 4000),
    parse_mode: "HTML",
    disable_web_page_preview: true,
  }),
  msteams: ({ title, text, link }) => ({
    "@type": "MessageCard",
    "@context": "https://schema.org/extensions",
    title,
    summary: title,
    sections: [{ activityTitle: title, text }],
    potentialAction: [{ "@type": "OpenUri", name: "Open", targets: [{ os: "default", uri: link }] }],
  }),
  feishu: ({ title, text, link }) => ({ msg_type: "text", content: { text: lines(title, text, link) } }),
  wechatwork: ({ title, text, link }) => ({
    msgtype: "markdown",
    markdown: { content: clip(lines(`[${title}](${link})`, text), 2000) },
  }),
  packagist: (_summary, options, { repository }) => ({
    repository: { url: options["package_url"] ?? (repository as { html_url?: string } | null)?.html_url ?? "" },
  }),
};

function lines(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapeHtml(text: string): string {
  return escapeSlack(text).replaceAll('"', "&quot;");
}
