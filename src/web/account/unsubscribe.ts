import { serverDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { unsubscribe, UnsubscribeLinkInvalid } from "../../domain/work/issue-mail/unsubscribe.ts";
import { readUnsubscribeToken, type Unsubscription } from "../../domain/work/issue-mail/unsubscribe-token.ts";
import { html } from "../html.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import type { Visit } from "../visit.ts";

const path = "/user/unsubscribe";

/** The token of the link says for whom. */
const mailLink = serverDoer("link of a mail");

/**
 * Where the mails about an issue end. Opening the link changes nothing: programs that read mails open them too. They say nothing of the issue, which the
 * reader may have lost.
 */
export function unsubscribePages(forge: Forge, page: DeclarePage): PageRoute[] {
  function read(visit: Visit): { token: string; said: Unsubscription } {
    const token = visit.query.get("token") ?? "";
    const said = readUnsubscribeToken(forge.keys.unsubscribe, token);
    if (said === null) {
      throw new UnsubscribeLinkInvalid();
    }
    return { token, said };
  }

  return [
    page("GET", path, open, ({ visit }) => {
      const { token } = read(visit);
      return {
        title: "End the mails",
        place: { width: "narrow" },
        body: html`<h1>End the mails about this conversation</h1>
          <p>You hear nothing more of it, by mail or as a notification, until you subscribe to it again.</p>
          <form method="post" action="${visit.root}${path}?token=${encodeURIComponent(token)}"><button>End them</button></form>`,
      };
    }),
    page("POST", path, { ...open, oneClick: true }, async ({ visit }) => {
      const { said } = read(visit);
      await forge.change(mailLink, (work) => unsubscribe(work, said));
      return {
        title: "Done",
        body: html`<h1>Done</h1>${note(visit, "good", "You get no more mails about this conversation.")}`,
      };
    }),
  ];
}
