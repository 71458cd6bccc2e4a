/** Limits of an HTML form and of its number of fields. A Lambda takes forms with files up to 4.4 MB. */
export const FORM_LIMITS = { bytes: 64 * 1024, fileBytes: 5 * 1024 * 1024, fields: 1000 } as const;

/** Limits of JSON bodies. The cost of parsing beyond the bytes was measured: `npm run bench` checks its budgets. */
export const BODY_LIMITS = {
  /** Bytes of a request body after gunzip, and nesting depth of its JSON. */
  bytes: 24 * 1024 * 1024,
  depth: 100,
  /**
   * Maximum of elements and members, of objects and arrays, and of strings except names. The largest suite has 100,000
   * tests and needs 800,000, 300,000 and 400,000.
   */
  parts: 850_000,
  containers: 350_000,
  strings: 600_000,
  /** V8 allocates a shape for each different prefix of an object's names. It interns each different short string. */
  forms: 1000,
  words: 200_000,
  nameBytes: 512,
  /** Bytes of a credential in the body. Headers have the same limit. */
  credentialBytes: 4096,
  /** Maximum inflation of a compressed body before authentication. Suites inflate up to 25 times. */
  unauthenticatedInflation: { times: 100, fromBytes: 1024 * 1024 },
} as const;

/** Limits of answers. */
export const ANSWER_LIMITS = {
  /** Lambda takes at most 6 MB of serialized proxy response. The rest is left for the platform. */
  answerEnvelopeBytes: 6 * 1024 * 1024 - 64 * 1024,
  /** A smaller response gains nothing from gzip. */
  gzipFromBytes: 1024,
} as const;

/** Limits of lists with cursors. */
export const PAGE_LIMITS = {
  /** §8 Pages of all cursor lists except test results. */
  cursorPage: { minimum: 1, maximum: 50, default: 10 },
  cursorCharacters: 2048,
} as const;
