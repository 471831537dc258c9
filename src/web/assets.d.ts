/** The text of a style sheet, in the executable too. */
declare module "*.css" {
  const text: string;
  export default text;
}
