import { expect, test } from "bun:test";
import { proposedBranch } from "./branch-name.ts";

test.each([
  ["It fails", "7-it-fails"],
  ["  Größe & «Maß»: 2 GB! ", "7-große-maß-2-gb"],
  ["..", "7"],
  ["x".repeat(80), `7-${"x".repeat(50)}`],
  ["refs/heads/main.lock ~^:?*[\\", "7-refs-heads-main-lock"],
  [
    "a clone over SSH stops at two gigabytes behind the proxy of a company",
    "7-a-clone-over-ssh-stops-at-two-gigabytes-behind",
  ],
])("the branch for %j is %s", (title, name) => {
  expect(proposedBranch({ number: 7, title })).toBe(name);
});
