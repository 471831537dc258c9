/** The text that tells dnf, yum and zypper of a group, with the keys that sign its packages. `root` is the address of the owner's RPM registry. */
export function repoFile(owner: string, group: string, root: string): string {
  const parts = group === "" ? [] : group.split("/");
  return [
    `[${["gitea", owner.toLowerCase(), ...parts].join("-")}]`,
    `name=${[owner, ...parts].join(" - ")}`,
    `baseurl=${[root, ...parts].join("/")}`,
    "enabled=1",
    "gpgcheck=1",
    `gpgkey=${root}/repository.key`,
    "",
  ].join("\n");
}
