import { Type, type Static } from "typebox";

const flag = (initial: boolean, description: string) => Type.Boolean({ default: initial, description });
const count = (initial: number, minimum: number, maximum: number, unit: string, description: string) =>
  Type.Integer({ default: initial, minimum, maximum, unit, description });
const text = (initial: string, description: string) => Type.String({ default: initial, description });
const list = (initial: string[], description: string) => Type.Array(Type.String(), { default: initial, description });
const section = <Properties extends Type.TProperties>(properties: Properties) =>
  Type.Object(properties, { default: {}, additionalProperties: false });

const MiB = 1024 * 1024;

/**
 * Every setting: its type, default, unit and meaning, in one place. The names in `stithy.toml` are these, in any case;
 * in the environment they are STITHY_SECTION__KEY. `docs/configuration.md` is made from this.
 */
export const Settings = section({
  server: section({
    host: text("127.0.0.1", "Address to listen on"),
    port: count(3000, 0, 65_535, "", "TCP port to listen on; 0 takes a free one"),
    base_url: text(
      "",
      "Public address of the server, without a final slash. Empty: responses follow the address that the client called, and mails, the OAuth issuer and stored text have the address that the server listens on",
    ),
    allowed_hosts: list(
      [],
      "Host names (without a port) that responses follow while base_url is empty; empty: every one",
    ),
    tls_certificate_file: text("", "PEM certificate chain; with it the server speaks HTTPS"),
    tls_key_file: text("", "PEM private key of that certificate"),
    trusted_proxies: list(
      [],
      "Addresses and networks (10.0.0.0/8) of reverse proxies whose X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto and sign-in headers are believed",
    ),
    idle_timeout_seconds: count(
      60,
      1,
      255,
      "seconds",
      "A connection on which nothing moves is closed; git requests are exempt while they work",
    ),
    shutdown_grace_seconds: count(
      30,
      0,
      3600,
      "seconds",
      "How long a stopping server waits for running requests and pushes",
    ),
  }),
  ssh: section({
    enabled: flag(true, "Offer git over SSH"),
    host: text("", "Address to listen on; empty: the one of server.host"),
    port: count(
      2222,
      0,
      65_535,
      "",
      "TCP port to listen on; 0 takes a free one, and so does an ephemeral server, or one with server.port 0, when none is set",
    ),
    public_host: text("", "Host in the SSH addresses that are shown; empty: the one of server.base_url"),
    public_port: count(0, 0, 65_535, "", "Port in them; 0: the one that is listened on"),
    user: text("git", "The user name that clients sign in with; who they are is told by their key"),
    handshake_timeout_seconds: count(30, 1, 600, "seconds", "How long a connection may take to prove its key"),
    idle_timeout_seconds: count(
      600,
      1,
      86_400,
      "seconds",
      "A connection that waits this long for its client is closed",
    ),
    connections: count(500, 1, 100_000, "connections", "The most SSH connections at once"),
    connections_per_address: count(64, 1, 100_000, "connections", "The most of them from one address"),
    authentication_tries: count(10, 1, 1000, "attempts", "Keys that a connection may try"),
    failed_connections_per_minute: count(
      60,
      1,
      100_000,
      "connections",
      "Connections from one address that end without a valid key before it has to wait",
    ),
  }),
  data: section({
    directory: text("", "Where everything is kept; empty: /var/lib/stithy as root, else ~/.local/share/stithy"),
    sealing_key_file: text(
      "",
      "File of the key that seals second factors, stored secrets and credentials; empty: sealing.key in the data directory",
    ),
    reserve_bytes: count(
      64 * MiB,
      0,
      2 ** 50,
      "bytes",
      "Disk space that is kept for the database in a file; with less than half as much free, nothing can be changed; 0: none",
    ),
  }),
  database: section({
    url: text("", "An outside PostgreSQL (15 or newer) as a libpq URI; empty: the built-in one"),
    connections: count(
      10,
      2,
      500,
      "connections",
      "The most database connections at once; the job queue has three more",
    ),
    statement_timeout_seconds: count(30, 1, 3600, "seconds", "A statement running longer is ended"),
  }),
  log: section({
    level: Type.Enum(["debug", "info", "warn", "error", "silent"], {
      default: "info",
      description: "The least important messages that are written",
    }),
    format: Type.Enum(["auto", "text", "json"], {
      default: "auto",
      description: "auto: text at a terminal, else a JSON object a line",
    }),
  }),
  api: section({
    body_limit_bytes: count(
      2 * MiB,
      1024,
      1024 * MiB,
      "bytes",
      "Largest JSON body, where an operation has no limit of its own",
    ),
    content_limit_bytes: count(
      64 * MiB,
      1024,
      1024 * MiB,
      "bytes",
      "Largest body of the operations that write file contents",
    ),
    answer_limit_bytes: count(
      64 * MiB,
      MiB,
      1024 * MiB,
      "bytes",
      "Largest answer in JSON; more has to be asked for page by page",
    ),
    values_per_body: count(100_000, 1000, 100_000_000, "values", "Most keys and values in one JSON body"),
    token_in_query: flag(false, "Accept tokens as token= or access_token= in the address; they leak into logs"),
    cors_origins: list(["*"], "Origins that browsers may call the API from; credentials are never allowed with *"),
    family_clients: list(
      [
        "Go-http-client/",
        "gitea-js",
        "RenovateBot/",
        "go-gitea",
        "tea",
        "woodpecker",
        "Jenkins",
        "Drone",
        "terraform",
        "argocd",
      ],
      "Beginnings of the User-Agent of clients that expect the answers of Gitea and Forgejo where the specification has others",
    ),
  }),
  markdown: section({
    threads: count(
      2,
      1,
      64,
      "threads",
      "Texts that are rendered at the same time; one caller has at most half of them",
    ),
    time_limit_milliseconds: count(
      2000,
      50,
      60_000,
      "milliseconds",
      "How long one text may take to render; a file that takes longer is shown as text",
    ),
    text_limit_characters: count(MiB, 1024, 64 * MiB, "characters", "The longest text that is rendered"),
  }),
  auth: section({
    password_min_length: count(8, 1, 256, "characters", "The shortest password"),
    failed_sign_ins_per_minute: count(
      20,
      1,
      100_000,
      "attempts",
      "Wrong passwords and codes from one address before it has to wait; tokens go on",
    ),
    session_idle_hours: count(168, 1, 8760, "hours", "A browser that was not used for so long has to sign in again"),
    session_lifetime_hours: count(720, 1, 8760, "hours", "How long a browser stays signed in at most"),
    failed_sign_ins_per_account: count(
      30,
      1,
      100_000,
      "attempts",
      "Wrong passwords for one account in 15 minutes before addresses from which it was never signed in to have to wait",
    ),
    tokens_per_user: count(1000, 1, 1_000_000, "tokens", "The most access tokens of one user"),
    reverse_proxy_user_header: text("X-WEBAUTH-USER", "The header in which a trusted proxy names the user"),
    enable_reverse_proxy_authentication: flag(false, "Believe that header from trusted proxies on pages"),
    enable_reverse_proxy_authentication_api: flag(
      false,
      "Believe that header from trusted proxies on API and git requests",
    ),
  }),
  oauth: section({
    enabled: flag(true, "Let applications sign users in and act for them: OAuth 2 and OpenID Connect"),
    access_token_lifetime_seconds: count(
      3600,
      60,
      31_536_000,
      "seconds",
      "How long an application's access token works",
    ),
    refresh_token_lifetime_hours: count(
      730,
      1,
      87_600,
      "hours",
      "How long an application may go on without its user, from its last use on",
    ),
  }),
  kerberos: section({
    keytab_file: text(
      "",
      "Keytab of the service HTTP/host: with it, API and git take Kerberos tickets (SPNEGO); empty: off",
    ),
    realm: text("", "The realm whose principals are users of that name"),
    principal: text("", "The service as HTTP/host@REALM; empty: any that the keytab has"),
    library: text("libgssapi_krb5.so.2", "The GSSAPI library of MIT Kerberos; loaded only with a keytab"),
  }),
  git: section({
    push_limit_bytes: count(2048 * MiB, MiB, Number.MAX_SAFE_INTEGER, "bytes", "Largest pack in one push"),
    object_limit_bytes: count(512 * MiB, MiB, 2047 * MiB, "bytes", "Largest single object, inflated"),
    inflated_limit_bytes: count(
      65_536 * MiB,
      MiB,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Largest sum of the inflated objects of one push",
    ),
    objects_per_push: count(10_000_000, 1, 4_000_000_000, "objects", "Most objects in one push"),
    path_limit_bytes: count(4096, 64, 1_000_000, "bytes", "Longest path in a tree that is pushed"),
    commit_header_limit_bytes: count(
      MiB,
      1024,
      64 * MiB,
      "bytes",
      "Most headers (parents, signatures, names) of a commit or tag that is pushed",
    ),
    message_limit_bytes: count(4 * MiB, 1024, 64 * MiB, "bytes", "Longest message of a commit or tag that is pushed"),
    refs_per_push: count(50_000, 1, 10_000_000, "refs", "Most refs in one push"),
    shown_message_bytes: count(
      MiB,
      1024,
      64 * MiB,
      "bytes",
      "How much of the message of a commit or tag the API and pages show; the signature of a longer one is not checked",
    ),
    hidden_refs: list(
      [],
      "Prefixes of refs that git clients neither see nor fetch nor push, such as refs/internal/; ! before one shows it again",
    ),
    deny_deletes: flag(false, "Refuse to delete branches, whoever wants it"),
    deny_non_fast_forwards: flag(
      false,
      "Refuse pushes to branches that give up commits (git push --force), whoever wants it",
    ),
    push_timeout_seconds: count(3600, 1, 86_400, "seconds", "How long a push may take to arrive"),
    signing_key: text(
      "",
      "Private key that signs the commits that the server makes: a file of OpenSSH, PEM or armored OpenPGP; empty: they are not signed",
    ),
    signing_passphrase: text("", "Passphrase of that key; empty: it has none"),
    signing_name: text("", "Name of the signer in the API; empty: the one in an OpenPGP key, else Stithy"),
    signing_email: text("", "E-mail address of the signer; empty: the one in an OpenPGP key, else noreply@ the host"),
    workers: count(1, 1, 64, "workers", "Threads that read repositories; one more indexes pushes"),
    unreachable_days: count(
      14,
      0,
      3650,
      "days",
      "How long a full repack keeps what refs pointed at before they were moved or deleted",
    ),
    cache_bytes: count(
      64 * MiB,
      8 * MiB,
      65_536 * MiB,
      "bytes",
      "Memory that they may keep together for packs and objects; each of those that index a quarter of it",
    ),
  }),
  lfs: section({
    enabled: flag(true, "Serve git LFS; what was uploaded stays when it is turned off"),
    object_limit_bytes: count(5 * 1024 * MiB, 1, Number.MAX_SAFE_INTEGER, "bytes", "Largest LFS object"),
    objects_per_batch: count(1000, 1, 100_000, "objects", "Most objects that a client may ask about at once"),
    locks_per_repository: count(10_000, 1, 10_000_000, "locks", "Most locks of one repository"),
    concurrent_uploads: count(
      64,
      1,
      10_000,
      "uploads",
      "Most LFS objects that arrive at once, of one user at most as many as stay free; others are asked to come again",
    ),
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "How long one LFS object may take to arrive"),
    token_lifetime_seconds: count(
      1800,
      60,
      86_400,
      "seconds",
      "How long the tokens work that LFS clients are given for their transfers",
    ),
  }),
  attachments: section({
    file_limit_bytes: count(4096 * MiB, 1, Number.MAX_SAFE_INTEGER, "bytes", "Largest file of a release"),
    files: count(1000, 1, 100_000, "files", "Most files of one release"),
    allowed_types: list(
      [],
      "Files that are taken: endings of names (.zip), media types (application/pdf) and groups of them (image/*); empty: all",
    ),
    image_limit_pixels: count(
      16_384,
      16,
      65_535,
      "pixels",
      "Largest width and height of an image that browsers are asked to show; a larger one is saved",
    ),
    concurrent_uploads: count(
      64,
      1,
      10_000,
      "uploads",
      "Most files that arrive at once, of one user at most as many as stay free; others are asked to come again",
    ),
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "How long one file may take to arrive"),
  }),
  issues: section({
    pinned: count(3, 0, 100, "issues", "Most pinned issues of one repository, and likewise pull requests"),
    reactions: list(
      ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
      "Reactions that there are to issues and comments, by their names: at most 100, of 1 to 50 letters, digits, +, - and _",
    ),
  }),
  notifications: section({
    keep_read_days: count(90, 0, 36_500, "days", "How long notifications are kept after they were read; 0: forever"),
  }),
  pulls: section({
    draft_prefixes: list(
      ["WIP:", "[WIP]"],
      "Beginnings of titles of pull requests that are not ready to be merged, in whatever case",
    ),
  }),
  mail: section({
    smtp_host: text("", "Mail server that takes mails for delivery; empty: no mail is sent"),
    smtp_port: count(587, 1, 65_535, "", "TCP port of that server"),
    smtp_security: Type.Enum(["starttls", "tls", "none"], {
      default: "starttls",
      description:
        "starttls: encrypted or not at all; tls: encrypted from the first byte (port 465); none: in the clear",
    }),
    smtp_user: text("", "User name at the mail server; empty: no sign-in"),
    smtp_password: text("", "Password at the mail server"),
    from: text("", "Sender of the mails, such as `Forge <forge@example.org>`; needed with smtp_host"),
    link_lifetime_hours: count(24, 1, 720, "hours", "How long links in mails work"),
    notifications: Type.Enum(["enabled", "onmention", "andyourown", "disabled"], {
      default: "enabled",
      description:
        "Mails about issues and pull requests for users who chose nothing. enabled: about what concerns them; onmention: where they are named, and about what is assigned to them; andyourown: also about what they did themselves; disabled: none",
    }),
  }),
  mirror: section({
    default_interval_seconds: count(
      28_800,
      60,
      31_622_400,
      "seconds",
      "How often a pull mirror looks for what is new, where its maker says nothing",
    ),
    minimum_interval_seconds: count(600, 60, 31_622_400, "seconds", "The shortest interval that a mirror may have"),
  }),
  outbound: section({
    allowed_networks: list(
      [],
      "Private addresses and networks (10.0.0.0/8) that webhooks, migrations and mirrors may reach, besides the public internet; an ephemeral server may reach 127.0.0.0/8 and ::1",
    ),
    proxy: text(
      "",
      "HTTP proxy for those, such as `http://proxy.example:3128`; empty: none, whatever HTTP_PROXY says. It is asked to connect to an address that the server has resolved and checked",
    ),
  }),
  packages: section({
    enabled: flag(true, "Offer package registries, at /api/packages/OWNER"),
    file_limit_bytes: count(
      1024 * MiB,
      1024,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Largest file of a package; a larger one is refused while it comes",
    ),
    concurrent_uploads: count(
      64,
      1,
      10_000,
      "uploads",
      "Most files of packages that arrive at once; others are asked to come again",
    ),
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "How long one file may take to arrive"),
    unpacked_limit_bytes: count(
      8 * 1024 * MiB,
      MiB,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Most that an archive may unpack to; it is counted while the server reads it",
    ),
    unpacked_ratio: count(
      200,
      1,
      100_000,
      "times",
      "Most that an archive may unpack to for each byte of its size; the first 64 MiB may be more",
    ),
    archive_entries: count(200_000, 1, 100_000_000, "entries", "Most files, directories and links in an archive"),
    rpm_header_limit_bytes: count(
      32 * MiB,
      1024,
      256 * MiB,
      "bytes",
      "Largest headers of an rpm package, which have its list of files; those of two packages are in memory at a time",
    ),
  }),
  quota: section({
    enforced: flag(
      false,
      "Refuse what lets users and organizations use more than their quota groups allow; off: use is counted and told",
    ),
    warning_percent: count(
      90,
      0,
      99,
      "percent",
      "With enforced: whoever adds something above this part of a limit is warned, in git's output or in the header X-Quota-Warning; 0: never",
    ),
    repository_limit_bytes: count(
      0,
      0,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Most bytes of one repository, LFS objects among them; 0: no limit",
    ),
    default_groups: list(
      [],
      "Names of the quota groups that decide about users and organizations which were given none; a name that no group has stands for nothing",
    ),
  }),
  webhooks: section({
    enabled: flag(true, "Offer webhooks; off: their operations answer 403, and nothing is sent"),
    timeout_seconds: count(10, 1, 300, "seconds", "How long a receiver may take to answer"),
    concurrent: count(64, 1, 200, "deliveries", "The most deliveries at once, of different webhooks"),
    pause_after_hours: count(
      72,
      1,
      8760,
      "hours",
      "A webhook of which every delivery has failed for so long is switched off, and its owner is told",
    ),
    history_days: count(30, 1, 3650, "days", "How long the history of deliveries is kept"),
  }),
  users: section({
    emails: count(20, 1, 1000, "addresses", "Most e-mail addresses of one user"),
    repositories: count(
      0,
      0,
      2_147_483_647,
      "repositories",
      "Most repositories of one user or organization, where an administrator set no other number for the user; 0: no limit",
    ),
    avatar_limit_bytes: count(MiB, 1024, 64 * MiB, "bytes", "Largest uploaded picture of a user or organization"),
    avatar_limit_pixels: count(4096, 16, 65_535, "pixels", "Largest width and height of one"),
  }),
  repository: section({
    default_branch: text("main", "Name of the first branch of new repositories"),
    flags: flag(false, "Let site administrators put flags on repositories; off: the operations for them answer 404"),
  }),
});

export type Settings = Static<typeof Settings>;
