import { expect, test } from "bun:test";
import { teamUnits } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { readTeamAccess, type TeamAccessInput } from "./team-access.ts";

const all = (mode: number) => Object.fromEntries(teamUnits.map((unit) => [unit, mode]));

test("a new team has all units, those named, or each as it is told", () => {
  expect(readTeamAccess({}, null)).toEqual({ mode: 1, units: all(1) });
  expect(readTeamAccess({ permission: "write" }, null)).toEqual({ mode: 2, units: all(2) });
  expect(readTeamAccess({ permission: "write", units: ["repo.code", "repo.ext_wiki"] }, null)).toEqual({
    mode: 2,
    units: { code: 2, ext_wiki: 2 },
  });
  expect(
    readTeamAccess(
      { permission: "read", units: ["repo.code"], unitsMap: { "repo.issues": "write", "repo.code": "none" } },
      null,
    ),
  ).toEqual({ mode: 1, units: { issues: 2, code: 0 } });
  expect(readTeamAccess({ unitsMap: { "repo.issues": "write" } }, null)).toEqual({ mode: 2, units: { issues: 2 } });
  expect(readTeamAccess({ permission: "write", units: ["repo.ext_wiki"] }, null)).toEqual({
    mode: 0,
    units: { ext_wiki: 2 },
  });
  expect(readTeamAccess({ units: [] }, null)).toEqual({ mode: 0, units: {} });
  expect(
    readTeamAccess({ permission: "admin", units: ["repo.code"], unitsMap: { "repo.code": "admin" } }, null),
  ).toEqual({ mode: 3, units: {} });
});

test("a team that exists keeps what is not said", () => {
  const current = { mode: 2, units: { code: 1, wiki: 2 } };
  expect(readTeamAccess({}, current)).toEqual(current);
  expect(readTeamAccess({ permission: "read" }, current)).toEqual({ mode: 1, units: { code: 1, wiki: 1 } });
  expect(readTeamAccess({ units: ["repo.pulls"] }, current)).toEqual({ mode: 2, units: { pulls: 2 } });
  expect(readTeamAccess({ permission: "admin" }, current)).toEqual({ mode: 3, units: {} });
  expect(readTeamAccess({ units: ["repo.code"] }, { mode: 3, units: {} })).toEqual({ mode: 3, units: {} });
  expect(readTeamAccess({ permission: "write" }, { mode: 3, units: {} })).toEqual({ mode: 2, units: all(2) });
  expect(readTeamAccess({ permission: "write" }, { mode: 0, units: {} })).toEqual({ mode: 2, units: all(2) });
});

const fieldOf = (input: TeamAccessInput) => {
  try {
    readTeamAccess(input, null);
    return null;
  } catch (error) {
    return error instanceof InvalidInput ? error.field : error;
  }
};

test("what is no unit or no access of one is named, even where it would change nothing", () => {
  expect(fieldOf({ units: ["repo.code", "repo.coffee"] })).toBe("units");
  expect(fieldOf({ permission: "admin", units: ["code"] })).toBe("units");
  expect(fieldOf({ unitsMap: { "repo.coffee": "read" } })).toBe("units_map");
  expect(fieldOf({ unitsMap: { "repo.code": "rule" } })).toBe("units_map");
  expect(fieldOf({ unitsMap: { "repo.code": "admin" } })).toBe("units_map");
  expect(fieldOf({ permission: "admin", unitsMap: { "repo.code": "rule" } })).toBe("units_map");
});
