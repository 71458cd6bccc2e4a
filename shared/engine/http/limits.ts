/**
 * Limits of HTML forms: bytes of a form without files, bytes of a form with files, and number of fields. In AWS, a form
 * with files of more than 4.4 MB never arrives, because Lambda refuses it.
 */
export const FORM_LIMITS = { bytes: 64 * 1024, fileBytes: 5 * 1024 * 1024, fields: 1000 } as const;

/**
 * Limits of JSON bodies. They were chosen by measuring the cost of parsing, and `npm run bench` checks that parsing
 * stays within its time and memory budgets.
 */
export const BODY_LIMITS = {
  /** Maximum size of a request body after gunzip, and maximum nesting depth of its JSON. */
  bytes: 24 * 1024 * 1024,
  depth: 100,
  /**
   * Maximum number of elements and members, of objects and arrays, and of strings other than names. The largest allowed
   * suite, 100,000 tests, needs 800,000, 300,000 and 400,000, respectively.
   */
  parts: 850_000,
  containers: 350_000,
  strings: 600_000,
  /**
   * Maximum number of distinct lists of member names, and of distinct short strings. V8 allocates a shape for each
   * prefix of an object's names, and interns each short string.
   */
  forms: 1000,
  words: 200_000,
  nameBytes: 512,
  /** The limit of credentials in the body, as in headers. */
  credentialBytes: 4096,
  /** Maximum ratio before authentication, above `fromBytes`. Real suites reach a ratio of 25. */
  unauthenticatedInflation: { times: 100, fromBytes: 1024 * 1024 },
} as const;

export const ANSWER_LIMITS = {
  /** Lambda accepts a serialized proxy response of at most 6 MB. 64 KB are a safety margin. */
  answerEnvelopeBytes: 6 * 1024 * 1024 - 64 * 1024,
  /** Smaller responses gain nothing from gzip. */
  gzipFromBytes: 1024,
} as const;

export const PAGE_LIMITS = {
  /** §8 Page size of cursor lists that have no limits of their own. */
  cursorPage: { minimum: 1, maximum: 50, default: 10 },
  cursorCharacters: 2048,
} as const;
