import { t } from "elysia";
import { NotFound } from "../../domain/errors.ts";
import { findGitignore, listGitignores } from "../../domain/templates/gitignores.ts";
import { findLicense, listLicenses, type License } from "../../domain/templates/licenses.ts";
import type { Api } from "../common/api.ts";
import { notFound, ok } from "../common/responses.ts";
import { GitignoreTemplateInfo, LicenseTemplateInfo, LicensesTemplateListEntry } from "./schema.ts";

/** What new repositories can be filled with. The same for everybody. */
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
