import type { FileRow, FoundVersion } from "../../domain/packages/queries.ts";
import { shellQuote } from "../../lib/shell-quote.ts";

/** Commands that bring a version of a package to a client, or what is written into one of its files. */
export interface InstallStep {
  readonly title: string;
  readonly lines: readonly string[];
}

interface Asked {
  /** The address of the owner's registry of the format. */
  readonly registry: string;
  readonly owner: string;
  readonly found: FoundVersion;
  readonly files: readonly FileRow[];
  /** Whether it is the newest version of the package. */
  readonly isNewest: boolean;
  /** Clients need a name and a token. */
  readonly isPrivate: boolean;
}

/** The most files that generic packages are downloaded by in one step. */
const mostFiles = 20;

const placesOf = (files: readonly FileRow[]) => [...new Set(files.map(({ place }) => place))];

function curl(isPrivate: boolean, ...words: readonly string[]): string {
  return ["curl --fail", ...(isPrivate ? ["--user NAME:TOKEN"] : []), ...words.map(shellQuote)].join(" ");
}

const hostOf = (address: string) => new URL(address).host;

function generic({ registry, found, files, isPrivate }: Asked): InstallStep[] {
  const names = [found.package.name, found.version.version].map(encodeURIComponent).join("/");
  const lines = files
    .slice(0, mostFiles)
    .map(({ name }) =>
      curl(
        isPrivate,
        "--output",
        name.startsWith("-") ? `./${name}` : name,
        `${registry}/${names}/${encodeURIComponent(name)}`,
      ),
    );
  return [{ title: "Download the files", lines }];
}

function debian({ registry, owner, found, files, isPrivate }: Asked): InstallStep[] {
  const key = `/etc/apt/keyrings/${owner}.asc`;
  const sources = placesOf(files).map((place) => `deb [signed-by=${key}] ${registry} ${place.replace("|", " ")}`);
  const credentials = {
    title: "Say who you are",
    lines: [
      `echo "machine ${hostOf(registry)} login NAME password TOKEN" > /etc/apt/auth.conf.d/${owner}.conf`,
      `chmod 600 /etc/apt/auth.conf.d/${owner}.conf`,
    ],
  };
  return [
    ...(isPrivate ? [credentials] : []),
    {
      title: "Add the repository",
      lines: [
        curl(isPrivate, "--output", key, `${registry}/repository.key`),
        ...sources.map(
          (line, index) => `echo "${line}" ${index === 0 ? ">" : ">>"} /etc/apt/sources.list.d/${owner}.list`,
        ),
        "apt-get update",
      ],
    },
    {
      title: "Install the package",
      lines: [`apt-get install ${shellQuote(`${found.package.name}=${found.version.version}`)}`],
    },
  ];
}

function rpm({ registry, owner, found, files, isPrivate }: Asked): InstallStep[] {
  const [group = ""] = placesOf(files);
  const path = group === "" ? "" : `/${group.split("/").map(encodeURIComponent).join("/")}`;
  const file = `/etc/yum.repos.d/${[owner, ...group.split("/")].filter(Boolean).join("-")}.repo`;
  // In the address of a version, a hyphen parts the epoch from it.
  const version = found.version.version.replace(/^(\d+)-(?=.*-)/, "$1:");
  const credentials = [`printf 'username=%s\\npassword=%s\\n' NAME TOKEN >> ${file}`, `chmod 600 ${file}`];
  return [
    {
      title: "Add the repository",
      lines: [curl(isPrivate, "--output", file, `${registry}${path}.repo`), ...(isPrivate ? credentials : [])],
    },
    { title: "Install the package", lines: [`dnf install ${shellQuote(`${found.package.name}-${version}`)}`] },
  ];
}

function alpine({ registry, found, files, isPrivate }: Asked): InstallStep[] {
  const repositories = [...new Set(placesOf(files).map((place) => place.split("|").slice(0, 2).join("/")))];
  const login = isPrivate ? registry.replace("://", "://NAME:TOKEN@") : registry;
  return [
    {
      title: "Add the repository",
      lines: [
        `(cd /etc/apk/keys && ${curl(isPrivate, "--remote-name", "--remote-header-name", `${registry}/key`)})`,
        ...repositories.map((place) => `echo ${shellQuote(`${login}/${place}`)} >> /etc/apk/repositories`),
        "apk update",
      ],
    },
    {
      title: "Install the package",
      lines: [`apk add ${shellQuote(`${found.package.name}=${found.version.version}`)}`],
    },
  ];
}

function cran({ registry, found, files, isNewest, isPrivate }: Asked): InstallStep[] {
  const login = isPrivate ? registry.replace("://", "://NAME:TOKEN@") : registry;
  const { name } = found.package;
  const source = files.find(({ place }) => place === "src");
  if (isNewest || source === undefined) {
    const lines = [
      `install.packages(${JSON.stringify(name)}, repos = c(${JSON.stringify(login)}, getOption("repos")))`,
    ];
    return [{ title: "Install the package in R", lines }];
  }
  const address = `${login}/src/contrib/Archive/${name}/${source.name}`;
  const lines = [`install.packages(${JSON.stringify(address)}, repos = NULL, type = "source")`];
  return [{ title: "Install this version in R", lines }];
}

function go({ registry, found, isPrivate }: Asked): InstallStep[] {
  const proxy = isPrivate ? registry.replace("://", "://NAME:TOKEN@") : registry;
  const { name } = found.package;
  const settings = `GOPROXY=${shellQuote(`${proxy},https://proxy.golang.org,direct`)} GONOSUMDB=${shellQuote(name)}`;
  return [{ title: "Add the module", lines: [`${settings} go get ${shellQuote(`${name}@${found.version.version}`)}`] }];
}

const formats = { alpine, cran, debian, generic, go, rpm } as const;

/** How a client of the format gets this version. Everything is ready to be copied; NAME and TOKEN stand for the reader's own. */
export function installSteps(asked: Asked): InstallStep[] {
  return formats[asked.found.package.type](asked);
}
