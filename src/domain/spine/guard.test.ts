import { describe, expect, test } from "bun:test";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import type { Actor, OwnerRow, RepositoryRow, Subject } from "../../auth/subject.ts";
import { demandTo, guard, judge, type Demand } from "./guard.ts";
import { permitOn } from "./permit.ts";

const owner = { id: 9, name: "smith", kind: "user", visibility: "public" } as OwnerRow;
const actor = { id: 1, name: "bob", kind: "user", isAdmin: false } as Actor;

/** Somebody with this access to the repository smith/tour; 0 is none. */
function subject(mode: number, archived: boolean, who: Actor | null = actor): Subject {
  const row = { id: 5, name: "tour", hasCode: true, private: false, archivedAt: archived ? new Date() : null };
  const counts = {
    gitBytes: 0,
    lfsBytes: 0,
    stars: 0,
    watchers: 0,
    releases: 0,
    transfers: 0,
    forks: 0,
    openIssues: 0,
    openPulls: 0,
    language: "",
  };
  return {
    actor: who,
    credential: who === null ? { kind: "none" } : { kind: "password", userId: 1, stamp: "" },
    owner: null,
    repository: mode === 0 ? null : repositoryAccess(row as RepositoryRow, owner, counts, sameInEveryUnit(mode)),
  };
}

const write = demandTo({ on: "repository", do: "write", unit: "code" }, "write", ["repository"]);
const asked = (demand: Demand, repository = "tour") => permitOn(demand, { owner: "smith", repository });

describe("an archived repository", () => {
  test("refuses what changes it, to those who may otherwise, and nothing else", () => {
    expect(judge(subject(2, true), write)).toBe("archived");
    expect(judge(subject(2, false), write)).toBe("allowed");
    expect(judge(subject(2, true), { ...write, changes: false })).toBe("allowed");
    expect(judge(subject(1, true), write)).toBe("forbidden");
    expect(judge(subject(0, true), write)).toBe("hidden");
    expect(judge(subject(2, true, null), write)).toBe("sign-in-required");
  });

  test("is refused by name, with what to do", async () => {
    await expect(guard(subject(2, true), asked(write))).rejects.toThrow(
      'The repository "smith/tour" is archived: unarchive it in its settings to change it',
    );
  });
});

describe("a client that is to be asked for its credential", () => {
  const read: Demand = { ...write, may: { on: "repository", do: "read", unit: "code" }, changes: false };

  test("is asked for what is hidden, as for what is not there; with a credential both are not found", async () => {
    await expect(guard(subject(0, false, null), asked({ ...read, challenges: true }))).rejects.toMatchObject({
      code: "sign-in-required",
    });
    await expect(guard(subject(0, false, null), asked(read))).rejects.toMatchObject({ code: "not-found" });
    await expect(guard(subject(0, false), asked({ ...read, challenges: true }))).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

describe("a name of the past", () => {
  const formerNames = { findRepository: () => Promise.resolve(5), findOwner: () => Promise.resolve(null) };
  const moving = (found: Subject) => ({ formerNames, identify: () => Promise.resolve(found) });

  test("leads to those who may look at it, also where they may not do what they came for", async () => {
    for (const there of [subject(1, false), subject(2, true)]) {
      expect(await guard(subject(0, false), asked(write, "old"), moving(there))).toEqual({
        subject: there,
        moved: true,
      });
    }
  });

  test("is not there for those who may not look", async () => {
    await expect(guard(subject(0, false), asked(write, "old"), moving(subject(0, false)))).rejects.toMatchObject({
      code: "not-found",
    });
  });
});
