import type { Static } from "elysia";
import type { Actor } from "../../auth/subject.ts";
import { editUser, type UserPatch } from "../../domain/identity/users/edit-user.ts";
import { findAccount } from "../../domain/identity/users/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { present } from "../common/present-fields.ts";
import { ok } from "../common/responses.ts";
import { UserSettings, UserSettingsOptions } from "./schema.ts";

/** A language of BCP 47, as browsers name it, or none. */
const language = /^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$/;

function readPatch(body: Static<typeof UserSettingsOptions>): UserPatch {
  if (!language.test(body.language ?? "")) {
    throw new InvalidInput(`language must be a language such as "de-DE", not "${body.language}"`, "language");
  }
  return {
    ...present({
      fullName: body.full_name,
      description: body.description,
      website: body.website,
      location: body.location,
      pronouns: body.pronouns,
      keepEmailPrivate: body.hide_email,
      keepPronounsPrivate: body.hide_pronouns,
    }),
    account: present({
      language: body.language,
      theme: body.theme,
      diffViewStyle: body.diff_view_style,
      enableRepoUnitHints: body.enable_repo_unit_hints,
      keepActivityPrivate: body.hide_activity,
    }),
  };
}

function presentSettings(user: Actor): Static<typeof UserSettings> {
  return {
    full_name: user.fullName,
    website: user.website,
    description: user.description,
    location: user.location,
    pronouns: user.pronouns,
    language: user.language,
    theme: user.theme,
    diff_view_style: user.diffViewStyle,
    enable_repo_unit_hints: user.enableRepoUnitHints,
    hide_email: user.keepEmailPrivate,
    hide_pronouns: user.keepPronounsPrivate,
    hide_activity: user.keepActivityPrivate,
  };
}

/** Settings of the signed-in user. */
export function userSettingRoutes({ forge, group }: Api) {
  const { config } = forge;
  return group("/user/settings", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "",
      {
        operationId: "getUserSettings",
        summary: "Get one's own settings",
        responses: ok(UserSettings, "The settings"),
      },
      ({ actor }) => presentSettings(actor),
    )
    .patch(
      "",
      {
        operationId: "updateUserSettings",
        summary: "Change one's own settings",
        body: UserSettingsOptions,
        responses: ok(UserSettings, "The settings as they are now"),
      },
      async ({ doer, actor, body }) => {
        const patch = readPatch(body);
        const user = await forge.change(doer, async (work) => {
          const owner = await editUser(work, actor, patch, config.auth.password_min_length);
          return { ...actor, ...owner, ...(await findAccount(work.tx, actor.id)) };
        });
        return presentSettings(user);
      },
    );
}
