import { expect, test } from "bun:test";
import { detectLicense } from "./detect-license.ts";
import { findLicense, listLicenses } from "./licenses.ts";

const filled = (body: string) => body.replace("[year]", "2031").replace("[fullname]", "The Smiths");
const mit = filled(findLicense("MIT")?.body ?? "");

test.each(listLicenses().map(({ key, body }) => [key, body]))("%s is found by its text", (key, body) => {
  expect(detectLicense(filled(body))).toBe(key);
  const wrappedElsewhere = filled(body).replace(/([a-z]{3,}) (?=[a-z]{5})/g, "$1\n  ");
  expect(detectLicense(wrappedElsewhere.toUpperCase())).toBe(key);
});

test("a text with another clause is another license", () => {
  const withoutNotice = mit.replace(/subject to the following conditions:[^]*?Software\.\n/, "");
  expect(withoutNotice.length).toBeLessThan(mit.length - 100);
  expect(detectLicense(withoutNotice)).toBe(null);
  const clause =
    "Neither the Software nor anything made with it may be sold, rented, hosted or otherwise offered to others for a fee";
  expect(
    detectLicense(`${mit}
${clause}.`),
  ).toBe(null);
  expect(detectLicense("")).toBe(null);
});

test("a line names a license, whatever else the text says", () => {
  expect(detectLicense("# License\n\nSPDX-License-Identifier: bsd-2-clause\n")).toBe("BSD-2-Clause");
  expect(detectLicense("SPDX-License-Identifier: LicenseRef-Ours\n")).toBe(null);
});
