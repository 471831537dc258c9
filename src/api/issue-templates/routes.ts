import { t, type Static } from "elysia";
import { findConfig, findTemplates } from "../../domain/work/issue-templates/find-templates.ts";
import type { IssueTemplate as Template } from "../../domain/work/issue-templates/read-template.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { IssueConfig, IssueConfigValidation, IssueTemplate } from "./schema.ts";

function presentTemplate({ fileName, fields, ...template }: Template): Static<typeof IssueTemplate> {
  return { ...template, file_name: fileName, body: fields };
}

/** Templates for new issues, from the default branch. */
export function issueTemplateRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "issues" },
  })
    .get(
      "/issue_templates",
      {
        operationId: "repoGetIssueTemplates",
        summary: "List the templates for issues of a repository",
        description:
          "The Markdown files and forms of the first directory ISSUE_TEMPLATE that has some: of the root, .forgejo, .gitea, .github, .gitlab. What is none is left out. Null if there are none, as in the family: a client asks for a template wherever it gets a list.",
        responses: { 200: { description: "The templates", schema: t.Array(IssueTemplate), or: t.Null() } },
      },
      async ({ repository: { repository }, signal }) => {
        const templates = await findTemplates(forge, repository, signal);
        return templates.length === 0 ? null : templates.map(presentTemplate);
      },
    )
    .get(
      "/issue_config",
      {
        operationId: "repoGetIssueConfig",
        summary: "Get how issues of a repository are opened",
        description:
          "What config.yaml beside the templates says; without a file, or with one that is not valid, the default.",
        responses: ok(IssueConfig, "The configuration"),
      },
      async ({ repository: { repository }, signal }) => {
        const { config } = await findConfig(forge, repository, signal);
        return { blank_issues_enabled: config.blankIssues, contact_links: config.contactLinks };
      },
    )
    .get(
      "/issue_config/validate",
      {
        operationId: "repoValidateIssueConfig",
        summary: "Tell whether the configuration of how issues are opened is valid",
        responses: ok(IssueConfigValidation, "Whether it is, and why not"),
      },
      async ({ repository: { repository }, signal }) => {
        const { problem } = await findConfig(forge, repository, signal);
        return { valid: problem === null, message: problem ?? "" };
      },
    );
}
