declare module "downdoc" {
  export default function downdoc(
    asciidoc: string,
    options?: { attributes?: Readonly<Record<string, string>> },
  ): string;
}
