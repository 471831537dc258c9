import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { findGitignore, listGitignores } from "../../domain/repos/gitignores.ts";
import { findLabelTemplate, listLabelTemplates } from "../../domain/repos/label-templates.ts";
import { findLicense, listLicenses, type License } from "../../domain/git/licenses/licenses.ts";
import type { Api } from "../common/api.ts";
import { notFound, ok } from "../common/responses.ts";
import { GitignoreTemplateInfo, LabelTemplate, LicenseTemplateInfo, LicensesTemplateListEntry } from "./schema.ts";

/** Templates for new repositories. All callers get the same. */
export function templateRoutes({ forge, group }: Api) {
  const entryOf = ({ key, name }: License) => ({
    key,
    name,
    url: forge.addresses.api(`/licenses/${encodeURIComponent(key)}`),
  });
  return group("", { tag: "miscellaneous", scopes: [], may: { on: "instance", do: "use" } })
    .get(
      "/gitignore/templates",
      {
        operationId: "listGitignoresTemplates",
        summary: "List the names of .gitignore templates",
        responses: ok(t.Array(t.String()), "The names"),
      },
      () => listGitignores(),
    )
    .get(
      "/gitignore/templates/:name",
      {
        operationId: "getGitignoreTemplateInfo",
        summary: "Get a .gitignore template",
        params: { name: t.String({ description: "Name of the template" }) },
        responses: { ...ok(GitignoreTemplateInfo, "The template"), ...notFound },
      },
      ({ params }) => {
        const template = findGitignore(params.name);
        if (template === null) {
          throw new NotFound(".gitignore template", params.name);
        }
        return template;
      },
    )
    .get(
      "/label/templates",
      {
        operationId: "listLabelTemplates",
        summary: "List the names of sets of labels",
        responses: ok(t.Array(t.String()), "The names"),
      },
      () => [...listLabelTemplates()],
    )
    .get(
      "/label/templates/:name",
      {
        operationId: "getLabelTemplateInfo",
        summary: "List the labels of a set",
        params: { name: t.String({ description: "Name of the set" }) },
        responses: { ...ok(t.Array(LabelTemplate), "The labels"), ...notFound },
      },
      ({ params }) => {
        const labels = findLabelTemplate(params.name);
        if (labels === null) {
          throw new NotFound("set of labels", params.name);
        }
        return [...labels];
      },
    )
    .get(
      "/licenses",
      {
        operationId: "listLicenseTemplates",
        summary: "List licenses",
        responses: ok(t.Array(LicensesTemplateListEntry), "The licenses, without their texts"),
      },
      () => listLicenses().map(entryOf),
    )
    .get(
      "/licenses/:name",
      {
        operationId: "getLicenseTemplateInfo",
        summary: "Get a license with its text",
        params: { name: t.String({ description: "Key of the license" }) },
        responses: { ...ok(LicenseTemplateInfo, "The license"), ...notFound },
      },
      ({ params }) => {
        const license = findLicense(params.name);
        if (license === null) {
          throw new NotFound("license", params.name);
        }
        return { ...entryOf(license), implementation: license.implementation, body: license.body };
      },
    );
}
