import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes, type TeamUnit } from "../../db/schema/owners.ts";
import { listDeployKeys } from "../../domain/identity/keys/queries.ts";
import { findShownUser } from "../../domain/identity/social/queries.ts";
import { maxTeams } from "../../domain/identity/teams/create-team.ts";
import { listTeams, type Team } from "../../domain/identity/teams/queries.ts";
import { addTeamRepository, removeTeamRepository } from "../../domain/identity/teams/repositories.ts";
import { addCollaborator, removeCollaborator } from "../../domain/repos/collaborators/add-collaborator.ts";
import { listStandings, type AccessSource, type Standing } from "../../domain/repos/collaborators/standing-queries.ts";
import { findTransfer } from "../../domain/repos/transfers/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { alsoOn } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute, PageSpec } from "../pages.ts";
import { avatar } from "../parts/avatar.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { userName } from "../parts/person.ts";
import { wholeNumber } from "../parts/size.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { keyRow } from "./keys.ts";
import { administersAlways, settingsLink, settingsPage } from "./settings-page.ts";

/** Says which teams have a repository. */
const changesTeams = {
  may: { on: "repository", do: "change-teams", unit: "any" },
  signedIn: true,
  onArchived: "allowed",
} as const satisfies PageSpec;

const modeWords = ["Nothing", "Read", "Write", "Administer", "Own"] as const;
const choices = [
  ["read", "Read"],
  ["write", "Write"],
  ["admin", "Administer"],
] as const;
type Choice = (typeof choices)[number][0];

const unitWords: Readonly<Partial<Record<TeamUnit, string>>> = {
  code: "code",
  issues: "issues",
  pulls: "pull requests",
  releases: "releases",
  wiki: "wiki",
  packages: "packages",
};

/** What a team may do: the same in every unit, or a list of units. */
function rightsOf({ team, units }: Team): string {
  if (team.mode >= accessModes.admin) {
    return modeWords[team.mode] ?? "";
  }
  const of = (mode: number) =>
    Object.entries(unitWords).flatMap(([unit, words]) => ((units[unit as TeamUnit] ?? 0) === mode ? [words] : []));
  const [writes, reads] = [of(accessModes.write), of(accessModes.read)];
  const parts = [
    ...(writes.length === 0 ? [] : [`write ${writes.join(", ")}`]),
    ...(reads.length === 0 ? [] : [`read ${reads.join(", ")}`]),
  ];
  const text = parts.join("; ");
  return text === "" ? "Nothing" : text[0]!.toUpperCase() + text.slice(1);
}

const reachOf = ({ team }: Team): string =>
  team.mode === accessModes.owner || team.includesAllRepositories
    ? "has all repositories of the organization"
    : "was given this repository";

/** The highest of somebody's rights, in words; those of a team in single units are said by the team. */
function best({ sources, blocked }: Standing, teams: ReadonlyMap<number, Team>): string {
  if (blocked) {
    return "What everybody may";
  }
  if (sources.some(({ from }) => from === "owner")) {
    return "Own";
  }
  const whole = Math.max(
    ...sources.map((one) =>
      one.from === "collaborator" || (one.from === "team" && one.mode >= accessModes.admin) ? one.mode : 0,
    ),
  );
  const ofTeams = sources.flatMap((one) => {
    const team = one.from === "team" ? teams.get(one.teamId) : undefined;
    return team !== undefined && team.team.mode < accessModes.admin && whole < accessModes.admin
      ? [rightsOf(team)]
      : [];
  });
  return [...(whole > 0 ? [modeWords[whole] ?? ""] : []), ...new Set(ofTeams)].join("; ");
}

function why(source: AccessSource, access: RepositoryAccess): string {
  switch (source.from) {
    case "owner":
      return "it is theirs";
    case "team":
      return source.mode === accessModes.owner ? `owns ${access.owner.name}` : `team ${source.team}`;
    case "collaborator":
      return source.forTransfer
        ? "may accept the offer, and sees it until then"
        : `collaborator (${(modeWords[source.mode] ?? "").toLowerCase()})`;
  }
}

/** What those may do who were given nothing. */
function everybody({ repository, owner }: RepositoryAccess): string {
  if (repository.private) {
    return "Private: only those below see it, and administrators of the server.";
  }
  const who = {
    public: "Everybody reads it, also without an account.",
    limited: `Everybody who is signed in reads it, because ${owner.name} is shown to them alone.`,
    private: `Members of ${owner.name} read it, because nobody else sees that organization.`,
  }[owner.visibility];
  const wiki =
    repository.hasWiki && repository.globallyEditableWiki ? " Everybody who is signed in writes the wiki." : "";
  return `Public: ${who} Whoever is signed in may open issues and pull requests.${wiki}`;
}

