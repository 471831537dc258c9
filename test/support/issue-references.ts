import { expect } from "bun:test";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import type { TestApp, TestUser } from "./test-app.ts";

/** An entry of a timeline. */
export interface Entry {
  type: string;
  body: string;
  user: { login: string } | null;
  ref_action: string;
  ref_commit_sha: string;
  ref_issue: { number: number; repository: { full_name: string } } | null;
  ref_comment: { id: number; body: string } | null;
}

/** An entry as the tests compare it. */
interface Shown {
  type: string;
  by: string | null;
  action: string;
  from?: string | undefined;
  comment?: string | undefined;
  oid?: string | undefined;
}

/** What tests of references between issues, commits and pull requests do. */
export function issueReferences(app: TestApp, alice: TestUser) {
  let made = 0;

  /** A repository of alice with a first commit. */
  async function repository(fields: Record<string, unknown> = {}): Promise<string> {
    const name = `repo${++made}`;
    await app.repository(alice, name, { auto_init: true, ...fields });
    return `alice/${name}`;
  }

  async function issue(place: string, body = "", by = alice, title = "Broken"): Promise<number> {
    const { status, body: json } = await by.api.post<{ number: number }>(`/repos/${place}/issues`, { title, body });
    expect(status).toBe(201);
    return json.number;
  }

  /** The entries of a timeline that refer to the issue, once nothing is under way any more. */
  async function references(place: string, number: number, api = alice.api): Promise<Shown[]> {
    await waitUntilIdle(app.forge, 60_000);
    const { status, body, headers } = await api.get<Entry[]>(`/repos/${place}/issues/${number}/timeline`);
    expect(status).toBe(200);
    expect(headers.get("x-total-count")).toBe(String(body.length));
    return body
      .filter(({ type }) => type.endsWith("_ref"))
      .map(({ type, user, ref_action: action, ref_issue: from, ref_comment: text, ref_commit_sha: oid }) => ({
        type,
        by: user?.login ?? null,
        action,
        from: from === null ? undefined : `${from.repository.full_name}#${from.number}`,
        comment: text?.body,
        oid: oid || undefined,
      }));
  }

  async function isOpen(place: string, number: number): Promise<boolean> {
    await waitUntilIdle(app.forge, 60_000);
    return (await alice.api.get<{ state: string }>(`/repos/${place}/issues/${number}`)).body.state === "open";
  }

  return { repository, issue, references, isOpen };
}
