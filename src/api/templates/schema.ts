import { t } from "elysia";

export const GitignoreTemplateInfo = t.Object(
  { name: t.String(), source: t.String({ description: "The text of the .gitignore file" }) },
  { $id: "GitignoreTemplateInfo" },
);

export const LabelTemplate = t.Object(
  {
    name: t.String(),
    color: t.String({ description: "Six hexadecimal digits" }),
    description: t.String(),
    exclusive: t.Boolean({
      description: "Of the labels with the same words before the last slash, an issue has one at most",
    }),
  },
  { $id: "LabelTemplate" },
);

const licenseFields = {
  key: t.String({ description: "SPDX identifier" }),
  name: t.String(),
  url: t.String({ description: "Address of the license with its text in this API" }),
};

export const LicensesTemplateListEntry = t.Object(licenseFields, { $id: "LicensesTemplateListEntry" });

export const LicenseTemplateInfo = t.Object(
  {
    ...licenseFields,
    implementation: t.String({ description: "How the license is applied" }),
    body: t.String({ description: "The text, with blanks such as [year] and [fullname]" }),
  },
  { $id: "LicenseTemplateInfo" },
);
