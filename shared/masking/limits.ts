/** What masking reads, and what counts as its work. */
export const MASKING_LIMITS = {
  /** What each text counts besides its length, so that many short ones are bounded too. */
  charactersPerText: 16,
  /** What each text in Base64 counts besides its content. Many short ones take most of the time of masking. */
  charactersPerWrap: 96,
  /**
   * Characters next to a cut of the recording that are read and not shown, because they tell whether the others are a
   * secret. At most half of the text. The end of a private key needs the most.
   */
  nearCut: { before: 1024, after: 8192 },
} as const;
