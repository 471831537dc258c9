import type { RepositoryAccess } from "../../auth/subject.ts";
import { testHook } from "../../domain/exchange/hooks/test-hook.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { namedRepository } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { HookHome } from "../hooks/hook-home.ts";
import { hookListPage } from "../hooks/hook-list.ts";
import {
  deliveryPage,
  hookPage,
  makeHook,
  newHookPage,
  removeHook,
  saveHook,
  sendAgain,
  sendTest,
} from "../hooks/hook-pages.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import type { Visit } from "../visit.ts";
import { administersAlways, settingsLink, settingsPage } from "./settings-page.ts";

interface Given {
  readonly visit: Visit;
  readonly doer: UserDoer;
  readonly repository: RepositoryAccess;
}

/** The webhooks of a repository. */
export function repositoryHookPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const path = "/:owner/:repo/settings/hooks";
  const long = { ...administersAlways, longForm: true } as const;
  const homeOf = ({ visit, doer, repository: access }: Given): HookHome => ({
    visit,
    doer,
    place: { on: "repository", repository: namedRepository(access) },
    link: settingsLink(visit.root, access, "hooks"),
    frame: (shown) => settingsPage(visit, access, "hooks", shown),
    test: access.repository.empty ? null : (hookId, ref) => testHook(forge, doer, access, hookId, ref),
  });
  return [
    page("GET", path, administersAlways, (given) => hookListPage(forge, homeOf(given))),
    page("GET", `${path}/:hook/new`, administersAlways, (given) => newHookPage(forge, homeOf(given), null)),
    page("POST", `${path}/:hook/new`, long, (given) => makeHook(forge, homeOf(given))),
    page("GET", `${path}/:hook`, administersAlways, (given) => hookPage(forge, homeOf(given), null)),
    page("POST", `${path}/:hook`, long, (given) => saveHook(forge, homeOf(given))),
    page("POST", `${path}/:hook/test`, administersAlways, (given) => sendTest(forge, homeOf(given))),
    page("POST", `${path}/:hook/delete`, administersAlways, (given) => removeHook(forge, homeOf(given))),
    page("GET", `${path}/:hook/deliveries/:id`, administersAlways, (given) => deliveryPage(forge, homeOf(given))),
    page("POST", `${path}/:hook/deliveries/:id`, administersAlways, (given) => sendAgain(forge, homeOf(given))),
  ];
}
