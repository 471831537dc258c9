import { Type, type Static } from "typebox";
import { choice } from "../lib/schema.ts";
import { gitSettings } from "./git-settings.ts";
import { MiB, count, flag, list, section, text } from "./setting-kinds.ts";

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
    robots_file: text(
      "",
      "File that is served as /robots.txt; empty: one that keeps crawlers from the API, settings, raw files and the past of repositories",
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
      "The server closes connections without traffic after this time, except while it works on a git request",
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
    host: text("", "Address to listen on; empty: server.host"),
    port: count(
      2222,
      0,
      65_535,
      "",
      "TCP port to listen on; 0 takes a free one. If it is not set, an ephemeral server and a server with server.port 0 take a free one, too",
    ),
    public_host: text("", "Host in SSH URLs; empty: the host of the HTTP URLs"),
    public_port: count(0, 0, 65_535, "", "Port in SSH URLs; 0: the port that SSH listens on"),
    user: text("git", "The user name of all SSH clients; their key identifies them"),
    handshake_timeout_seconds: count(30, 1, 600, "seconds", "The longest time of a client to prove its key"),
    idle_timeout_seconds: count(
      600,
      1,
      86_400,
      "seconds",
      "The server closes a connection that waits for its client for so long",
    ),
    connections: count(500, 1, 100_000, "connections", "The most SSH connections at once"),
    connections_per_address: count(64, 1, 100_000, "connections", "The most SSH connections from one address"),
    authentication_tries: count(10, 1, 1000, "attempts", "Keys that a connection may try"),
    failed_connections_per_minute: count(
      60,
      1,
      100_000,
      "connections",
      "Connections without a valid key from one address, after which it has to wait",
    ),
  }),
  data: section({
    directory: text("", "The data directory; empty: /var/lib/stithy as root, else ~/.local/share/stithy"),
    sealing_key_file: text(
      "",
      "File with the key that encrypts second factors, stored secrets and credentials; empty: sealing.key in the data directory",
    ),
    reserve_bytes: count(
      64 * MiB,
      0,
      2 ** 50,
      "bytes",
      "Size of a file that keeps disk space for the database. If less than half of it is free, the server refuses changes; 0: no such file",
    ),
  }),
  database: section({
    url: text("", "An external PostgreSQL (15 or newer) as a libpq URI; empty: the built-in one"),
    connections: count(10, 2, 500, "connections", "The most database connections at once"),
    statement_timeout_seconds: count(30, 1, 3600, "seconds", "The longest time of one SQL statement"),
  }),
  log: section({
    level: choice(["debug", "info", "warn", "error", "silent"], {
      default: "info",
      description: "The lowest level of messages that are logged",
    }),
    format: choice(["auto", "text", "json"], {
      default: "auto",
      description: "auto: text on a terminal, else one JSON object a line",
    }),
  }),
  api: section({
    body_limit_bytes: count(
      2 * MiB,
      1024,
      1024 * MiB,
      "bytes",
      "Largest JSON body of operations without a limit of their own",
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
      "Largest response in JSON; clients get more page by page",
    ),
    values_per_body: count(100_000, 1000, 100_000_000, "values", "Most keys and values in one JSON body"),
    token_in_query: flag(false, "Accept tokens as token= or access_token= in the address; they leak into logs"),
    cors_origins: list(["*"], "Origins that browsers may call the API from; credentials are never allowed with *"),
    specification_clients: list(
      [
        "curl/",
        "Wget/",
        "Bun/",
        "node",
        "undici",
        "axios/",
        "python-requests/",
        "python-httpx/",
        "Python-urllib/",
        "HTTPie/",
        "PostmanRuntime/",
        "Mozilla/",
      ],
      "Beginnings of the User-Agent of clients that get the specification's responses where those of Gitea and Forgejo differ; a request without a User-Agent gets them, too",
    ),
  }),
  markdown: section({
    threads: count(2, 1, 64, "threads", "Texts that are rendered at once; one caller gets at most half of the threads"),
    time_limit_milliseconds: count(
      2000,
      50,
      60_000,
      "milliseconds",
      "The longest time to render one text; a file that takes longer is shown as plain text",
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
      "Wrong passwords and codes from one address, after which it has to wait; tokens still work",
    ),
    session_idle_hours: count(168, 1, 8760, "hours", "A browser without requests for so long has to sign in again"),
    session_lifetime_hours: count(720, 1, 8760, "hours", "The longest time that a browser stays signed in"),
    failed_sign_ins_per_account: count(
      30,
      1,
      100_000,
      "attempts",
      "Wrong passwords for one account in 15 minutes, after which addresses that never signed in to it have to wait",
    ),
    tokens_per_user: count(1000, 1, 1_000_000, "tokens", "The most access tokens of one user"),
    reverse_proxy_user_header: text("X-WEBAUTH-USER", "Header in which a trusted proxy names the user"),
    enable_reverse_proxy_authentication: flag(false, "Accept that header from trusted proxies on pages"),
    enable_reverse_proxy_authentication_api: flag(
      false,
      "Accept that header from trusted proxies in API and git requests",
    ),
  }),
  oauth: section({
    enabled: flag(true, "Let users sign in to other programs with OAuth 2 and OpenID Connect"),
    access_token_lifetime_seconds: count(
      3600,
      60,
      31_536_000,
      "seconds",
      "How long an application's access token works",
    ),
    refresh_token_lifetime_hours: count(730, 1, 87_600, "hours", "How long a refresh token works after its last use"),
    default_applications: Type.Array(choice(["git-credential-oauth", "git-credential-manager", "tea"]), {
      default: ["git-credential-oauth", "git-credential-manager", "tea"],
      description:
        "Programs that users may sign in with although nobody registered them: they have client ids of their own",
    }),
  }),
  kerberos: section({
    keytab_file: text(
      "",
      "Keytab of the service HTTP/host, with which API and git accept Kerberos tickets (SPNEGO); empty: off",
    ),
    realm: text("", "Realm whose principals are the users of the same name"),
    principal: text("", "The service as HTTP/host@REALM; empty: any in the keytab"),
    library: text("libgssapi_krb5.so.2", "The GSSAPI library of MIT Kerberos; loaded only with a keytab"),
  }),
  git: gitSettings,
  lfs: section({
    enabled: flag(true, "Serve git LFS; uploaded objects stay if it is turned off"),
    object_limit_bytes: count(5 * 1024 * MiB, 1, Number.MAX_SAFE_INTEGER, "bytes", "Largest LFS object"),
    objects_per_batch: count(1000, 1, 100_000, "objects", "Most objects in one batch request"),
    locks_per_repository: count(10_000, 1, 10_000_000, "locks", "Most locks of one repository"),
    concurrent_uploads: count(
      64,
      1,
      10_000,
      "uploads",
      "Most LFS uploads at once; one user gets at most half of what others leave; further clients have to retry",
    ),
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "The longest time of one upload of an LFS object"),
    token_lifetime_seconds: count(
      1800,
      60,
      86_400,
      "seconds",
      "How long the tokens work that LFS clients get for transfers",
    ),
  }),
  attachments: section({
    file_limit_bytes: count(4096 * MiB, 1, Number.MAX_SAFE_INTEGER, "bytes", "Largest file of a release"),
    files: count(1000, 1, 100_000, "files", "Most files of one release"),
    allowed_types: list(
      [],
      "Accepted files: extensions (.zip), media types (application/pdf) and groups of those (image/*); empty: all",
    ),
    image_limit_pixels: count(
      16_384,
      16,
      65_535,
      "pixels",
      "Largest width and height of an image that browsers show; they download larger ones",
    ),
    concurrent_uploads: count(
      64,
      1,
      10_000,
      "uploads",
      "Most uploads at once; one user gets at most half of what others leave; further clients have to retry",
    ),
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "The longest time of one upload"),
  }),
  issues: section({
    pinned: count(3, 0, 100, "issues", "Most pinned issues of one repository, and most pinned pull requests"),
    reactions: list(
      ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"],
      "Names of the reactions to issues and comments: at most 100, each of 1 to 50 letters, digits, +, - and _",
    ),
  }),
  notifications: section({
    keep_read_days: count(90, 0, 36_500, "days", "How long read notifications are kept; 0: forever"),
  }),
  pulls: section({
    draft_prefixes: list(["WIP:", "[WIP]"], "Beginnings of titles that make a pull request a draft, in any case"),
  }),
  mail: section({
    smtp_host: text("", "Mail server; empty: the server sends no mail"),
    smtp_port: count(587, 1, 65_535, "", "TCP port of that server"),
    smtp_security: choice(["starttls", "tls", "none"], {
      default: "starttls",
      description: "starttls: encrypt or fail; tls: encrypted from the start (port 465); none: not encrypted",
    }),
    smtp_user: text("", "User name at the mail server; empty: no sign-in"),
    smtp_password: text("", "Password at the mail server"),
    from: text("", "Sender of the mails, such as `Forge <forge@example.org>`; needed with smtp_host"),
    link_lifetime_hours: count(24, 1, 720, "hours", "How long links in mails work"),
    notifications: choice(["enabled", "onmention", "andyourown", "disabled"], {
      default: "enabled",
      description:
        "Mails about issues and pull requests for users who made no choice. enabled: all that concern them; onmention: those that mention them or are assigned to them; andyourown: also their own actions; disabled: none",
    }),
  }),
  mirror: section({
    default_interval_seconds: count(
      28_800,
      60,
      31_622_400,
      "seconds",
      "Interval of a pull mirror whose creator chose none",
    ),
    minimum_interval_seconds: count(600, 60, 31_622_400, "seconds", "The shortest interval of a mirror"),
    most_refs: count(
      200_000,
      100,
      10_000_000,
      "refs",
      "Most branches, tags, notes and heads of pull requests of a repository elsewhere that is migrated or mirrored, or that a mirror pushes to",
    ),
  }),
  outbound: section({
    allowed_networks: list(
      [],
      "Private addresses and networks (10.0.0.0/8) that webhooks, migrations and mirrors may reach besides the public internet; an ephemeral server may also reach 127.0.0.0/8 and ::1",
    ),
    proxy: text(
      "",
      "HTTP proxy for those, such as `http://proxy.example:3128`. The server resolves and checks the address, and asks the proxy to connect to it. Empty: none; HTTP_PROXY is ignored",
    ),
    bypass_proxy_for_ssh_and_git: flag(
      false,
      "With a proxy: let mirrors and migrations connect directly to ssh:// and git:// addresses, which no HTTP proxy takes. Otherwise they are refused",
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
    upload_timeout_seconds: count(14_400, 1, 604_800, "seconds", "The longest time of one upload"),
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
    index_limit_bytes: count(
      64 * MiB,
      64 * 1024,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Most that the lists of one index, such as a distribution, have before they are compressed; a package for all architectures counts for each. The server writes them anew for every change, and keeps former ones up to twice as many bytes",
    ),
    index_builds: count(2, 1, 64, "indexes", "Most indexes that are written at once; owners take turns"),
    rpm_header_limit_bytes: count(
      16 * MiB,
      1024,
      256 * MiB,
      "bytes",
      "Largest headers of an rpm package, which have its list of files; those of two packages are in memory at a time",
    ),
  }),
  quota: section({
    enforced: flag(
      false,
      "Refuse requests that exceed the quota of a user or organization; off: the server only counts",
    ),
    warning_percent: count(
      90,
      0,
      99,
      "percent",
      "With quota.enforced, warn from this part of a limit on, in git's output or in the header X-Quota-Warning; 0: never",
    ),
    guest_percent: count(
      25,
      0,
      1000,
      "percent",
      "With quota.enforced, how much of each limit others may bring who do not write to a repository: texts and files of issues, pull requests that are not merged, and edits of a wiki that anybody may edit. It comes on top and never counts against the owner",
    ),
    repository_limit_bytes: count(
      0,
      0,
      Number.MAX_SAFE_INTEGER,
      "bytes",
      "Largest repository, with its LFS objects; 0: no limit. quota.guest_percent of it comes on top for what others bring: pull requests that are not merged, and edits of a wiki that anybody may edit",
    ),
    default_groups: list(
      [],
      "Names of the quota groups of users and organizations that have none; unknown names are ignored",
    ),
  }),
  webhooks: section({
    enabled: flag(true, "Offer webhooks; off: their operations answer 403, and the server sends none"),
    timeout_seconds: count(10, 1, 300, "seconds", "The longest time of a receiver to answer"),
    concurrent: count(64, 1, 200, "deliveries", "The most deliveries at once, of different webhooks"),
    pause_after_hours: count(
      72,
      1,
      8760,
      "hours",
      "The server switches a webhook off if all deliveries have failed for so long, and tells its owner",
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
      "Most repositories of one user or organization; administrators can set another number for a user; 0: no limit",
    ),
    avatar_limit_bytes: count(MiB, 1024, 64 * MiB, "bytes", "Largest uploaded picture of a user or organization"),
    avatar_limit_pixels: count(4096, 16, 65_535, "pixels", "Largest width and height of one"),
  }),
  repository: section({
    default_branch: text("main", "Name of the first branch of new repositories"),
    flags: flag(false, "Let site administrators set flags on repositories; off: these operations answer 404"),
  }),
  web: section({
    history: choice(["everyone", "signed-in"], {
      default: "everyone",
      description: "Who may see commits, the graph, activity, blame, comparisons and searches",
    }),
    live_streams: count(2000, 0, 100_000, "pages", "Most open pages told of changes, a tenth for one address; 0: none"),
  }),
});

export type Settings = Static<typeof Settings>;
