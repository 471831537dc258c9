import type { Settings } from "../../../config/settings.ts";

export type DefaultApplication = Settings["oauth"]["default_applications"][number];

/**
 * The client ids that programs know by heart: they are the same at every server of the family. A migration registers them as
 * applications of nobody, without a secret and with a loopback address. `oauth.default_applications` names those that may be used.
 */
export const defaultApplications: Readonly<Record<DefaultApplication, string>> = {
  "git-credential-oauth": "a4792ccc-144e-407e-86c9-5e7d8d9c3269",
  "git-credential-manager": "e90ee53c-94e2-48ac-9358-a874fb9e0662",
  tea: "d57cb8c4-630c-4168-8324-ec79935e18d4",
};
