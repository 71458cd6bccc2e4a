/** §4.3 Limits of failure contexts. */
export const CONTEXT_LIMITS = {
  /** §8 Page size of lists of failed tests, and the size limit of a response after compression. */
  contextPage: { minimum: 1, maximum: 50, default: 10 },
  contextBytes: 1024 * 1024,
  /** Maximum size of the decompressed JSON (steps, output and trace analyses) that one failure context may load. */
  loadedBytes: 2.5 * 1024 * 1024,
  /**
   * Maximum characters that one context masks, to limit CPU time: each distinct text once, with its length plus the
   * overhead of `MASKING_LIMITS`. If all were random Base64, the compressed response would just exceed `contextBytes`.
   */
  maskedCharacters: 1536 * 1024,
  /** With `max_length`: `atLeast + times * max_length`, as removed colors and secrets shorten the output. */
  maskedForLength: { atLeast: 256 * 1024, times: 4 },
  /** Counted per step or other object besides its texts: thousands of short steps cost more than a few long texts. */
  charactersPerObject: 160,
  /** Time range of the suggested history query. It ends in the future, because a range excludes its end. */
  contextHistoryMilliseconds: { before: 90 * 24 * 60 * 60 * 1000, after: 24 * 60 * 60 * 1000 },
  /** §4.3 The maximum sizes of the parts of a test at the shorter levels of detail. See context/detail.ts. */
  contextDetail: {
    compact: {
      messageCharacters: 4000,
      otherMessageCharacters: 300,
      frames: 10,
      stackCharacters: 8000,
      outputLines: 20,
      outputCharacters: 2000,
      /** Number of characters at the end of an output that are masked before the output is cut. */
      outputRead: 12_000,
      assets: 3,
    },
    summary: { messageCharacters: 1000, frames: 5, stackCharacters: 2000, snippetCharacters: 1000 },
  },
  /** Maximum characters of a message, a stack or a snippet that are parsed for pages and lists. */
  readCharacters: 8000,
  /** Of a text file, a page shows the beginning. It reads some characters more, so that a secret at the end is masked. */
  shownFile: { textCharacters: 256 * 1024, maskedBeyond: 8 * 1024 },
  /** Snapshot of the web page at the error: maximum bytes to read, and characters to show to an AI model. */
  pageState: { readBytes: 64 * 1024, characters: 4000 },
} as const;
