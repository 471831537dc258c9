import { beforeAll, describe, expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
let made = 0;

/** A repository with these files; returns its path in the API. */
async function repositoryWith(files: Record<string, string>, options: object = {}): Promise<string> {
  const name = `tree-${++made}`;
  await app.repository(alice, name, { auto_init: true, ...options });
  const { status } = await alice.api.post(`/repos/alice/${name}/contents`, {
    files: Object.entries(files).map(([path, text]) => ({
      operation: "create",
      path,
      content: Buffer.from(text).toString("base64"),
    })),
  });
  expect(status).toBe(201);
  return `/repos/alice/${name}`;
}

interface Template {
  name: string;
  file_name: string;
}
const templates = async (path: string) => {
  const { status, body } = await bob.api.get<Template[]>(`${path}/issue_templates`);
  expect(status).toBe(200);
  return body;
};
const config = async (path: string) => {
  const [{ body }, checked] = await Promise.all([
    bob.api.get<object>(`${path}/issue_config`),
    app.anonymous.get<{ valid: boolean; message: string }>(`${path}/issue_config/validate`),
  ]);
  return { config: body, ...checked.body };
};
const nothing = { blank_issues_enabled: true, contact_links: [] };

const form = (body: string, head = "name: Bug\nabout: It fails\n") => `${head}body:\n${body}`;
const input = "  - type: input\n    attributes:\n      label: What\n";

test("are hidden where the repository, or its unit of issues, is", async () => {
  const path = await repositoryWith({ "ISSUE_TEMPLATE/a.md": "x" }, { private: true });
  for (const rest of ["issue_templates", "issue_config", "issue_config/validate"]) {
    expect((await bob.api.get(`${path}/${rest}`)).status).toBe(404);
    expect((await alice.api.get(`${path}/${rest}`)).status).toBe(200);
  }
  await alice.api.patch(path, { has_issues: false });
  expect((await alice.api.get(`${path}/issue_templates`)).status).toBe(404);
});

describe("templates", () => {
  test("are none without files, and in an empty repository", async () => {
    await app.repository(alice, "empty");
    expect(await templates("/repos/alice/empty")).toBeNull();
    expect(await templates(await repositoryWith({ ISSUE_TEMPLATE: "a file" }))).toBeNull();
  });

  test("are Markdown files with and without a front matter", async () => {
    const path = await repositoryWith({
      ".gitea/ISSUE_TEMPLATE/bug.md":
        "---\nname: Bug\ntitle: '[Bug] '\nabout: It fails\nlabels: bug, urgent\nref: main\n---\n## Steps\n",
      ".gitea/ISSUE_TEMPLATE/list.MD": "---\nname: List\nlabels: [a, 7]\nref: refs/tags/v1\n---\n",
      ".gitea/ISSUE_TEMPLATE/plain.md": `Tell us ${"more ".repeat(30)}`,
      ".gitea/ISSUE_TEMPLATE/rules.md": "---\n# Title\n---\nText",
      ".gitea/ISSUE_TEMPLATE/config.yaml": "blank_issues_enabled: false",
      ".gitea/ISSUE_TEMPLATE/readme.txt": "no template",
    });
    const blank = { body: null, content: "", labels: [], ref: "", title: "", about: "" };
    expect(await templates(path)).toEqual([
      {
        ...blank,
        file_name: ".gitea/ISSUE_TEMPLATE/bug.md",
        name: "Bug",
        title: "[Bug] ",
        about: "It fails",
        labels: ["bug", "urgent"],
        ref: "refs/heads/main",
        content: "## Steps\n",
      },
      { ...blank, file_name: ".gitea/ISSUE_TEMPLATE/list.MD", name: "List", labels: ["a", "7"], ref: "refs/tags/v1" },
      {
        ...blank,
        file_name: ".gitea/ISSUE_TEMPLATE/plain.md",
        name: "plain.md",
        about: `Tell us ${"more ".repeat(30)}`.slice(0, 80),
        content: `Tell us ${"more ".repeat(30)}`,
      },
      {
        ...blank,
        file_name: ".gitea/ISSUE_TEMPLATE/rules.md",
        name: "rules.md",
        about: "---\n# Title\n---\nText",
        content: "---\n# Title\n---\nText",
      },
    ] as never);
  });

  test("are forms, with what their fields have where nothing is said", async () => {
    const path = await repositoryWith({
      ".github/ISSUE_TEMPLATE/form.yml": form(
        `  - type: markdown
    attributes: { value: "Thank you" }
  - type: checkboxes
    id: agreed
    attributes:
      label: Agreed
      options:
        - label: I read it
          required: true
    validations: { required: true }
    visible: [form]
${input}`,
        "name: Bug\ndescription: It fails\n",
      ),
    });
    expect(await templates(path)).toEqual([
      {
        file_name: ".github/ISSUE_TEMPLATE/form.yml",
        name: "Bug",
        title: "",
        about: "It fails",
        labels: [],
        ref: "",
        content: "",
        body: [
          { type: "markdown", id: "0", attributes: { value: "Thank you" }, validations: {}, visible: ["form"] },
          {
            type: "checkboxes",
            id: "agreed",
            attributes: { label: "Agreed", options: [{ label: "I read it", required: true }] },
            validations: { required: true },
            visible: ["form"],
          },
          { type: "input", id: "2", attributes: { label: "What" }, validations: {}, visible: ["form", "content"] },
        ],
      },
    ] as never);
  });

  test("that are no forms are left out", async () => {
    const bad: Record<string, string> = {
      list: "- a",
      unreadable: "a: [",
      unnamed: form(input, "about: x\n"),
      untold: form(input, "name: x\n"),
      fieldless: "name: a\nabout: b\nbody: []",
      unknown: form("  - type: file\n    attributes: { label: x }\n"),
      unlabelled: form("  - type: textarea\n    attributes: {}\n"),
      optionless: form("  - type: dropdown\n    attributes: { label: x }\n"),
      twice: form("  - type: dropdown\n    attributes: { label: x, options: [a, a] }\n"),
      same: form(`${input}    id: a\n${input}    id: a\n`),
      odd: form(`${input}    id: a b\n`),
      untyped: form(`${input}    validations: { required: "yes" }\n`),
      elsewhere: form(`${input}    visible: [nowhere]\n`),
      bomb: form(
        `${input}`,
        `name: a\nabout: b\nx: &x [${"1,".repeat(20)}]\ny: &y [${"*x,".repeat(20)}]\nz: [${"*y,".repeat(20)}]\n`,
      ),
      circle: form(input, "name: a\nabout: b\nx: &x [*x]\n"),
      circles: form(input, "name: a\nabout: b\nx: &x { y: &y { x: *x, y: *y } }\n"),
      deep: form(input, `name: a\nabout: b\nx: ${"[".repeat(20_000)}\n`),
      nested: form(input, `name: a\nabout: b\nx: ${"[".repeat(500)}${"]".repeat(500)}\n`),
      long: form(input, `name: a\nabout: b\n${"# long\n".repeat(6000)}`),
    };
    const files = Object.entries(bad).map(([name, text]) => [`ISSUE_TEMPLATE/${name}.yaml`, text] as const);
    const path = await repositoryWith({
      ...Object.fromEntries(files),
      "ISSUE_TEMPLATE/zz.yaml": form(input),
      ".gitea/ISSUE_TEMPLATE/later.md": "not looked at",
    });
    expect((await templates(path)).map(({ file_name }) => file_name)).toEqual(["ISSUE_TEMPLATE/zz.yaml"]);
  });
});

describe("the configuration", () => {
  let empty = "";
  beforeAll(async () => {
    empty = await repositoryWith({ "a.md": "x" });
  });

  test("is the default without a file", async () => {
    expect(await config(empty)).toEqual({ config: nothing, valid: true, message: "" });
  });

  test("is read from the first directory that has it", async () => {
    const link = { name: "Forum", url: "https://forum.example.com", about: "Ask there" };
    const path = await repositoryWith({
      ".gitea/issue_template/config.yml": `blank_issues_enabled: false\ncontact_links: [${JSON.stringify(link)}]`,
      ".github/ISSUE_TEMPLATE/config.yaml": "blank_issues_enabled: true",
    });
    const expected = { blank_issues_enabled: false, contact_links: [link] };
    expect(await config(path)).toEqual({ config: expected, valid: true, message: "" });
  });

  test.each([
    ["blank_issues_enabled: maybe", "blank_issues_enabled is true or false"],
    ["- a", "the file is no mapping"],
    ["blank_issues_enabled: true\nx: &x { y: *x }", "an alias names what it is in"],
    [`x: ${"[".repeat(101)}${"]".repeat(101)}`, "more than 100 levels"],
    ["contact_links: x", "contact_links is a list of at most 50"],
    ["contact_links: [{ name: a, url: 'https://a' }]", "contact_links at position 1 misses about"],
    [
      "contact_links: [{ name: a, about: b, url: 'javascript:1' }]",
      "contact_links at position 1: url is no address with http or https",
    ],
  ])("%s is not valid, and counts as the default", async (text, problem) => {
    const path = await repositoryWith({ ".forgejo/ISSUE_TEMPLATE/config.yaml": text });
    const message = `.forgejo/ISSUE_TEMPLATE/config.yaml: ${problem}`;
    expect(await config(path)).toEqual({ config: nothing, valid: false, message });
  });
});
