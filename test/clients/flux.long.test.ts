import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mustGit, Scratch } from "../support/git.ts";
import { Receiver } from "../support/receiver.ts";
import { Replay } from "../support/replay.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * What Flux sends: `flux bootstrap gitea` with a token, then its controllers, which clone with the deploy key, tell
 * statuses and hear of pushes by a webhook. Its git is go-git, which go-git.long.test.ts drives.
 */

setDefaultTimeout(120_000);

const app = await useTestApp({ ssh: { enabled: true }, outbound: { allowed_networks: ["127.0.0.1"] } });
const alice = await app.user("alice");
const flux = new Replay(alice.api, "Go-http-client/1.1");
const send = flux.send.bind(flux);
const scratch = new Scratch();
afterAll(() => scratch[Symbol.dispose]());
const team = { permission: "write", units: ["repo.code"], units_map: null, description: "" };
await app.organization("fleet", alice);
await alice.api.post("/orgs/fleet/teams", {
  ...team,
  name: "ops",
  can_create_org_repo: false,
  includes_all_repositories: false,
});

const unsaid = { issue_labels: "", auto_init: false, template: false, gitignores: "", license: "", readme: "" };
const repository = { private: true, ...unsaid, default_branch: "main", trust_model: "", object_format_name: "" };

async function pushManifests(address: string, path: string): Promise<string> {
  const work = scratch.join(path.replaceAll("/", "-"));
  await mustGit(scratch.path, ["clone", "-q", address, work]);
  await Bun.write(`${work}/${path}/flux-system/gotk-components.yaml`, "---\n".repeat(1000));
  await mustGit(work, ["checkout", "-q", "-B", "main"]);
  await mustGit(work, ["add", "."]);
  await mustGit(work, ["commit", "-q", "-m", "Add Flux manifests"]);
  await mustGit(work, ["push", "-q", "origin", "main"]);
  return await mustGit(work, ["rev-parse", "HEAD"]);
}

test.each([
  ["an organization", "fleet", "/orgs/fleet/repos"],
  ["a user", "alice", "/user/repos"],
] as const)("bootstrap makes the repository of %s, pushes, and gives a key that reads", async (_, owner, where) => {
  const at = `/repos/${owner}/cluster` as const;
  await send("GET /version", 200, undefined, { version: expect.stringMatching(/^1\.\d+\.\d+/) });
  await send(`GET ${at}`, 404);
  if (owner === "alice") {
    await send("GET /user", 200, undefined, { login: "alice" });
  }
  const made = { name: "cluster", description: "", ...repository };
  await send(`POST ${where}`, 201, made, { name: "cluster", private: true, empty: true, default_branch: "main" });
  await send(`GET ${at}`, 200, undefined, { name: "cluster", description: "", private: true, default_branch: "main" });
  if (owner === "fleet") {
    await send(`GET ${at}/teams/ops`, 404);
    await send(`PUT ${at}/teams/ops`, 204);
    await send(`GET ${at}/teams/ops`, 200, undefined, { name: "ops", permission: "write" });
    expect(await send<object[]>(`GET ${at}/teams`, 200)).toHaveLength(2);
  }
  const head = await pushManifests(`${app.url.replace("://", `://${owner}:${alice.token}@`)}/${owner}/cluster`, owner);

  using key = new SshKeyPair();
  // Flux writes its keys without a comment, and with the end of the line.
  const line = key.publicKey.split(" ").slice(0, 2).join(" ");
  const wanted = { title: "flux-system-main-flux-system-./clusters/a", key: `${line}\n`, read_only: true };
  expect(await send<unknown>(`GET ${at}/keys?limit=0&page=1`, 200)).toEqual([]);
  await send(`POST ${at}/keys`, 201, wanted, { ...wanted, key: line });
  await send(`POST ${at}/keys`, 422, wanted);
  const [{ id } = { id: 0 }] = await send<{ id: number }[]>(`GET ${at}/keys?limit=0&page=1`, 200);
  await send(`DELETE ${at}/keys/${id}`, 204);
  await send(`POST ${at}/keys`, 201, wanted, { ...wanted, key: line });

  const ssh = {
    GIT_SSH_COMMAND: `ssh -i ${key.path} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`,
  };
  const listed = await mustGit(scratch.path, ["ls-remote", `${app.ssh}/${owner}/cluster`, "refs/heads/main"], {
    env: ssh,
  });
  expect(listed.split("\t")[0]).toBe(head);

  const status = {
    state: "success",
    target_url: "",
    description: "reconciliation succeeded",
    context: "kustomization/apps/0c9c2e41",
  };
  await send(`POST ${at}/statuses/${head}`, 201, status, { status: "success", context: status.context });
  const statuses = await send<unknown>(`GET ${at}/commits/${head}/statuses?limit=50&page=1`, 200);
  expect(statuses).toMatchObject([{ status: "success", context: status.context, description: status.description }]);
});

test("a receiver hears of pushes, signed as it checks them", async () => {
  await using receiver = new Receiver();
  const config = { url: receiver.url(), content_type: "json", secret: "hush" };
  await send("POST /repos/alice/cluster/hooks", 201, { type: "gitea", config, events: ["push"], active: true });
  await pushManifests(`${app.url.replace("://", `://alice:${alice.token}@`)}/alice/cluster`, "apps");
  await until("the receiver hears of the push", () => receiver.received.length > 0);
  const [{ headers, text } = { headers: {} as Record<string, string>, text: "" }] = receiver.of("push");
  const signature = createHmac("sha256", "hush").update(text).digest("hex");
  expect(headers).toMatchObject({
    "x-hub-signature-256": `sha256=${signature}`,
    "x-github-event": "push",
    "x-gitea-event": "push",
  });
});
