/** The text of a style sheet or a drawing, in the executable too. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "lucide-static/icons/*.svg" {
  const text: string;
  export default text;
}
