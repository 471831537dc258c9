import { describe, expect, test } from "bun:test";
import { Elysia, t } from "elysia";
import type { Endpoint } from "./endpoint.ts";
import { EndpointGroup, type GroupDefaults } from "./group.ts";
import { bytes, created, empty, yesOrNo } from "./reply.ts";
import { done, made, no, ok } from "./responses.ts";
import { oneOf, rowId } from "./schema.ts";

/** What does not compile here (`@ts-expect-error`) fails `bun run types` on the day that it would. */

const Thing = t.Object({ id: t.Number(), name: t.String(), parent: t.Union([t.String(), t.Null()]) });
const thing = { id: 1, name: "one", parent: null };
const defaults = {
  tag: "repository",
  scopes: ["repository"],
  may: { on: "repository", do: "read", unit: "issues" },
} as const;

/** Declares and never runs anything. */
const endpoint: Endpoint = (spec) => [
  () => Promise.reject(new Error("Nothing runs here")),
  { parse: "none", detail: { operationId: spec.operationId, tags: [spec.tag] } },
];
function group<const Prefix extends string, const Defaults extends GroupDefaults>(prefix: Prefix, given: Defaults) {
  return new EndpointGroup(endpoint, prefix, given);
}
const things = () => group("/repos/:owner/:repo/things", defaults);
const one = { operationId: "one", summary: "One" } as const;
const id = rowId("Id");

describe("the type of what a handler returns", () => {
  test("is that of the schema for its status", () => {
    things()
      .get("", { ...one, responses: ok(t.Array(Thing), "Things") }, () => [thing])
      .get("/:id", { ...one, params: { id }, responses: ok(Thing, "A thing") }, async ({ params }) => ({
        ...thing,
        id: params.id,
      }))
      .post("", { ...one, responses: made(Thing, "A thing") }, () => created(thing))
      .delete("/:id", { ...one, params: { id }, responses: done }, () => empty())
      .get("/:id/open", { ...one, params: { id }, responses: { ...done, ...no } }, ({ params }) =>
        yesOrNo(params.id > 1),
      )
      .get(
        "/:id/raw",
        { ...one, params: { id }, responses: { 200: { description: "", contentType: "text/plain" } } },
        () => bytes("", "text/plain"),
      );
    // @ts-expect-error a field is missing
    things().get("", { ...one, responses: ok(Thing, "A thing") }, () => ({ id: 1, name: "one" }));
    // @ts-expect-error a field has another type
    things().get("", { ...one, responses: ok(Thing, "A thing") }, async () => ({ ...thing, name: 5 }));
    // @ts-expect-error a field is null where the schema has no null
    things().get("", { ...one, responses: ok(Thing, "A thing") }, () => ({ ...thing, name: null }));
    // @ts-expect-error the status is another one
    things().post("", { ...one, responses: made(Thing, "A thing") }, () => thing);
    // @ts-expect-error there is a body where none is declared
    things().delete("/:id", { ...one, params: { id }, responses: done }, () => thing);
    // @ts-expect-error there is none where one is declared
    things().get("", { ...one, responses: ok(Thing, "A thing") }, () => empty());
    // @ts-expect-error bytes where JSON is declared
    things().get("", { ...one, responses: ok(Thing, "A thing") }, () => bytes("", "text/plain"));
    // @ts-expect-error a no that is not declared
    things().get("", { ...one, responses: done }, () => yesOrNo(true));
  });
});

describe("what a handler gets", () => {
  test("follows from the declaration", () => {
    const seen = ok(t.String(), "Text");
    things()
      .get("", { ...one, responses: seen }, ({ actor, repository }) => `${actor?.name ?? ""}${repository.mode}`)
      .get("/mine", { ...one, signedIn: true, responses: seen }, ({ actor }) => actor.name)
      .put("", { ...one, responses: seen }, ({ actor }) => actor.name)
      .get(
        "/kept",
        { ...one, may: { on: "repository", do: "admin", unit: "any" }, responses: seen },
        ({ actor }) => actor.name,
      )
      .put("/open", { ...one, signedIn: false, responses: seen }, ({ actor }) => actor?.name ?? "")
      .get(
        "/:id",
        { ...one, params: { id }, query: { q: t.String() }, responses: seen },
        ({ params, query }) => `${params.id + 1}${query.q}${params.owner}`,
      );
    // @ts-expect-error anybody may look, so there may be no actor
    things().get("", { ...one, responses: seen }, ({ actor }) => actor.name);
    // @ts-expect-error the path has no such parameter
    things().get("", { ...one, responses: seen }, ({ params }) => params.id);
  });
});

describe("a declaration", () => {
  test("says what its group does not, or does not compile", () => {
    const seen = ok(t.String(), "Text");
    const text = () => "";
    const use = { on: "instance", do: "use" } as const;
    const spec = { ...one, responses: seen };
    /** Only its types count. */
    const uncompiled = () => {
      // @ts-expect-error nobody says what the caller wants to do
      group("", { tag: "user", scopes: [] }).get("/things", spec, text);
      // @ts-expect-error nobody says what a token needs
      group("", { tag: "user", may: use }).get("/things", spec, text);
      // @ts-expect-error a repository without the unit
      group("", { tag: "repository", scopes: [], may: { on: "repository", do: "read" } });
      // @ts-expect-error reading has no body
      things().get("", { ...spec, body: Thing }, text);
      // @ts-expect-error nor does it change an archived repository
      things().get("", { ...spec, onArchived: "allowed" }, text);
    };
    expect(uncompiled).toBeFunction();
  });

  test("that contradicts itself is refused when the routes are built", () => {
    const seen = ok(t.String(), "Text");
    const declared = (path: string, more: object) => () =>
      group("", defaults).get(path, { ...one, responses: seen, ...more }, () => "");
    expect(declared("/repos/:owner/:repo/:what", {})).toThrow(
      'The endpoint one does not declare the parameter "what" of its path',
    );
    expect(declared("/repos/:owner/:repo", { params: { id } })).toThrow(
      'The endpoint one declares the parameter "id", which its path does not have',
    );
    expect(declared("/things", {})).toThrow("The endpoint one names no repository in its path");
    expect(declared("/users/:username", { may: { on: "organization", do: "see" } })).toThrow(
      "names no organization in its path",
    );
    expect(declared("/repos/:owner/:repo", { responses: no })).toThrow("The endpoint one declares no success");
    expect(declared("/repositories/:id", { params: { id } })).not.toThrow();
  });
});

test("a path spells parameters with slashes, and such that end with a word", () => {
  const seen = { 200: { description: "", contentType: "text/plain" } };
  const text = () => bytes("", "text/plain");
  const routes = things()
    .get("/files/:path+", { ...one, params: { path: t.String() }, responses: seen }, text)
    .get("/:id", { ...one, params: { id }, responses: seen }, text)
    .get("/:id.:kind", { ...one, params: { id, kind: oneOf(["diff", "patch"]) }, responses: seen }, text)
    .addTo(new Elysia())
    .routes.map(({ method, path }) => `${method} ${path}`);
  expect(routes).toEqual(["GET /repos/:owner/:repo/things/files/*", "GET /repos/:owner/:repo/things/:id"]);
});
