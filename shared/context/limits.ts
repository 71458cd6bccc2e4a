/** §4.3 Limits of failure contexts. */
export const CONTEXT_LIMITS = {
  /** §8 Pages of failed tests, and the size of a response as sent. */
  contextPage: { minimum: 1, maximum: 50, default: 10 },
  contextBytes: 1024 * 1024,
  /** JSON of steps, output and trace analyses that a page of tests unpacks. */
  loadedBytes: 2.5 * 1024 * 1024,
  /**
   * Different characters of texts from tests that one context masks, which bounds its CPU time. Incompressible Base64 of
   * this length just exceeds `contextBytes`. `MASKING_LIMITS` says what texts count besides their length.
   */
  maskedCharacters: 1536 * 1024,
  /** What a page of limited length masks besides a multiple of its length, because colors and secrets take no room in it. */
  maskedForLength: { atLeast: 256 * 1024, times: 4 },
  /** What each step and other object counts. An answer of thousands of short steps costs more than one of long texts. */
  charactersPerObject: 160,
  /** The suggested history range of a failure context. It ends after now, because ranges exclude their end. */
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
      /** The end of a longer output that is masked before it is cut. */
      outputRead: 12_000,
      assets: 3,
    },
    summary: { messageCharacters: 1000, frames: 5, stackCharacters: 2000, snippetCharacters: 1000 },
  },
  /** The page at the time of the error: bytes to read, and characters that a model gets. */
  pageState: { readBytes: 64 * 1024, characters: 4000 },
} as const;
