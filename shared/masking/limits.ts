/** Limits of masking, and how its work is measured. */
export const MASKING_LIMITS = {
  /** Characters that each text counts besides its length, so that the number of short texts is bounded, too. */
  charactersPerText: 16,
  /**
   * Characters that each text in Base64 counts besides its content, because many short ones take most of the masking
   * time.
   */
  charactersPerWrap: 96,
  /**
   * Where recording cut a text, this many characters next to the cut are searched but not shown, because they may be
   * part of a secret. At most half of the text. The end of a private key needs the most.
   */
  nearCut: { before: 1024, after: 8192 },
} as const;
