/** Limits of masking, and the numbers from which the cost of masking a text is computed. */
export const MASKING_LIMITS = {
  /** Added to the measured length of each text, so that the number of short texts is limited, too. */
  charactersPerText: 16,
  /** Added to the length of a decoded Base64 text, because decoding many short texts takes most of the masking time. */
  charactersPerWrap: 96,
  /**
   * If a text was cut when it was recorded, this many characters next to the cut are searched but not shown, because
   * they may be part of a secret. In a short text, half of the characters are hidden instead. The hidden part always
   * extends to the nearest whitespace, `&`, `?` or `#`. The limit for the text after a cut is higher, because it may be
   * the end of a private key.
   */
  nearCut: { before: 1024, after: 8192 },
} as const;
