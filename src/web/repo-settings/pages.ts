import type { Forge } from "../../domain/spine/forge.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { accessPages } from "./access.ts";
import { branchRuleEditor } from "./branch-rule.ts";
import { branchRulePages } from "./branches.ts";
import { dangerPages } from "./danger.ts";
import { generalPages } from "./general.ts";
import { repositoryHookPages } from "./hooks.ts";
import { deployKeyPages } from "./keys.ts";
import { mirrorPages } from "./mirrors.ts";
import { secretPages } from "./secrets.ts";
import { storagePages } from "./storage.ts";
import { mergingPages } from "./merging.ts";
import { tagRulePages } from "./tags.ts";
import { unitPages } from "./units.ts";

/** The settings of a repository. */
export function repositorySettingsPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    generalPages,
    unitPages,
    mergingPages,
    accessPages,
    branchRulePages,
    branchRuleEditor,
    tagRulePages,
    repositoryHookPages,
    deployKeyPages,
    mirrorPages,
    secretPages,
    storagePages,
    dangerPages,
  ].flatMap((group) => group(forge, page));
}
