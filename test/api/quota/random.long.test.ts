import { expect, test } from "bun:test";
import { recountUsage } from "../../../src/domain/identity/quota/recount-queries.ts";
import { LfsClient, sha256 } from "../../lfs/raw-lfs.ts";
import { testSeed } from "../../support/full-number.ts";
import { randomFrom } from "../../support/random.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const users = [await app.user("alice"), await app.user("bob"), await app.user("carol")];
const seed = testSeed();
const steps = 150;

test(`${steps} random changes leave sums that equal what is stored (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)] as Item;
  const listOf = async (user: (typeof users)[number]) =>
    (await user.api.get<{ full_name: string; owner: { login: string } }[]>("/user/repos?limit=50")).body
      .filter(({ owner }) => owner.login === user.name)
      .map(({ full_name }) => full_name);
  const done = new Map<string, number>();

  for (let step = 0; step < steps; step++) {
    const user = pick(users);
    const { api } = user;
    const own = await listOf(user);
    const path = own.length === 0 ? null : pick(own);
    const other = pick(users.filter((one) => one !== user));
    const text = "z".repeat(1 + random.below(3000));
    const attach = (to: string) => {
      const form = new FormData();
      form.append("attachment", new File([text], "file.txt"));
      const headers = { authorization: `token ${user.token}` };
      return fetch(`${app.url}/api/v1${to}`, { method: "POST", headers, body: form });
    };
    const changes: Record<string, () => Promise<{ status: number }>> = {
      create: () => api.post("/user/repos", { name: `r${step}`, auto_init: true, private: random.below(2) === 0 }),
      page: () => pick(users).api.post(`/repos/${path}/wiki/new`, { title: `p${step}`, content_base64: btoa(text) }),
      commit: () => api.post(`/repos/${path}/contents/${step}.txt`, { content: btoa(text), message: "m" }),
      fork: async () => api.post(`/repos/${pick(await listOf(other)) ?? "no/one"}/forks`, { name: `f${step}` }),
      show: () => api.patch(`/repos/${path}`, { private: random.below(2) === 0, globally_editable_wiki: true }),
      transfer: async () => {
        await api.post(`/repos/${path}/transfer`, { new_owner: other.name });
        return other.api.post(`/repos/${path}/transfer/accept`);
      },
      delete: () => api.delete(`/repos/${path}`),
      object: () => LfsClient.of(app, path ?? "", user.token).put(sha256(text), text),
      release: async () => {
        const { body } = await api.post<{ id: number }>(`/repos/${path}/releases`, { tag_name: `v${step}` });
        return attach(`/repos/${path}/releases/${body.id}/assets`);
      },
      unrelease: async () => {
        const { body } = await api.get<{ id: number }[]>(`/repos/${path}/releases`);
        return api.delete(`/repos/${path}/releases/${body[0]?.id ?? 0}`);
      },
      issue: async () => {
        const { body } = await api.post<{ number: number }>(`/repos/${path}/issues`, { title: "t" });
        return attach(`/repos/${path}/issues/${body.number}/assets`);
      },
      comment: async () => {
        const { body } = await api.get<{ number: number }[]>(`/repos/${path}/issues`);
        return pick(users).api.post(`/repos/${path}/issues/${body[0]?.number ?? 0}/comments`, { body: text });
      },
      rewrite: async () => {
        const { body } = await api.get<{ number: number }[]>(`/repos/${path}/issues`);
        return api.patch(`/repos/${path}/issues/${body[0]?.number ?? 0}`, { title: `t${step}`, body: text });
      },
      disclose: async () => {
        const { body } = await api.get<{ number: number }[]>(`/repos/${path}/issues`);
        return api.delete(`/repos/${path}/issues/${body[0]?.number ?? 0}`);
      },
    };
    const name = path === null ? "create" : pick(Object.keys(changes));
    const { status } = (await changes[name]?.()) ?? { status: 0 };
    done.set(name, (done.get(name) ?? 0) + Number(status < 300));
    expect({ step, name, ...(await recountUsage(app.forge.database.db)) }).toMatchObject({ step, miscounts: [] });
  }
  // Most of them succeeded, or this shows nothing.
  expect([...done.values()].filter((times) => times > 0).length).toBeGreaterThan(7);
});