const options = (chosen: string) =>
  choices.map(
    ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  );

function readMode(text: string): number {
  if (!choices.some(([value]) => value === text)) {
    throw new InvalidInput("The access is read, write or admin", "permission");
  }
  return accessModes[text as Choice];
}

const link = (visit: Visit, access: RepositoryAccess, below = "") =>
  settingsLink(visit.root, access, `collaboration${below}`);

/** A name that is nobody's is a wrong field. */
const atField = (refused: Refusal): Refusal =>
  refused.status === 404 || refused.field === "collaborator" ? { ...refused, status: 422, field: "user" } : refused;

function personRow(visit: Visit, access: RepositoryAccess, standing: Standing, teams: ReadonlyMap<number, Team>): Html {
  const { user, sources, active, blocked } = standing;
  const own = sources.find((one) => one.from === "collaborator" && !one.forTransfer);
  const mode =
    own?.from === "collaborator" ? choices.find(([value]) => accessModes[value] === own.mode)?.[0] : undefined;
  const forms =
    mode === undefined
      ? null
      : html`<form class="line" method="post" action="${link(visit, access)}">${visit.formField()}<input type="hidden" name="user" value="${user.name}"><input type="hidden" name="seen" value="${mode}">
        <select class="auto" name="permission" aria-label="Access of ${user.name}">${options(mode)}</select><button class="button">Change</button></form>
        <form method="post" action="${link(visit, access, "/delete")}">${visit.formField()}<input type="hidden" name="user" value="${user.name}"><button class="button bare icon" aria-label="Remove ${user.name}">${icon(visit, "x")}</button></form>`;
  return html`<li>${avatar(visit, user, "m")}<div class="grow">${userName(visit, user)}${!active && html` <span class="tag amber">cannot sign in</span>`}${blocked && html` <span class="tag amber">blocked by ${access.owner.name}</span>`}<div class="soft small">${best(standing, teams)} · ${sources.map((one) => why(one, access)).join(", ")}</div></div>${forms}</li>`;
}

function teamRow(visit: Visit, access: RepositoryAccess, one: Team, mayChange: boolean): Html {
  const { team } = one;
  const isGiven = team.mode !== accessModes.owner && !team.includesAllRepositories;
  return html`<li><span class="sign">${icon(visit, "users")}</span><div class="grow"><b>${team.name}</b><div class="soft small">${rightsOf(one)} · ${reachOf(one)}</div></div>${isGiven && mayChange && html`<form method="post" action="${link(visit, access, "/team/delete")}">${visit.formField()}<input type="hidden" name="team" value="${team.id}"><button class="button bare icon" aria-label="Remove ${team.name}">${icon(visit, "x")}</button></form>`}</li>`;
}

