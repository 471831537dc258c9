import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Something that the caller was allowed when the request came in, and is not any more when its body is there. */

const app = await useTestApp();
const { sql } = app.forge.database;
const bob = await app.user("bob");

test("who may not create organizations any more creates none", async () => {
  const encoder = new TextEncoder();
  const identity = app.forge.identity as { identify: typeof app.forge.identity.identify };
  const { identify } = identity;
  let letIn = false;
  identity.identify = async (...asked) => {
    const subject = await identify(...asked);
    letIn = true;
    return subject;
  };
  const rest = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode('{"username": "guild", '));
      await rest.promise;
      controller.enqueue(encoder.encode('"visibility": "public"}'));
      controller.close();
    },
  });
  const answer = fetch(`${app.url}/api/v1/orgs`, {
    method: "POST",
    headers: { authorization: `token ${bob.token}`, "content-type": "application/json" },
    body,
  });
  await until("the caller was let in", () => letIn);
  await sql`update account set may_create_organizations = false where owner_id = ${bob.id}`;
  rest.resolve();
  const { status } = await answer;
  expect([status, await (await answer).json()]).toEqual([
    403,
    { message: "You may not create organizations", url: expect.any(String) },
  ]);
  expect(await sql`select 1 from owner where lower_name = 'guild'`).toHaveLength(0);
});
