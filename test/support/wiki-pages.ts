import type { TestUser } from "./test-app.ts";

export interface CommitJson {
  sha: string;
  author: { name: string; email: string };
  message: string;
}

/** A page of a wiki as the API answers it. */
export interface PageJson {
  title: string;
  html_url: string;
  sub_url: string;
  last_commit: CommitJson;
  content_base64: string;
  commit_count: number;
  sidebar: string;
  footer: string;
  message?: string;
}

export const base64 = (text: string): string => Buffer.from(text).toString("base64");
export const textOf = (encoded: string): string => Buffer.from(encoded, "base64").toString();

/** Adds a page to the wiki whose address in the API is `at`, such as `/repos/alice/site/wiki`. */
export const addPage = (who: TestUser, title: string, text: string, at: string, message?: string) =>
  who.api.post<PageJson>(`${at}/new`, { title, content_base64: base64(text), ...(message ? { message } : {}) });

export const getPage = (who: TestUser, path: string, at: string) =>
  who.api.get<PageJson>(`${at}/page/${encodeURIComponent(path)}`);