/** Who may do what with a repository, and why. */
export function accessPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/collaboration";

  async function accessPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const { repository, owner } = access;
    const at = sliceOf(visit.query);
    const isOrganization = owner.kind === "organization";
    const [standings, all, given, keys, transfer] = await Promise.all([
      listStandings(db, visit, access, at),
      isOrganization ? listTeams(db, { organizationId: owner.id }, { size: maxTeams, offset: 0 }) : { rows: [] },
      isOrganization
        ? listTeams(db, { organizationId: owner.id, repositoryId: repository.id }, { size: maxTeams, offset: 0 })
        : { rows: [] },
      listDeployKeys(db, repository.id, {}, { size: 20, offset: 0 }),
      access.counts.transfers === 0 ? null : findTransfer(db, repository.id),
    ]);
    const teams = new Map(given.rows.map((one) => [one.team.id, one]));
    const mayChangeTeams = isOrganization && offers(visit, changesTeams);
    const free = all.rows.filter(({ team }) => !teams.has(team.id));
    const teamPanel = !isOrganization
      ? null
      : html`<section class="panel edge" aria-labelledby="teams"><header><h2 class="grow" id="teams">Teams <span class="count">${teams.size}</span></h2><a class="small" href="${visit.root}/org/${encodeURIComponent(owner.name)}/teams">Teams of ${owner.name}</a></header><ul class="rows">${given.rows.map((one) => teamRow(visit, access, one, mayChangeTeams))}</ul>${mayChangeTeams && free.length > 0 && html`<footer><form class="line" method="post" action="${link(visit, access, "/team")}">${visit.formField()}<select name="team" aria-label="Team">${free.map(({ team }) => html`<option value="${team.id}">${team.name}</option>`)}</select><button class="button">Add</button></form></footer>`}</section>`;
    const addForm = html`<footer><form class="stack s" method="post" action="${link(visit, access)}">${visit.formField()}
      ${field(refused, { name: "user", label: "Give somebody access" }, (attributes) => html`<div class="line"><div class="seek grow">${icon(visit, "user")}<input type="text" ${attributes} value="${visit.form.text("user")}" placeholder="Name of a user" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="255" required></div><select class="auto" name="permission" aria-label="Access">${options(visit.form.text("permission") || "write")}</select><button class="button">Add</button></div>`)}</form></footer>`;
    const people = html`<section class="panel edge" aria-labelledby="people"><header><h2 class="grow" id="people">People <span class="count">${wholeNumber(standings.total)}</span></h2></header><ul class="rows forms">${standings.rows.map((one) => personRow(visit, access, one, teams))}</ul>${addForm}</section>`;
    const keyPanel = html`<section class="panel edge" aria-labelledby="keys"><header><h2 class="grow" id="keys">Deploy keys <span class="count">${keys.total}</span></h2><a class="small" href="${settingsLink(visit.root, access, "keys")}">Add and remove</a></header>${keys.total === 0 ? html`<p class="body soft">None: a deploy key lets a machine fetch or push over SSH.</p>` : html`<ul class="rows">${keys.rows.map((row) => keyRow(visit, row, null))}</ul>`}</section>`;
    const offer =
      transfer !== null &&
      note(
        visit,
        "info",
        html`${transfer.doer.name} offers the repository to <a href="${ownerLink(visit.root, transfer.recipient.name)}">${transfer.recipient.name}</a>: those who may accept that can read it. <a href="${settingsLink(visit.root, access, "danger")}">Withdraw it</a>`,
      );
    const owners = isOrganization
      ? html`Owners of <a href="${ownerLink(visit.root, owner.name)}">${owner.name}</a> and administrators of the server may do everything.`
      : html`<a href="${ownerLink(visit.root, owner.name)}">${owner.name}</a> and administrators of the server may do everything.`;
    return settingsPage(visit, access, "collaboration", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Access",
      about: html`Who may see and change this repository. ${owners}`,
      tools: html`<span class="tag">${icon(visit, repository.private ? "lock" : "globe")}${repository.private ? "Private" : "Public"}</span>`,
      body: html`${note(visit, "bad", problemAbove(refused, ["user"]))}${note(visit, "info", html`${everybody(access)} <a href="${settingsLink(visit.root, access, "danger/visibility")}">Change that</a>`)}${offer}${teamPanel}${people}${pager(visit, link(visit, access), visit.query, at, standings.total)}${keyPanel}`,
    });
  }

  async function readTeam(access: RepositoryAccess, text: string): Promise<Team> {
    const { rows } = await listTeams(db, { organizationId: access.owner.id }, { size: maxTeams, offset: 0 });
    const found = rows.find(({ team }) => team.id === readRowId(text));
    if (found === undefined) {
      throw new NotFound("team", text.slice(0, 40));
    }
    return found;
  }

  return [
    page("GET", path, administersAlways, ({ visit, repository }) => accessPage(visit, repository, null)),
    page("POST", path, administersAlways, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const mode = readMode(visit.form.text("permission"));
          const seen = visit.form.text("seen");
          const into = await alsoOn(forge, visit, doer, "see", visit.form.text("user").trim());
          const { owner: user } = into.access;
          await forge.change(into.doer, (work) =>
            addCollaborator(work, access, user, mode, seen === "" ? undefined : readMode(seen)),
          );
          return new Redirect(link(visit, access), `${user.name} may ${(modeWords[mode] ?? "").toLowerCase()} now`);
        },
        (refused) => accessPage(visit, access, atField(refused)),
      ),
    ),
    page("POST", `${path}/delete`, administersAlways, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const name = visit.form.text("user");
          const user = await findShownUser(db, visit, name);
          if (user === null || !(await forge.change(doer, (work) => removeCollaborator(work, access, user)))) {
            throw new NotFound("collaborator", name.slice(0, 80));
          }
          const isOwn = user.id === doer.actor.id;
          const to = isOwn ? repositoryLink(visit.root, access) : link(visit, access);
          return new Redirect(to, `${user.name} is no collaborator any more`);
        },
        (refused) => accessPage(visit, access, { ...refused, field: null }),
      ),
    ),
    page("POST", `${path}/team`, changesTeams, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const { team } = await readTeam(access, visit.form.text("team"));
          await forge.change(doer, (work) => addTeamRepository(work, team.id, access));
          return new Redirect(link(visit, access), `The team ${team.name} has the repository`);
        },
        (refused) => accessPage(visit, access, { ...refused, field: null }),
      ),
    ),
    page("POST", `${path}/team/delete`, changesTeams, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const { team } = await readTeam(access, visit.form.text("team"));
          await forge.change(doer, (work) => removeTeamRepository(work, team.id, access));
          return new Redirect(link(visit, access), `The team ${team.name} does not have the repository any more`);
        },
        (refused) => accessPage(visit, access, { ...refused, field: null }),
      ),
    ),
  ];
}
