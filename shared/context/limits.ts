/** §4.3 Limits of failure contexts. */
export const CONTEXT_LIMITS = {
  /** §8 Page size of failed tests, and the size limit of a response as sent. */
  contextPage: { minimum: 1, maximum: 50, default: 10 },
  contextBytes: 1024 * 1024,
  /** Decompressed JSON of steps, output and trace analyses that one page of tests may load. */
  loadedBytes: 2.5 * 1024 * 1024,
  /**
   * Characters of distinct texts from tests that one context masks, to bound CPU time. Incompressible Base64 of this
   * length just exceeds `contextBytes`. `MASKING_LIMITS` defines what a text counts besides its length.
   */
  maskedCharacters: 1536 * 1024,
  /**
   * With `max_length`, a page masks `atLeast` characters plus `times` its length, because colors and secrets in the
   * input take no room on the page.
   */
  maskedForLength: { atLeast: 256 * 1024, times: 4 },
  /** Characters that each step or other object counts, because thousands of short steps cost more than long texts. */
  charactersPerObject: 160,
  /** The history range that a failure context suggests. It ends after now, because ranges exclude their end. */
  contextHistoryMilliseconds: { before: 90 * 24 * 60 * 60 * 1000, after: 24 * 60 * 60 * 1000 },
  /** §4.3 The parts of a test that the shorter levels of detail keep. See context/detail.ts. */
  contextDetail: {
    compact: {
      messageCharacters: 4000,
      otherMessageCharacters: 300,
      frames: 10,
      stackCharacters: 8000,
      outputLines: 20,
      outputCharacters: 2000,
      /** Characters at the end of an output that are masked before the output is cut. */
      outputRead: 12_000,
      assets: 3,
    },
    summary: { messageCharacters: 1000, frames: 5, stackCharacters: 2000, snippetCharacters: 1000 },
  },
  /** Characters of a message, a stack or a snippet that lists and the page of a run read for their values. */
  readCharacters: 8000,
  /** Snapshot of the page at the time of the error: bytes to read, and characters to show a model. */
  pageState: { readBytes: 64 * 1024, characters: 4000 },
} as const;
