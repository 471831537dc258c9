import { Elysia } from "elysia";
import type { Forge } from "../domain/forge.ts";
import { passwordPages } from "./account/password.ts";
import { secondFactorPages } from "./account/second-factor.ts";
import { signInPages } from "./account/sign-in.ts";
import { frontPages } from "./front.ts";
import { notFoundPage } from "./errors.ts";
import { open, preparePages } from "./pages.ts";
import { commitPages } from "./repos/commit.ts";
import { overviewPages } from "./repos/overview.ts";
import { sourcePages } from "./repos/source.ts";
import { settingsPages } from "./settings/overview.ts";
import { sessionPages } from "./settings/sessions.ts";
import { twoFactorPages } from "./settings/two-factor.ts";
import { styleAddress, styleResponse } from "./style.ts";

/** Every group of pages, listed by hand. */
const groups = [
  frontPages,
  signInPages,
  secondFactorPages,
  passwordPages,
  settingsPages,
  twoFactorPages,
  sessionPages,
  overviewPages,
  sourcePages,
  commitPages,
] as const;

/** The pages: what people see in a browser. */
export function webRoutes(forge: Forge) {
  const page = preparePages(forge);
  const app = new Elysia({ name: "web" }).get(styleAddress, styleResponse).head(styleAddress, styleResponse);
  const parse = "none";
  for (const { method, path, handler } of groups.flatMap((group) => group(forge, page))) {
    if (method === "POST") {
      app.post(path, handler, { parse });
    } else {
      app.get(path, handler, { parse }).head(path, handler, { parse });
    }
  }
  const nothing = page("GET", "", open, ({ visit }) => notFoundPage(visit.root, visit.actor === null ? visit.here : null));
  return app.onError({ as: "global" }, ({ code, request, error }) => {
    if (code !== "NOT_FOUND") {
      throw error;
    }
    return nothing.handler({ request });
  });
}
