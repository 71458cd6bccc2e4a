/** Limits of settings files. */
export const SETTINGS_FILE_LIMITS = {
  /** Maximum size of a file. A project with 200 rules takes about 100 KB. */
  bytes: 5_000_000,
  /** Maximum nesting depth of brackets, and of dashes within a line, such as `- - x`. */
  nesting: 32,
  /** Maximum number of spaces at the beginning of a line. */
  indentation: 256,
  /** How many problems of a file are shown at once. */
  problems: 20,
  /** Maximum length of a value in a plan for people. `--json` shows values in full. */
  shownCharacters: 160,
} as const;
