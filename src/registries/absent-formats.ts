import { packageTypes, type PackageType } from "../db/schema/packages.ts";
import { clip } from "../lib/show-value.ts";
import { registryText, RegistryRefusal } from "./shared/refusals.ts";

const formats = new Intl.ListFormat("en-GB", { type: "conjunction" }).format(packageTypes);

/** The body that a format's client reads a message from, if it is JSON. */
const forms: Readonly<Record<string, (message: string) => object>> = {
  npm: (error) => ({ error }),
  cargo: (detail) => ({ errors: [{ detail }] }),
};

function answerJson(value: object): Response {
  return new Response(JSON.stringify(value), {
    status: 404,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** Answers at a path below an owner's registries that no registry has. Throws RegistryRefusal for one of a format that there is. */
export function absentPath(path: string): Response {
  const format = path.split("/", 1)[0] ?? "";
  if (packageTypes.includes(format as PackageType)) {
    throw new RegistryRefusal(404, `There is no package registry at "${clip(path, 80)}"`);
  }
  const message = `There is no registry of the format "${clip(format, 80)}" here: the formats are ${formats}`;
  const form = forms[format];
  return form === undefined ? registryText(404, message) : answerJson(form(message));
}

/** Answers clients of registries of containers, which look for them at `/v2/`. Source: the errors of the OCI distribution specification. */
export function absentContainers(): Response {
  const message = `There is no registry of containers here: the formats are ${formats}`;
  return answerJson({ errors: [{ code: "UNSUPPORTED", message, detail: null }] });
}
