/** One file of a library, and its replacement in a bundle. */
export interface Trim {
  readonly file: RegExp;
  readonly becomes: string | ((source: string) => string);
}
